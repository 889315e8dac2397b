#!/usr/bin/env python3
"""libgdrblas in a process of its own: what it does when the board fails, its report at exit, and the times it tells.

    blas_library_test.py LIBRARY PROJECT GDR [CLASS...]
"""

import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import unittest

LIBRARY = PROJECT = GDR = pathlib.Path()

# A caller that knows nothing of boards: n x n x k, whole numbers, so that every computer gives the same C. Prints
# whether C is right.
CALLER = """
import ctypes, sys
library, calls, n, k = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
dgemm = ctypes.CDLL(library).dgemm_
def matrix(size, step): return (ctypes.c_double * size)(*[(step * i) % 7 - 3 for i in range(size)])
a, b = matrix(n * k, 3), matrix(k * n, 5)
right = True
for call in range(calls):
    c = matrix(n * n, 2)
    integer = lambda value: ctypes.byref(ctypes.c_int(value))
    number = lambda value: ctypes.byref(ctypes.c_double(value))
    dgemm(b"N", b"N", integer(n), integer(n), integer(k), number(1), a, integer(max(1, n)), b, integer(max(1, k)), number(-1), c, integer(max(1, n)))
    for j in range(n):
        for i in range(n):
            wanted = sum(a[i + l * n] * b[l + j * k] for l in range(k)) - ((2 * (i + j * n)) % 7 - 3)
            right = right and c[i + j * n] == wanted
print("right" if right else "wrong")
"""


# A lower triangular system of order n, whole numbers too.
SOLVER = """
import ctypes, sys
library, n = sys.argv[1], int(sys.argv[2])
a = (ctypes.c_double * (n * n))(*[2.0 if i // n == i % n else 1.0 * (i // n < i % n) for i in range(n * n)])
x = [(7 * i) % 5 - 2 for i in range(n)]
b = (ctypes.c_double * n)(*[2.0 * x[i] + sum(x[:i]) for i in range(n)])
integer, number = lambda value: ctypes.byref(ctypes.c_int(value)), ctypes.byref(ctypes.c_double(1))
ctypes.CDLL(library).dtrsm_(b"L", b"L", b"N", b"N", integer(n), integer(1), number, a, integer(n), b, integer(n))
print("right" if list(b) == x else "wrong")
"""


