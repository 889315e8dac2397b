#!/usr/bin/env python3
"""gdr selftest: engines that agree, one that does not, and what the command line refuses.

    selftest_test.py GDR PROJECT
"""

import json
import pathlib
import sys
import unittest

import cli_test


class SelfTest(cli_test.CliTest):
    def test_exact_engines_agree(self):
        report = json.loads(self.succeeds("selftest", "--programs", 32, "--seed", 5, "--json", "-").out)
        self.assertEqual((report["tool"], report["programs"], report["seed"]), ("gdr selftest", 32, 5))
        self.assertEqual(report["differences"], [])
        self.assertEqual((report["machine"], report["chips"]), ("model1800", 4))
        self.assertIn("lockstep", report["engines"])
        self.assertIn("simd (portable)", report["engines"])
        self.assertNotIn("native", report["engines"])

    def test_one_of_a_kind_is_told_in_the_singular(self):
        self.assertIn("1 program from seed 3 ", self.succeeds("selftest", "--programs", 1, "--seed", 3).out)
        self.assertIn("1 history from seed 3, ", self.succeeds("selftest", "--histories", 1, "--seed", 3).out)

    def test_machine_and_boards_give_the_number_of_chips(self):
        report = json.loads(self.succeeds("selftest", "--programs", 16, "--boards", 2, "--threads", 3,
                                          "--engine", "simd", "--json", "-").out)
        self.assertEqual((report["chips"], report["threads"]), (8, 3))

    def test_difference_is_told_with_seed_engine_place_and_program_and_ends_with_1(self):
        arguments = ("selftest", "--programs", 8, "--seed", 3, "--engine", "native", "--engine", "simd")
        outcome = self.ends(1, [], *arguments, "--json", "-")
        (difference,) = json.loads(outcome.out)["differences"]
        self.assertEqual(difference["engine"], "native")
        self.assertGreaterEqual(difference["seed"], 3)
        self.assertNotEqual(difference["expected"], difference["found"])
        self.assertIn("loop body", difference["program"])
        text = self.ends(1, [], *arguments).out
        self.assertIn(f"seed {difference['seed']}, engine native, {difference['place']}: expected", text)
        again = self.ends(1, [], "selftest", "--programs", 1, "--seed", difference["seed"], "--engine", "native", "--json", "-")
        self.assertEqual(json.loads(again.out)["differences"], [difference])

    def test_histories_run_kernels_of_the_user(self):
        own = self.scratch / "own.vsm"
        own.write_text((cli_test.PROJECT / "kernels/gravity.vsm").read_text())
        report = json.loads(self.succeeds("selftest", "--histories", 8, "--kernel", own, "--kernel", "vdw",
                                          "--engine", "simd", "--json", "-").out)
        self.assertEqual((report["differ"], report["kernels"]), (0, [str(own), "vdw"]))
        history = self.scratch / "history.txt"
        history.write_text(f"engine simd (portable)\nprogram {own}\nparticles pes 3\nrun pes 3 count 17\nlook\n")
        out = self.succeeds("selftest", "--history", history, "--kernel", own).out
        self.assertIn("3 commands, no difference", out)
        self.ends(2, ["--kernel has no effect without --histories"], "selftest", "--kernel", own)
        self.ends(2, ["no kernel is called 'gravitty'", "gravity"], "selftest", "--histories", 1, "--kernel", "gravitty")

    def test_what_cannot_be_compared_is_refused(self):
        self.ends(2, ["'reference' is refused"], "selftest", "--engine", "reference")
        self.ends(2, ["'timing' is refused"], "selftest", "--engine", "timing")
        self.ends(2, ["--engine"], "selftest", "--engine", "none")
        self.ends(2, ["--programs"], "selftest", "--programs", 0)
        self.ends(2, ["'none' is refused"], "selftest", "--machine", "none")


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
