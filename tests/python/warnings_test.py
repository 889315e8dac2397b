#!/usr/bin/python3
"""What calls say beside their results: warnings of the assembler, floating-point events, progress.

warnings_test.py GDR [test arguments]
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

import grapedr

GDR = str(pathlib.Path(sys.argv.pop(1)).resolve())
UNUSED = """kernel unused
bvar long xj elt flt64to72
bvar long yj elt flt64to72
var vector long xi hlt flt64to72
var vector long f rrn flt72to64 fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt f
loop body
  fsub xj xi $lt
  fadd f $lti f
"""


def caught(call):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
    return told


class Assembler(unittest.TestCase):
    def test_warnings_are_those_of_gdr_as(self):
        told = caught(lambda: grapedr.assemble(UNUSED, "unused.vsm"))
        self.assertEqual([each.category for each in told], [grapedr.AssemblyWarning])
        self.assertEqual(told[0].filename, __file__)
        with self.subTest("as gdr as prints them"):
            file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()), "unused.vsm")
            file.write_text(UNUSED, encoding="utf-8")
            printed = subprocess.run([GDR, "as", "unused.vsm"], capture_output=True, text=True, check=True, cwd=file.parent).stderr
            self.assertIn("E0206", printed)
            self.assertEqual(str(told[0].message).strip(), printed.strip())

    def test_a_source_without_fault_is_silent(self):
        self.assertEqual(caught(lambda: grapedr.kernel("gravity")), [])
        self.assertEqual(caught(lambda: grapedr.assemble(UNUSED.replace("fadd f", "fadd yj $lti $lt\n  fadd f"))), [])


class Energy(unittest.TestCase):
    def run_with(self, eta, **more):
        return grapedr.NbodyRun(start="binary", eccentricity=0.95, t_end=21, every=1, eps=0, eta=eta, engine="direct", **more).run()

    def test_a_large_error_is_warned_of_once(self):
        told = caught(lambda: self.run_with(0.5))
        self.assertEqual([each.category for each in told], [grapedr.EnergyWarning])
        self.assertEqual(told[0].filename, __file__)
        self.assertRegex(str(told[0].message), r"the energy error is [+-]\d.\d\de-0[123]; a smaller eta")
        self.assertIn("the run ends here", str(caught(lambda: self.run_with(0.5, max_energy_error=1e-6))[-1].message))
        self.assertEqual(caught(lambda: self.run_with(0.02)), [])


class Snapshots(unittest.TestCase):
    def run_of(self, names, **more):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "in.txt"
            file.write_text(f"# {names}\n0.5 0.5 0 0 0 0.5 0\n0.5 -0.5 0 0 0 -0.5 0\n", encoding="utf-8")
            return grapedr.NbodyRun(in_file=file, t_end=0, engine="direct", **more)

    def test_say_which_units_they_have(self):
        names = "mass [Msun] x [pc] y [pc] z [pc] vx [km/s] vy [km/s] vz [km/s]"
        told = caught(lambda: self.run_of(names))
        self.assertEqual({(each.category, each.filename) for each in told}, {(grapedr.SnapshotWarning, __file__)})
        self.assertIn("in.txt:1: the columns have units", str(told[-1].message))
        self.assertIn("units='M,L,V' chooses others", str(told[-1].message))
        told = caught(lambda: self.run_of(names, units="msun,pc,km/s"))
        self.assertEqual(["the virial ratio is" in str(each.message) for each in told], [True])  # 0.5 km/s are much here
        told = caught(lambda: self.run_of(names, units="msun,kpc,km/s"))
        self.assertIn("(pc) and are converted to masses in msun, lengths in kpc", str(told[-1].message))
        with self.assertRaisesRegex(grapedr.Error, r"column m \[Msun\] has a unit, but lengths have none"):
            self.run_of("mass [Msun] x y z vx vy vz")
        self.assertEqual(caught(lambda: self.run_of("mass x y z vx vy vz")), [])


class Events(unittest.TestCase):
    def run_with(self, x, device=None):
        gravity = grapedr.kernel("gravity")
        return gravity.run({"xi": [x], "eps2": [0.0]}, {"xj": [[0.0, 0.0, 0.0]], "mj": [1.0]}, device)

    def test_are_warned_of_at_the_line_of_the_call(self):
        told = caught(lambda: self.run_with([1e-200, 0.0, 0.0]))
        self.assertEqual([each.category for each in told], [grapedr.EventWarning])
        self.assertEqual(told[0].filename, __file__)
        self.assertRegex(str(told[0].message), r"kernel gravity: \d+ floating-point events?: \d+ invalid, \d+ overflow, \d+ underflow")
        self.assertIn("gravity.vsm:", str(told[0].message))

    def test_are_those_of_this_call(self):
        device = grapedr.Device()
        counted = [re.search(r"\d+ floating", str(each.message))[0]
                   for _ in range(2) for each in caught(lambda: self.run_with([1e-200, 0.0, 0.0], device))]
        self.assertEqual(len(counted), 2)
        self.assertEqual(*counted)
        self.assertEqual(caught(lambda: self.run_with([1.0, 0.0, 0.0], device)), [])

    def test_are_an_error_if_the_caller_wants_that(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error", grapedr.EventWarning)
            with self.assertRaises(grapedr.EventWarning):
                self.run_with([1e-200, 0.0, 0.0])


class Progress(unittest.TestCase):
    def test_is_told_after_every_128_records(self):
        told = []
        x = np.zeros((300, 3))
        i, j = {"xi": x, "eps2": np.ones(300)}, {"xj": x[:1], "mj": [1.0]}
        grapedr.kernel("gravity").run(i, j, on_progress=lambda done, all: told.append((done, all)))
        self.assertEqual(told, [(128, 300), (256, 300), (300, 300)])

        def ends(done, _):
            raise KeyError(done)

        with self.assertRaises(KeyError):
            grapedr.kernel("gravity").run(i, j, on_progress=ends)


    def test_cannot_use_the_device_of_the_run(self):
        device, gravity = grapedr.Device(), grapedr.kernel("gravity")
        i, j = {"xi": np.zeros((300, 3)), "eps2": np.ones(300)}, {"xj": np.zeros((1, 3)), "mj": [1.0]}
        with self.assertRaisesRegex(grapedr.Error, "in the middle of a run that called this function"):
            gravity.run(i, j, device=device, on_progress=lambda done, all: gravity.run(i, j, device=device))
        self.assertEqual(gravity.run(i, j, device=device)["pot"][0], gravity.run(i, j)["pot"][0])


class Module(unittest.TestCase):
    def test_has_the_version_of_the_program(self):
        told = subprocess.run([GDR, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertIn(grapedr.__version__, told)


if __name__ == "__main__":
    unittest.main()
