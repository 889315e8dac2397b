#!/usr/bin/env python3
"""libgdrblas over a program of Debian's libblas64, whose unsuffixed names take 64-bit integers.

    wide_integers_test.py LIBRARY PROJECT COMPILER

Skipped where there is no libblas64.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
LIBRARY, PROJECT, COMPILER = sys.argv[1:4]

# Whole numbers, so that every computer gives the same results. The handler of errors belongs to the program.
PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
typedef const int64_t* I;
typedef const double* D;
extern void dgemm_(const char*, const char*, I, I, I, D, D, I, D, I, D, double*, I);
extern void dsyrk_(const char*, const char*, I, I, D, D, I, D, double*, I);
extern void dtrsm_(const char*, const char*, const char*, const char*, I, I, D, D, I, double*, I);
void xerbla_(const char* name, const int64_t* info, size_t length) { printf("%.5s refuses argument %ld\n", name, (long)*info); }
int main(int count, char** arguments) {
  const int64_t n = atol(arguments[1]), small = 1;
  const double one = 1, zero = 0;
  double* a = malloc(8 * n * n), *b = malloc(8 * n * n), *c = calloc(n * n, 8), *s = calloc(n * n, 8), *x = malloc(8 * n);
  for (int64_t i = 0; i < n * n; ++i) a[i] = i % 7 - 3, b[i] = i % 5 - 2;
  dgemm_("N", "T", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
  dsyrk_("L", "N", &n, &n, &one, a, &n, &zero, s, &n);
  long wrong = 0;
  for (int64_t j = 0; j < n; ++j) for (int64_t i = 0; i < n; ++i) {
    double product = 0, square = 0;
    for (int64_t l = 0; l < n; ++l) product += a[i + l * n] * b[j + l * n], square += a[i + l * n] * a[j + l * n];
    wrong += c[i + j * n] != product || (i >= j && s[i + j * n] != square);
  }
  for (int64_t j = 0; j < n; ++j) for (int64_t i = 0; i < n; ++i) a[i + j * n] = i == j ? 2 : i > j;
  for (int64_t i = 0, sum = 0; i < n; ++i) { const long value = (7 * i) % 5 - 2; x[i] = 2 * value + sum; sum += value; }
  dtrsm_("L", "L", "N", "N", &n, &small, &one, a, &n, x, &n);
  for (int64_t i = 0; i < n; ++i) wrong += x[i] != (7 * i) % 5 - 2;
  printf("%ld wrong of n = %ld\n", wrong, (long)n);
  dgemm_("N", "N", &n, &n, &n, &one, a, &small, b, &n, &zero, c, &n);
  return 0;
}
"""


def compiled(folder):
    """The program, or None where libblas64 is missing."""
    source, program = pathlib.Path(folder, "wide.c"), pathlib.Path(folder, "wide")
    source.write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run([COMPILER, source, "-o", program, "-lblas64"], capture_output=True, text=True)
    return program if done.returncode == 0 else None


class WideIntegers(unittest.TestCase):
    def run_with(self, n, preload):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GDR_")}
        report = pathlib.Path(FOLDER, "report.json")
        report.unlink(missing_ok=True)
        environment |= {"GDR_DATA_DIR": PROJECT, "GDR_REPORT": str(report), "GDR_BLAS_MIN_FLOPS": "1000"}
        if preload:
            environment["LD_PRELOAD"] = LIBRARY
        done = subprocess.run([program, str(n)], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, json.loads(report.read_text()) if report.exists() else None

    def test_products_and_errors_are_those_without_the_board(self):
        for n in (1, 20, 64, 130):
            with self.subTest(n=n):
                plain, _ = self.run_with(n, preload=False)
                shown, report = self.run_with(n, preload=True)
                self.assertEqual(shown, plain)
                self.assertIn(f"0 wrong of n = {n}", shown)
                calls = report["calls"]
                products = 2 if n == 1 else 1  # the second one is wrong, but where n is 1
                self.assertEqual((calls["dgemm"], calls["dsyrk"], calls["dtrsm"]), (products, 1, 1))
                if n >= 64:
                    self.assertGreaterEqual(report["on_board"], 2)

    def test_a_leading_dimension_that_is_too_small_is_refused_as_argument_8(self):
        self.assertIn("DGEMM refuses argument 8", self.run_with(20, preload=True)[0])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as FOLDER:
        program = compiled(FOLDER)
        if program is None:
            print("skipped: libblas64 is not installed (scripts/setup tests)")
            sys.exit(SKIPPED)
        unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