class Library(unittest.TestCase):
    def call(self, calls=1, n=6, k=9, **variables):
        """Report (None if there is none), standard error, name of the report's file."""
        return self.caller(CALLER, calls, n, k, **variables)

    def caller(self, program, *arguments, **variables):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GDR_") or key == "GDR_DATA_DIR"}
        with tempfile.TemporaryDirectory() as folder:
            environment.update({"GDR_BLAS_MIN_FLOPS": "0", "GDR_REPORT": f"{folder}/%p-%r.json"} | variables)
            command = [sys.executable, "-c", program, str(LIBRARY), *map(str, arguments)]
            done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, "right\n"), done.stderr)
            reports = list(pathlib.Path(folder).glob("*"))
            self.assertLessEqual(len(reports), 1)
            if not reports:
                return None, done.stderr, None
            return json.loads(reports[0].read_text(encoding="utf-8")), done.stderr, reports[0].name

    def failed(self, report, errors, calls, what):
        self.assertEqual(len(re.findall(r"^libgdrblas: .*host's BLAS computes instead$", errors, re.MULTILINE)), 1, errors)
        self.assertIn(what, errors)
        self.assertIn(what, report["failure"])
        self.assertEqual((report["on_board"], report["on_host"]["board_error"]), (0, calls))

    def test_a_machine_that_is_not_there_is_told_once_and_the_host_computes(self):
        report, errors, _ = self.call(calls=3, GDR_MACHINE="nowhere")
        self.failed(report, errors, 3, "nowhere")

    def test_a_setting_that_is_none_is_told_once_and_the_host_computes(self):
        for name, value in (("GDR_BLAS_PRECISION", "single"), ("GDR_BLAS_MIN_FLOPS", "few"), ("GDR_THREADS", "-1")):
            with self.subTest(name):
                report, errors, _ = self.call(calls=2, **{name: value})
                self.assertEqual(errors.count("the host's BLAS computes instead"), 1, errors)
                self.assertIn(value, report["failure"])
                self.assertEqual(report["on_board"], 0)

    def test_a_report_that_cannot_be_written_is_told_once_and_the_board_works(self):
        report, errors, _ = self.call(calls=2, GDR_REPORT="/nowhere/report.json")
        self.assertIsNone(report)
        self.assertEqual(errors, "libgdrblas: GDR_REPORT: /nowhere/report.json: cannot be written: No such file or directory\n")

    def test_what_the_library_does_beside_products_raises_no_exception_of_the_callers_arithmetic(self):
        traps = """
import ctypes
ctypes.CDLL("libm.so.6").feenableexcept(1 | 4)  # FE_INVALID, FE_DIVBYZERO on x86
"""
        if platform.machine() != "x86_64":
            self.skipTest("the numbers of floating-point exceptions are those of x86")
        for n, k, variables in ((6, 9, {"GDR_BLAS_MIN_FLOPS": "nan"}), (6, 0, {})):
            with self.subTest(k=k, **variables):
                report, _, _ = self.caller(traps + CALLER, 1, n, k, **variables)
                self.assertEqual(report["on_board"], 0)

    def test_a_product_too_deep_for_external_memory_is_the_hosts(self):
        text = (PROJECT / "machines" / "model1800.toml").read_text(encoding="utf-8")
        small, count = re.subn(r"(em_words\s*=\s*{\s*value = )\d+", r"\g<1>2048", text)
        self.assertEqual(count, 1)
        with tempfile.TemporaryDirectory() as folder:
            machine = pathlib.Path(folder) / "small.toml"
            machine.write_text(small, encoding="utf-8")
            report, errors, _ = self.call(n=2, k=5000, GDR_MACHINE=str(machine))
        self.failed(report, errors, 1, "k = 5000")

    def test_the_report_has_what_was_done(self):
        report, errors, name = self.call(calls=2, n=6, k=9)
        self.assertEqual(errors, "")
        self.assertRegex(name, r"^\d+-0\.json$")
        self.assertEqual({routine: count for routine, count in report["calls"].items() if count > 0}, {"dgemm": 2})
        self.assertEqual((report["on_board"], sum(report["on_host"].values())), (2, 0))
        self.assertEqual(report["shapes"], [{"m": 6, "n": 6, "k": 9, "calls": 2}])
        self.assertEqual(report["flops"]["board_useful"], 2 * 2 * 6 * 6 * 9)
        self.assertGreater(report["flops"]["board_executed"], report["flops"]["board_useful"])
        self.assertIsNone(report["failure"])
        # Two calls take twice the time of one, which is that of the board and not of this host.
        once, _, _ = self.call(n=6, k=9)
        self.assertGreater(once["seconds"]["emulated"], 0)
        self.assertAlmostEqual(report["seconds"]["emulated"], 2 * once["seconds"]["emulated"])

    def test_a_triangular_system_is_one_call_and_what_the_host_does_of_it_is_counted(self):
        # Halves of orders above 64 are products on the board, the triangles below are the host's.
        report, errors, _ = self.caller(SOLVER, 200, GDR_BLAS_MIN_FLOPS="1")
        self.assertEqual(errors, "")
        self.assertEqual({routine: count for routine, count in report["calls"].items() if count > 0}, {"dtrsm": 1})
        self.assertEqual((report["on_board"], sum(report["on_host"].values())), (3, 0))
        self.assertEqual(report["flops"]["board_useful"], 2 * 100 * 100 + 2 * 2 * 50 * 50)
        self.assertEqual(report["flops"]["host"], 4 * 50 * 50)
        self.assertGreater(report["seconds"]["host_blas"], 0)

    def test_calls_without_work_are_counted_as_such(self):
        report, _, _ = self.call(calls=2, n=0)
        self.assertEqual((report["calls"]["dgemm"], report["empty_calls"], report["on_board"]), (2, 2, 0))
        self.assertEqual(sum(report["on_host"].values()), 0)

    def test_the_rank_of_a_process_is_in_the_name_of_its_report(self):
        _, _, name = self.call(OMPI_COMM_WORLD_RANK="3")
        self.assertRegex(name, r"^\d+-3\.json$")

    def test_a_process_without_calls_leaves_no_report(self):
        report, errors, _ = self.call(calls=0)
        self.assertEqual((report, errors), (None, ""))


