#!/usr/bin/env python3
"""The same bits from every engine, instruction set and number of threads, as users of gdr see them.

    engines_test.py GDR PROJECT
"""

import json
import pathlib
import re
import sys
import unittest

import cli_test
import operations


class Engines(cli_test.CliTest):
    def with_host_isa(self, isa, *arguments, stdin=""):
        return cli_test.gdr(*arguments, stdin=stdin, environment={"GDR_HOST_ISA": isa})

    def host_isas(self):
        """Those that this host has, as gdr names them when it refuses another one."""
        refusal = self.with_host_isa("none", "fp", "eval", stdin="").err
        isas = re.search("must be one of (.*) on this host", refusal)[1].split(", ")
        self.assertEqual(isas[0], "portable")
        return isas

    def nbody(self, n, t_end, *options, isa=None):
        arguments = ["nbody", "--plummer", n, "--t-end", t_end, "--json", "-", *options]
        if isa is None:
            return json.loads(self.succeeds(*arguments).out)
        outcome = self.with_host_isa(isa, *arguments)
        self.assertEqual(outcome.status, 0, outcome.err)
        return json.loads(outcome.out)

    def test_fp_eval_gives_the_same_words_on_every_engine(self):
        lines = "".join(operations.operations(4000))
        expected = self.succeeds("fp", "eval", "--engine", "reference", stdin=lines).out
        self.assertEqual(len(expected.splitlines()), 4000)
        for isa in self.host_isas():
            outcome = self.with_host_isa(isa, "fp", "eval", "--engine", "simd", stdin=lines)
            self.assertEqual((outcome.status, outcome.out), (0, expected), isa)

    def test_nbody_ends_in_the_same_state_on_every_engine(self):
        report = self.nbody(64, 0.25, "--engine", "reference")
        self.assertIs(report["exact"], True)
        for threads in (1, 2, 3, 7):
            on_simd = self.nbody(64, 0.25, "--engine", "simd", "--threads", threads)
            for field in ("state_hash", "exact", "energy_error", "steps", "clocks"):
                self.assertEqual(on_simd[field], report[field], (threads, field))
            self.assertEqual(on_simd["counters"]["fp_events"], report["counters"]["fp_events"])

    def test_nbody_ends_in_the_same_state_on_every_instruction_set(self):
        hashes = {self.nbody(64, 0.25, isa=isa)["state_hash"] for isa in self.host_isas()}
        self.assertEqual(len(hashes), 1)

    def test_lockstep_finds_no_difference_on_any_instruction_set(self):
        expected = self.nbody(16, 0.03125)
        for isa in self.host_isas():
            for threads in (1, 3):
                report = self.nbody(16, 0.03125, "--engine", "lockstep", "--threads", threads, isa=isa)
                self.assertEqual((report["state_hash"], report["exact"]), (expected["state_hash"], True), isa)

    def test_any_two_engines_run_in_lockstep(self):
        expected = self.nbody(8, 0.015625)
        report = self.nbody(8, 0.015625, "--engine", "lockstep:simd,reference", "--threads", 3)
        self.assertEqual((report["state_hash"], report["exact"]), (expected["state_hash"], True))
        arguments = ("nbody", "--plummer", 8, "--t-end", 0.015625, "--engine")
        self.ends(1, ["the engines differ: chip 0, block 0, PE 0, loop"], *arguments, "lockstep:reference,native")
        self.ends(2, ["lockstep:A,B"], *arguments, "lockstep:reference,none")

    def with_opencl(self, *arguments, **environment):
        # What its implementations keep until a process ends is none of ours.
        return cli_test.gdr(*arguments, environment={"ASAN_OPTIONS": "detect_leaks=0", **environment})

    def opencl_devices(self):
        """Those that the engine can use."""
        outcome = self.with_opencl("machine", "devices", "--json", "-")
        if outcome.status != 0:
            self.assertIn("GDR_OPENCL", outcome.err)
            self.skipTest("this build has no OpenCL")
        devices = [device for device in json.loads(outcome.out)["devices"] if device["usable"]]
        return devices or self.skipTest("this host has no OpenCL device")

    def test_opencl_gives_the_same_state_on_every_device(self):
        for device in self.opencl_devices():
            expected = self.nbody(8, 0.015625)
            for jit in ("on", "off"):
                outcome = self.with_opencl("nbody", "--plummer", 8, "--t-end", 0.015625, "--json", "-", "--engine",
                                           f"opencl:{device['name']}", GDR_JIT=jit)
                self.assertEqual(outcome.status, 0, outcome.err)
                report = json.loads(outcome.out)
                self.assertEqual((report["state_hash"], report["exact"]), (expected["state_hash"], True), device)

    def test_a_device_that_there_is_not_is_refused_with_those_that_there_are(self):
        devices = self.opencl_devices()
        arguments = ["nbody", "--plummer", 8, "--t-end", 0, "--engine"]
        for engine, environment in (("opencl:abacus", {}), ("opencl", {"GDR_OPENCL_DEVICE": "abacus"})):
            outcome = self.with_opencl(*arguments, engine, **environment)
            self.assertEqual(outcome.status, 1, outcome.err)
            for text in ("abacus", "is refused", *(device["name"] for device in devices)):
                self.assertIn(text, outcome.err)

    def test_slow_lanes_are_counted(self):
        for isa in self.host_isas():
            lanes = self.nbody(16, 0.03125, isa=isa)["counters"]["fp_lanes"]
            self.assertGreater(lanes["slow"], 0, isa)  # a particle meets itself in every run
            self.assertLess(lanes["slow"], lanes["all"], isa)

    def test_native_says_that_it_is_not_bit_exact_and_computes_the_same_physics(self):
        exact = self.nbody(64, 0.25)
        native = self.nbody(64, 0.25, "--engine", "native")
        self.assertEqual((native["engine"], native["exact"]), ("native", False))
        self.assertIn("not bit exact", self.succeeds("nbody", "--plummer", 16, "--t-end", 0, "--engine", "native").out)
        # The scheme's own error is some 1e-8 here; forces of single precision or better add less than that.
        self.assertLess(abs(native["energy_error"]), 2e-7)
        self.assertNotEqual(native["state_hash"], exact["state_hash"])

    def test_native_refuses_kernels_that_take_numbers_apart(self):
        source = self.scratch / "apart.vsm"
        (self.scratch / "j.csv").write_text("y\n1\n", encoding="utf-8")
        (self.scratch / "i.csv").write_text("x\n0.3\n", encoding="utf-8")
        for macro, register, refused in (("exp", "r", True), ("sin", "r", True), ("log_long", "lr", True), ("sqrt", "r", False), ("recip_long", "lr", False)):
            source.write_text(
                f'kernel apart\ninclude "math.vsm"\nvar vector long x hlt flt64to72\nbvar long y elt flt64to72\n'
                f"var vector long f rrn flt72to64 fadd\nloop initialization\n  uxor $lt $lt $lt f\nloop body\n  fpassa x ${register}8v\n  nop\n"
                f"  {macro} ${register}8v ${register}16v\n  nop\n  fadd f ${register}16v f\n",
                encoding="utf-8",
            )
            outcome = cli_test.gdr("run", source, "--i", self.scratch / "i.csv", "--j", self.scratch / "j.csv", "-o", "-", "--engine", "native")
            self.assertEqual(outcome.status, 1 if refused else 0, outcome.err)
            if refused:
                self.assertRegex(outcome.err, r"math\.vsm:\d+:\d+: this line takes a number apart with the constant \S+")

    def test_unknown_instruction_set_is_refused_with_those_of_the_host(self):
        for engine in ("simd", "native", "lockstep"):
            outcome = self.with_host_isa("none", "nbody", "--plummer", 16, "--t-end", 0, "--engine", engine)
            self.assertEqual(outcome.status, 1, engine)
            for text in ("GDR_HOST_ISA", "'none'", *self.host_isas()):
                self.assertIn(text, outcome.err)

    def test_empty_instruction_set_is_none(self):
        self.assertEqual(self.nbody(16, 0, isa="")["state_hash"], self.nbody(16, 0)["state_hash"])


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
