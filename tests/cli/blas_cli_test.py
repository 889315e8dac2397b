#!/usr/bin/env python3
"""gdr dgemm and gdr hpl.

    blas_cli_test.py GDR PROJECT
"""

import json
import os
import subprocess
import sys
import unittest

GDR = ""


def gdr(*arguments):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GDR_")}
    return subprocess.run([GDR, *map(str, arguments)], capture_output=True, text=True, env=environment, check=False)


def report(*arguments):
    done = gdr(*arguments, "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Dgemm(unittest.TestCase):
    def test_error_stays_within_the_bound_of_each_kernel(self):
        k = 90
        for kernel, product in (("dgemm", 2**-48 + 2**-53), ("dgemm_double", 2**-52)):
            for options in ([], ["--transa", "--transb"]):
                result = report("dgemm", "-m", 20, "-n", 6, "-k", k, "--kernel", kernel, *options)
                self.assertLessEqual(result["max_rel_error"], product + k * 2**-60)
                self.assertTrue(result["exact"])

    def test_timing_computes_no_numbers(self):
        result = report("dgemm", "-m", 32768, "-n", 32768, "-k", 2048, "--engine", "timing")
        self.assertIsNone(result["max_rel_error"])
        self.assertFalse(result["exact"])
        self.assertEqual(result["useful_flops"], 2 * 32768**2 * 2048)
        self.assertEqual(result["useful_flops"], result["executed_flops"])

    def test_overlap_hides_more_with_more_buffer(self):
        def seconds(*options):
            return report("dgemm", "-m", 4096, "-n", 4096, "-k", 2048, "--engine", "timing", *options)["emulated_seconds"]

        self.assertGreater(seconds("--overlap", "off"), seconds())
        self.assertGreater(seconds(), seconds("--overlap-buffer", 8192))

    def test_small_depths_execute_less(self):
        deep = report("dgemm", "-m", 1024, "-n", 64, "-k", 2048, "--engine", "timing")
        shallow = report("dgemm", "-m", 1024, "-n", 64, "-k", 512, "--engine", "timing")
        self.assertEqual(shallow["executed_flops"] * 4, deep["executed_flops"])

    def test_wrong_options_are_refused(self):
        for options in (["-m", "0", "-n", "1", "-k", "1"], ["-m", "1", "-n", "1"], ["-m", "1", "-n", "1", "-k", "1", "--overlap", "x"]):
            self.assertEqual(gdr("dgemm", *options).returncode, 2)


class Hpl(unittest.TestCase):
    def test_a_factorisation_passes_hpls_check(self):
        result = report("hpl", "--n", 200, "--nb", 64)
        self.assertGreater(result["residual"], 0)
        self.assertLess(result["residual"], 16)

    def test_stages_make_up_the_time(self):
        result = report("hpl", "--n", 34816, "--nb", 2048, "--engine", "timing")
        self.assertAlmostEqual(sum(result["stages"].values()), result["emulated_seconds"])
        self.assertIsNone(result["residual"])

    def test_wrong_options_are_refused(self):
        self.assertEqual(gdr("hpl", "--n", "10", "--nb", "20").returncode, 2)
        self.assertEqual(gdr("hpl", "--n", "10", "--nb", "5", "--host", "nobody").returncode, 2)


if __name__ == "__main__":
    GDR = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