# C = A B, m x n x k, all of it ones.
PRODUCT = """
import ctypes, sys
library, m, n, k = sys.argv[1], *map(int, sys.argv[2:5])
a, b, c = ((ctypes.c_double * size)(*[1.0] * size) for size in (m * k, k * n, m * n))
integer, one = lambda value: ctypes.byref(ctypes.c_int(value)), ctypes.byref(ctypes.c_double(1))
ctypes.CDLL(library).dgemm_(b"N", b"N", integer(m), integer(n), integer(k), one, a, integer(m), b, integer(k), one, c, integer(m))
print("right" if c[0] == c[m * n - 1] == k + 1 else "wrong")
"""


class EmulatedTime(unittest.TestCase):
    """A product has one emulated time, whoever is asked."""

    def compare(self, m, n, k, boards=1):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "calls"
            environment = {key: value for key, value in os.environ.items() if not key.startswith("GDR_") or key == "GDR_DATA_DIR"}
            environment |= {"GDR_BLAS_MIN_FLOPS": "0", "GDR_BLAS_CALLS": str(log), "GDR_REPORT": f"{folder}/report", "GDR_BOARDS": str(boards)}
            done = subprocess.run([sys.executable, "-c", PRODUCT, str(LIBRARY), str(m), str(n), str(k)],
                                  capture_output=True, text=True, env=environment, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, "right\n"), done.stderr)
            call = json.loads(log.read_text(encoding="utf-8"))
            report = json.loads(pathlib.Path(f"{folder}/report").read_text(encoding="utf-8"))
        done = subprocess.run([GDR, "dgemm", "-m", str(m), "-n", str(n), "-k", str(k), "--boards", str(boards), "--engine", "timing",
                               "--json", "-"],
                              capture_output=True, text=True, check=True)
        told = json.loads(done.stdout)
        self.assertAlmostEqual(call["emulated_seconds"] / told["emulated_seconds"], 1, delta=1e-12)
        self.assertEqual(report["seconds"]["emulated"], call["emulated_seconds"])
        self.assertEqual((report["on_board"], report["shapes"]), (1, [{"m": m, "n": n, "k": k, "calls": 1}]))
        return told

    def test_library_and_command_give_one_number(self):
        for m, n, k in ((300, 40, 70), (5, 5, 1100), (513, 3, 600)):
            with self.subTest(m=m, n=n, k=k):
                self.assertFalse(self.compare(m, n, k)["transposed"])

    def test_both_turn_wide_products_round(self):
        for m, n, k in ((40, 1200, 70), (1, 900, 300)):
            with self.subTest(m=m, n=n, k=k):
                self.assertTrue(self.compare(m, n, k)["transposed"])


class LargeEmulatedTime(EmulatedTime):
    def test_a_product_that_this_host_computes_in_parts_takes_the_time_of_the_whole(self):
        for m, n in ((140000, 64), (64, 140000)):
            with self.subTest(m=m, n=n):
                self.compare(m, n, 1)


if __name__ == "__main__":
    LIBRARY, PROJECT, GDR = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    unittest.main(argv=sys.argv[:1] + (sys.argv[4:] or ["Library", "EmulatedTime"]))
