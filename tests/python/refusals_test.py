#!/usr/bin/python3
"""Data that the module refuses, as `gdr run` does: what is missing, masked, in a unit, or beyond the type.

refusals_test.py GDR [test arguments]
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

import grapedr

GDR = sys.argv[1]
SOURCE = """\
kernel keys
bvar long  xj  elt flt64to72
bvar short mj  elt flt64to36
var vector long xi  hlt flt64to72
var vector long sum rrn flt72to64 fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fsub xj xi $lt
  fmul $lti mj $lt
  fadd sum $lti sum
"""

INTEGERS = """\
kernel whole
bvar long  a elt fix64to72
bvar short b elt fix64to36
var vector long xi hlt fix64to72
var vector long s  rrn fix72to64 uadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt s
loop body
  uadd a xi $lt
  uadd s $lti s
"""


class Quantity:
    """A quantity with a unit, as astropy's and pint's arrays are."""

    def __init__(self, values, unit):
        self.values = values
        self.unit = unit

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)


class Length(float):
    """A number that float() takes without its unit, as unyt's are."""

    units = "kpc"


class Refusals(unittest.TestCase):
    def setUp(self):
        self.kernel = grapedr.assemble(SOURCE)

    def refuses(self, text, i, j):
        with self.assertRaisesRegex(grapedr.Error, text):
            self.kernel.run(i, j)

    def test_what_is_missing_has_the_verdict_of_gdr_run(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "k.vsm").write_text(SOURCE, encoding="utf-8")
            full_i, full_j = {"xi": [0.0]}, {"xj": [1.0], "mj": [1.0]}
            for i, j, missing in [(full_i, full_j, ""), (full_i, {"xj": [1.0]}, "mj"), (full_i, {"mj": [1.0]}, "xj")]:
                for letter, columns in (("i", i), ("j", j)):
                    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values()))]
                    (folder / f"{letter}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
                done = subprocess.run([GDR, "run", folder / "k.vsm", "--i", folder / "i.csv", "--j", folder / "j.csv"],
                                      capture_output=True, text=True, check=False)
                if missing:
                    self.assertIn(f"missing column {missing}", done.stderr)
                    self.refuses(f"missing variable {missing}", i, j)
                else:
                    self.assertEqual(done.returncode, 0, done.stderr)
                    np.testing.assert_array_equal(self.kernel.run(i, j)["sum"], [1.0])

    def test_columns_say_what_they_must_be(self):
        whole = grapedr.assemble(INTEGERS)
        full_i, full_j = {"xi": [0.0]}, {"xj": [1.0], "mj": [1.0]}
        self.refuses("i is of type NoneType: it must be a structured array, or a dictionary of arrays", None, full_j)
        self.refuses("j is of type list: it must be", full_i, [1.0])
        for column, kind in ((None, "NoneType"), (b"a", "bytes"), (iter([1.0]), "list_iterator")):
            self.refuses(rf"j\['mj'\] is of type {kind}: it must be an array of numbers", full_i, {"xj": [1.0], "mj": column})
        self.refuses(r"j\['mj'\] has rows of different lengths", full_i, {"xj": [1.0], "mj": [[1.0], [1.0, 2.0]]})
        self.refuses(r"j\['mj'\] is nan at \(0,\): it must be a number, which may be infinite", full_i,
                     {"xj": [1.0], "mj": [np.nan]})
        for number, text in ((2**70, rf"j\['a'\] holds {2**70}: it must be from -{2**63} to {2**63 - 1}"),
                             (2**35, rf"j\['b'\] is {2**35} at \(0,\): it must be from -{2**35} to {2**35 - 1}")):
            with self.assertRaisesRegex(grapedr.Error, text):
                whole.run({"xi": [1]}, {"a": [number], "b": [number]})
        self.assertEqual(whole.run({"xi": [1]}, {"a": [], "b": []})["s"], [0])  # no records

    @unittest.skipIf(np.finfo(np.longdouble).nmant <= np.finfo(np.float64).nmant, "a long double of this host is a double")
    def test_long_doubles_that_no_double_holds_are_not_rounded(self):
        third, large = np.longdouble(1) / 3, np.longdouble(2) ** 2000
        for wrong in (third, large):
            column = np.stack([np.longdouble(0.5), wrong])
            place = r"\S* at \(1,\) in type float\d+, which no double holds"
            self.refuses(rf"j\['mj'\] is {str(wrong)[:5]}{place}", {"xi": [0.0]}, {"xj": [1.0, 1.0], "mj": column})
            self.refuses(rf"j\['mj'\] is {str(wrong)[:5]}{place}", {"xi": [0.0]}, {"xj": [1.0, 1.0], "mj": list(column)})
            with self.assertRaisesRegex(grapedr.Error, f"m is {str(wrong)[:5]}{place}"):
                grapedr.accel_jerk_pot(np.zeros((2, 3)), np.zeros((2, 3)), column)
            with self.assertRaisesRegex(grapedr.Error, f"t_end is {str(wrong)[:5]}.* in type float\\d+, which no double holds"):
                grapedr.NbodyRun(start="plummer", n=8, t_end=wrong)
            with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(grapedr.Error, f"column 'x' is .*{place}"):
                grapedr.tables.write_table(pathlib.Path(folder) / "x.csv", {"x": column})
        exact = np.array([0.5, np.inf], np.longdouble)
        of_either = [self.kernel.run({"xi": exact}, {"xj": [1.0], "mj": [0.25]})["sum"] for exact in (exact, exact.astype(np.float64))]
        np.testing.assert_array_equal(*of_either)

    def test_whole_numbers_that_no_double_holds_are_not_rounded(self):
        odd, even = 2**53 + 1, 2**53 + 2
        numbers = {
            "integers": np.array([1, odd]), "without sign": np.array([1, 2**64 - 1], np.uint64), "a list": [1, -odd],
            "a list with a real number": [0.5, odd], "a list beyond 64 bits": [1, 2**70 + 1],
        }
        for name, column in numbers.items():
            text = rf"j\['mj'\] is {column[1]} at \(1,\), which no double holds: give a real number"
            with self.subTest(name):
                self.refuses(text, {"xi": [0.0]}, {"xj": [1.0, 1.0], "mj": column})
        with self.assertRaisesRegex(grapedr.Error, rf"m is {odd} at \(1,\), which no double holds"):
            grapedr.accel_jerk_pot(np.zeros((2, 3)), np.zeros((2, 3)), np.array([1, odd]))
        for one in (odd, -odd, np.int64(odd), np.uint64(odd), np.array(odd), 2**70 + 1):
            with self.assertRaisesRegex(grapedr.Error, rf"t_end is {one}, which no double holds"):
                grapedr.NbodyRun(start="plummer", n=8, t_end=one)
        for exact in ([0, even], np.array([0, 2**63], np.uint64), np.array([0, -(2**63)]), [0, 2**70], [0.5, 2**60]):
            doubles = np.array([float(one) for one in exact])
            of_either = [self.kernel.run({"xi": [0.0]}, {"xj": xj, "mj": [0, 1]})["sum"] for xj in (exact, doubles)]
            np.testing.assert_array_equal(*of_either)

    def test_infinities_are_numbers_for_the_module_and_for_gdr_run(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = self.kernel.run({"xi": [0.0]}, {"xj": [np.inf], "mj": [1.0]})
        self.assertEqual(result["sum"], [np.inf])
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, text in (("k.vsm", SOURCE), ("i.csv", "xi\n0\n"), ("j.csv", "xj,mj\ninf,1\n")):
                (folder / file).write_text(text, encoding="utf-8")
            done = subprocess.run([GDR, "run", folder / "k.vsm", "--i", folder / "i.csv", "--j", folder / "j.csv", "-o", "-"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.stdout, "sum\ninf\n", done.stderr)

    def test_masks_that_are_set(self):
        x = np.ma.masked_array([1.0, 2.0], mask=[False, True])
        self.refuses(r"j\['xj'\] is masked at \(1,\)", {"xi": [0.0]}, {"xj": x, "mj": [1.0, 1.0]})
        free = np.ma.masked_array([1.0, 2.0], mask=[False, False])
        np.testing.assert_array_equal(self.kernel.run({"xi": [0.0]}, {"xj": free, "mj": [1.0, 1.0]})["sum"], [3.0])
        with self.assertRaisesRegex(grapedr.Error, r"m is masked at \(1,\)"):
            grapedr.accel_jerk_pot(np.zeros((2, 3)), np.zeros((2, 3)), x)

    def test_units(self):
        self.refuses(r"i\['xi'\] has the unit kpc", {"xi": Quantity([0.0], "kpc")}, {"xj": [1.0], "mj": [1.0]})
        one = self.kernel.run({"xi": Quantity([0.0], "")}, {"xj": [1.0], "mj": [1.0]})
        np.testing.assert_array_equal(one["sum"], [1.0])

    def test_single_numbers(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", grapedr.AssemblyWarning)  # no line reads the parameter
            kernel = grapedr.assemble(SOURCE.replace("\nbvar", "\nparam h : long flt64to72 = 1\nbvar", 1))
        pair = grapedr.start("binary", 2)
        for value, why in [
            (np.ma.masked_array([2.0], mask=[True]), r"is masked at \(0,\)"),
            (Length(2.0), "has the unit kpc"),
            ("2", "must be a real number"),
            (2j, "must be a real number"),
            (np.array([1.0, 2.0]), "must be a real number"),
            (10**400, "range of a double"),
        ]:
            for name, call in {
                "parameter h": lambda: kernel.run({"xi": [0.0]}, {"xj": [1.0], "mj": [1.0]}, h=value),  # noqa: B023
                "eps": lambda: grapedr.Nbody(pair, eps=value),  # noqa: B023
                "t_end": lambda: grapedr.NbodyRun(pair, t_end=value),  # noqa: B023
            }.items():
                with self.subTest(name=name, value=repr(value)), self.assertRaisesRegex(grapedr.Error, f"{name}.* {why}"):
                    call()
        kernel.run({"xi": [0.0]}, {"xj": [1.0], "mj": [1.0]}, h=np.float32(2))

    def test_ids_that_are_no_integers_of_64_bits_with_a_sign(self):
        particles = grapedr.start("plummer", 4)
        for ids, why in [
            (np.array([5, 2**63, 2**64 - 1, 6], dtype="u8"), r"is 9223372036854775808 at \(1,\), which is above 2\^63 - 1"),
            ([2**63, 1, 2, 3], r"is 9223372036854775808 at \(0,\), which is above 2\^63 - 1"),
            ([1, 2**64, 2, 3], r"is 18446744073709551616 at \(1,\), which is above"),
            ([1, -(2**63) - 1, 2, 3], r"is -9223372036854775809 at \(1,\), which is below -2\^63"),
            ([1.0, 2.0, 3.0, 4.5], r"has type float64 and shape \(4,\): it must hold 4 integers"),
            ([True, False, True, False], r"has type bool and shape \(4,\): it must hold 4 integers"),
            (["1", "2", "3", "4"], r"has type <U1 and shape \(4,\): it must hold 4 integers"),
            (np.ma.masked_array([1, 2, 3, 4], [0, 0, 1, 0]), r"is masked at \(2,\)"),
            (Quantity([1, 2, 3, 4], "kpc"), "has the unit kpc"),
            ([1, 2, 3], r"has type int64 and shape \(3,\): it must hold 4 integers"),
        ]:
            for name, call in {"Nbody": grapedr.Nbody, "NbodyRun": lambda given: grapedr.NbodyRun(given, t_end=1)}.items():
                with self.subTest(name=name, ids=str(ids)), self.assertRaisesRegex(grapedr.Error, rf"particles\['id'\] {why}"):
                    call(particles | {"id": ids})
        for name, call in {"Nbody": grapedr.Nbody, "NbodyRun": lambda given: grapedr.NbodyRun(given, t_end=1)}.items():
            with self.subTest(name=name), self.assertRaisesRegex(grapedr.Error, "both have id 7; ids must be unique"):
                call(particles | {"id": [7, 1, 2, 7]})
        with self.assertRaisesRegex(grapedr.Error, r"particles\['step'\] is 18446744073709551615 at \(0,\), which is above 2\^63 - 1"):
            grapedr.NbodyRun(particles | {"step": np.uint64(2**64 - 1)}, t_end=1)

    def test_ids_are_kept(self):
        ids = np.array([2**35 - 1, -3, 20, 0])  # the board has 36 bits
        particles = grapedr.start("plummer", 4) | {"id": ids}
        system = grapedr.Nbody(particles)
        np.testing.assert_array_equal(system.particles["id"], ids)
        system.evolve(0.125)
        np.testing.assert_array_equal(system.particles["id"], ids)
        output = list(grapedr.NbodyRun(particles, t_end=0.125))[-1]
        np.testing.assert_array_equal(output.particles["id"], ids)
        self.assertEqual(output.state_hash, system.state_hash)

    def test_names_of_kernels_are_no_paths(self):
        with self.assertRaisesRegex(grapedr.Error, r"no kernel is called 'gravty' \(known: .*vdw\); did you mean 'gravity'\?$"):
            grapedr.kernel("gravty")
        with self.assertRaisesRegex(grapedr.Error, r"no kernel is called 'plasma' \(known: .*vdw\)$"):
            grapedr.kernel("plasma")
        with self.assertRaisesRegex(grapedr.Error, "no kernel is called '../kernels/tutorial'"):
            grapedr.kernel("../kernels/tutorial")

    def test_calls_without_a_device_share_one(self):
        self.kernel.run({"xi": [0.0]}, {"xj": [1.0], "mj": [1.0]})
        made = []
        self.addCleanup(setattr, grapedr, "Device", grapedr.Device)
        grapedr.Device = lambda *arguments, **more: made.append(arguments)
        np.testing.assert_array_equal(self.kernel.run({"xi": [1.0]}, {"xj": [1.0], "mj": [1.0]})["sum"], [0.0])
        self.assertEqual(made, [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
