#!/usr/bin/env python3
"""libgdrblas preloaded into programs that fork, end, are interrupted, run out of memory; its report, hook and log.

    blas_process_test.py LIBRARY PROGRAM
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

LIBRARY = PROGRAM = pathlib.Path()

# Bad arguments from a C program without a handler of its own.
BAD_ARGUMENTS = """
import ctypes, os, sys
blas = ctypes.CDLL("libblas.so.3", mode=ctypes.RTLD_GLOBAL)
dgemm = (ctypes.CDLL(None) if sys.argv[1] == "preloaded" else blas).cblas_dgemm
a = (ctypes.c_double * 64)()
def call(order, m, n, k, lda):
    dgemm(order, 111, 111, m, n, k, ctypes.c_double(1), a, lda, a, 4, ctypes.c_double(1), a, 4)
    os.write(1, b"went on\\n")
for arguments in ((99, 4, 4, 4, 4), (102, -4, 4, 4, 4), (101, 4, -4, 4, 4), (102, 4, 4, 4, 1)):
    call(*arguments)
"""

NUMPY = """
import multiprocessing, sys
import numpy
def trace(seed):
    a = numpy.random.default_rng(seed).integers(-4, 5, (90, 90)).astype(float)
    return int(numpy.trace(a @ a))
if __name__ == "__main__":
    here = [trace(seed) for seed in range(6)]
    with multiprocessing.get_context("fork").Pool(3) as pool:
        there = pool.map(trace, range(6))
    print("right" if here == there else "wrong")
"""

TRANSPOSED = """
import numpy
a = numpy.random.default_rng(1).integers(-4, 5, (600, 600)).astype(float)
c = a @ a.T
b = a.copy()
assert (c == a @ b.T).all()  # whole numbers: every way of computing them is exact
a.astype("float32") @ a.astype("float32")
a.astype(complex) @ a.astype(complex)
print("right")
"""

SOLVE = """
import numpy, scipy.linalg
random = numpy.random.default_rng(1)
a, x = random.standard_normal((700, 700)), random.standard_normal((700, 3))
for solve in (numpy.linalg.solve, scipy.linalg.solve):
    y = solve(a, a @ x)
    assert numpy.abs(y - x).max() < 1e-8, numpy.abs(y - x).max()
print("right")
"""


class Process(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_with(self, command, preload=True, expected=0, folder=None, **variables):
        """Output; the reports are in self.reports."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GDR_") or key == "GDR_DATA_DIR"}
        environment.update({"GDR_BLAS_MIN_FLOPS": "0", "GDR_REPORT": f"{self.folder}/report.json", "GDR_THREADS": "2"})
        if preload:
            environment["LD_PRELOAD"] = str(LIBRARY)
        environment.update(variables)
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=300, cwd=folder)
        self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
        self.assertNotIn("libgdrblas", done.stderr)
        self.reports = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in self.folder.glob("report.json*")}
        return done.stdout

    def scene(self, name, **variables):
        return self.run_with([PROGRAM, name], **variables)

    def own_report(self):
        self.assertIn("report.json", self.reports)
        return self.reports["report.json"]

    def test_a_thousand_children_that_only_end_do_so_and_leave_the_parents_report(self):
        self.assertEqual(self.scene("child_that_only_ends"), "parent right\n0 children did not end well\n")
        self.assertEqual(list(self.reports), ["report.json"])
        self.assertEqual(self.own_report()["calls"]["dgemm"], 1)

    def test_children_multiply_on_boards_of_their_own_and_write_reports_of_their_own(self):
        self.assertEqual(self.scene("child_that_multiplies"), "parent right\nchild ended with 0\nparent afterwards right\n")
        self.assertEqual(self.own_report()["calls"]["dgemm"], 2)
        self.assertEqual(sorted(report["calls"]["dgemm"] for report in self.reports.values()), [1, 2, 2])
        self.assertTrue(all(report["on_board"] == report["calls"]["dgemm"] for report in self.reports.values()))

    def test_a_fork_beside_a_product_leaves_both_working(self):
        for boards in ("1", "2"):
            with self.subTest(boards=boards):
                output = self.scene("fork_beside_a_product", GDR_BOARDS=boards)
                self.assertEqual(output, "parent right\nother thread right\n0 children did not end well\n")

    def test_vfork_exec_and_system_work(self):
        expected = "parent right\nchild ended with 0\nsystem gave 3\nparent afterwards right\n"
        self.assertEqual(self.scene("vfork_and_exec"), expected)
        self.assertEqual(list(self.reports), ["report.json"])

    def test_a_daemon_goes_on(self):
        self.assertEqual(self.scene("daemonised"), "daemon right\n")

    def test_products_at_the_end_of_a_process_are_computed_and_reported(self):
        self.assertEqual(self.scene("at_exit"), "main right\natexit right\n")
        self.assertEqual(self.own_report()["on_board"], 2)
        self.assertEqual(self.scene("static_destructor"), "main right\nstatic destructor right\n")
        self.assertEqual(self.own_report()["on_board"], 2)

    def test_a_thread_may_outlive_main(self):
        self.assertEqual(self.scene("thread_that_outlives_main"), "main right\n")

    def test_eight_threads_share_one_board_or_three(self):
        for boards in ("1", "3"):
            with self.subTest(boards=boards):
                self.assertEqual(self.scene("threads_that_end", GDR_BOARDS=boards), "8 threads right\n")
                self.assertEqual(self.own_report()["on_board"], 48)

    def test_signals_do_not_disturb(self):
        self.assertEqual(self.scene("interrupted"), "under signals right\n")

    def test_without_memory_the_host_computes_and_boards_go_on_afterwards(self):
        self.assertEqual(self.scene("without_memory", OPENBLAS_NUM_THREADS="1"), "before right\nwithout memory right\nafterwards right\n")
        report = self.own_report()
        self.assertEqual((report["on_board"], report["on_host"]["memory"], report["on_host"]["not_a_number"]), (2, 1, 1))
        self.assertIsNone(report["failure"])

    def test_the_library_is_opened_and_closed_as_a_plug_in(self):
        self.assertEqual(self.scene("plugged_in", LD_PRELOAD="", GDR_TEST_LIBRARY=str(LIBRARY)), "plug-in right\n")
        self.assertEqual(self.own_report()["on_board"], 12)

    def test_ranks_do_not_overwrite_each_others_reports(self):
        for rank in ("0", "1"):
            self.scene("interrupted", OMPI_COMM_WORLD_RANK=rank, OMPI_COMM_WORLD_SIZE="2")
        self.assertEqual(sorted(self.reports), ["report.json.0", "report.json.1"])

    def test_a_process_that_ends_without_its_handlers_leaves_its_report(self):
        for scene, status in (("ends_without_handlers", 0), ("ends_quickly", 0), ("terminated", -15), ("killed", -9)):
            with self.subTest(scene):
                log = self.folder / "calls.jsonl"
                self.assertEqual(self.scene(scene, expected=status, GDR_BLAS_CALLS=str(log)), "main right\n")
                report = self.own_report()
                self.assertEqual((report["calls"]["dgemm"], report["on_board"]), (2, 2))
                self.assertEqual(len(log.read_text(encoding="utf-8").splitlines()), 2)
                self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["calls.jsonl", "report.json"])

    def test_workers_that_end_without_their_handlers_leave_theirs(self):
        self.need_modules("numpy")
        script = self.folder / "numpy_test.py"
        script.write_text(NUMPY, encoding="utf-8")
        self.run_with(["/usr/bin/python3", script], GDR_REPORT=f"{self.folder}/report.json%p")
        self.assertGreater(len(self.reports), 1)
        self.assertEqual(sum(report["on_board"] for report in self.reports.values()), 12)

    def test_relative_names_are_of_the_folder_in_which_the_program_was_started(self):
        for scene in ("elsewhere", "without_environment"):
            self.assertEqual(self.scene(scene, folder=self.folder, GDR_REPORT="report.json", GDR_BLAS_CALLS="calls.jsonl"), "main right\n")
            self.assertEqual(self.own_report()["on_board"], 2)
            self.assertEqual(len((self.folder / "calls.jsonl").read_text(encoding="utf-8").splitlines()), 2)

    def test_the_log_never_gets_into_a_file_of_the_program(self):
        log = self.folder / "calls.jsonl"
        output = self.scene("closed_descriptors", folder=self.folder, GDR_BLAS_CALLS=str(log))
        self.assertEqual(output, "0 bytes in the program's own file\nmain right\n")
        self.assertEqual(len(log.read_text(encoding="utf-8").splitlines()), 4)

    def test_files_that_cannot_be_written_are_told_at_once_and_boards_work(self):
        for variable in ("GDR_REPORT", "GDR_BLAS_CALLS"):
            environment = os.environ | {"LD_PRELOAD": str(LIBRARY), "GDR_BLAS_MIN_FLOPS": "0", "GDR_THREADS": "2",
                                        "GDR_REPORT": f"{self.folder}/report.json", variable: f"{self.folder}/nowhere/file"}
            done = subprocess.run([PROGRAM, "killed"], capture_output=True, text=True, env=environment, check=False, timeout=300)
            self.assertEqual(done.stdout, "main right\n")
            self.assertEqual(done.stderr.count(f"libgdrblas: {variable}: "), 1, done.stderr)
            self.assertIn("nowhere/file", done.stderr)
        self.assertEqual(json.loads((self.folder / "report.json").read_text(encoding="utf-8"))["on_board"], 2)

    def test_one_file_for_report_and_calls_is_told_once_and_has_the_report(self):
        (self.folder / "link").symlink_to("report.json")
        for name in ("report.json", "./report.json", "link"):
            environment = os.environ | {"LD_PRELOAD": str(LIBRARY), "GDR_BLAS_MIN_FLOPS": "0", "GDR_THREADS": "2",
                                        "GDR_REPORT": f"{self.folder}/report.json", "GDR_BLAS_CALLS": f"{self.folder}/{name}"}
            done = subprocess.run([PROGRAM, "killed"], capture_output=True, text=True, env=environment, check=False, timeout=300)
            self.assertEqual(done.stdout, "main right\n")
            self.assertEqual(done.stderr, f"libgdrblas: {self.folder}/{name}: named for two outputs, of which one would replace "
                                          "the other: GDR_REPORT and GDR_BLAS_CALLS; no calls are written\n")
            self.assertEqual(json.loads((self.folder / "report.json").read_text(encoding="utf-8"))["on_board"], 2)

    def test_ranks_of_all_starters_are_kept_apart(self):
        starters = (("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"), ("PMIX_RANK", None),
                    ("PALS_RANKID", None), ("SLURM_PROCID", "SLURM_NTASKS"))
        for number, (rank, size) in enumerate(starters):
            for of in ("0", "1"):
                variables = {rank: of, "GDR_REPORT": f"{self.folder}/report.json-{number}"} | ({size: "2"} if size else {})
                self.scene("interrupted", **variables)
        self.assertEqual(sorted(self.reports), sorted(f"report.json-{number}.{rank}" for number in range(len(starters)) for rank in "01"))

    def test_openmps_number_of_threads_is_that_of_the_emulation(self):
        def threads(**variables):
            return int(self.scene("count_threads", OPENBLAS_NUM_THREADS="1", **variables))

        one, three = threads(GDR_THREADS="1"), threads(GDR_THREADS="3")
        self.assertLess(one, three)
        self.assertEqual(threads(GDR_THREADS="", OMP_NUM_THREADS="1"), one)
        self.assertEqual(threads(GDR_THREADS="", OMP_NUM_THREADS="3,2"), three)
        self.assertEqual(threads(GDR_THREADS="1", OMP_NUM_THREADS="3"), one)

    def test_as_the_systems_blas_it_needs_no_preload(self):
        alternative = LIBRARY.parent / "gdr-blas"
        if not (alternative / "libblas.so.3").exists():
            self.skipTest("no OpenBLAS was there when the library was built")
        self.assertEqual(self.run_with([PROGRAM, "interrupted"], preload=False, LD_LIBRARY_PATH=str(alternative)), "under signals right\n")
        self.assertEqual(self.own_report()["on_board"], 20)
        self.need_modules("numpy", "scipy")
        output = self.run_with(["/usr/bin/python3", "-c", TRANSPOSED + SOLVE], preload=False, LD_LIBRARY_PATH=str(alternative))
        self.assertEqual(output, "right\nright\n")
        self.assertEqual(self.own_report()["calls"]["dsyrk"], 1)
        self.assertGreater(self.own_report()["on_board"], 1)

    def test_bad_arguments_from_c_end_as_the_host_ends_them(self):
        without = self.run_with([sys.executable, "-c", BAD_ARGUMENTS, "alone"], preload=False)
        preloaded = self.run_with([sys.executable, "-c", BAD_ARGUMENTS, "preloaded"])
        self.assertEqual(preloaded, without)

    def test_the_log_has_a_line_for_each_call_with_work(self):
        log = self.folder / "calls.jsonl"
        self.scene("threads_that_end", GDR_BLAS_CALLS=str(log))
        calls = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        self.assertEqual(len(calls), 48)
        self.assertEqual({(call["routine"], call["m"], call["n"], call["k"]) for call in calls},
                         {("dgemm", 40, 40, 300), ("dgemm", 24, 24, 100)})
        self.assertTrue(all(call["boards"] == 1 and call["host_seconds"] == 0 for call in calls))
        told = sum(call["emulated_seconds"] for call in calls)
        self.assertAlmostEqual(told, self.own_report()["seconds"]["emulated"])

    def test_processes_of_multiprocessing_multiply(self):
        self.need_modules("numpy")
        script = self.folder / "numpy_test.py"
        script.write_text(NUMPY, encoding="utf-8")
        self.assertEqual(self.run_with(["/usr/bin/python3", script]), "right\n")
        self.assertEqual(self.own_report()["on_board"], 6)

    def test_a_matrix_times_its_own_transposed_is_the_boards_and_other_types_are_counted(self):
        self.need_modules("numpy")
        output = self.run_with(["/usr/bin/python3", "-c", TRANSPOSED], GDR_BLAS_MIN_FLOPS=str(2 * 512 * 512 * 256))
        self.assertEqual(output, "right\n")
        report = self.own_report()
        self.assertEqual([report["calls"][routine] for routine in ("dsyrk", "dgemm", "sgemm")], [1, 1, 1])
        self.assertEqual((report["on_board"], sum(report["on_host"].values())), (3, 0))
        self.assertEqual(report["unserved"], {"zgemm": {"calls": 1, "flops": 8 * 600**3}})
        self.assertEqual(report["flops"]["unserved"], 8 * 600**3)

    def test_solvers_of_numpy_and_scipy_reach_the_board_with_the_reference_lapack(self):
        self.need_modules("numpy", "scipy")
        lapack = next(pathlib.Path("/usr/lib").glob("*/lapack/liblapack.so.3"), None)
        if lapack is None:
            self.skipTest("no reference LAPACK")
        self.assertEqual(self.run_with(["/usr/bin/python3", "-c", SOLVE], LD_PRELOAD=f"{LIBRARY} {lapack}"), "right\n")
        self.assertGreater(self.own_report()["calls"]["dtrsm"], 10)
        self.assertGreater(self.own_report()["on_board"], 10)

    def need_modules(self, *names):
        """The system's Python has Debian's NumPy, which is linked with the BLAS of Debian's alternatives."""
        for name in names:
            found = shutil.which("/usr/bin/python3") and subprocess.run(
                ["/usr/bin/python3", "-c", f"import {name}"], capture_output=True, check=False
            ).returncode == 0
            if not found:
                self.skipTest(f"{name} is not installed")


if __name__ == "__main__":
    LIBRARY, PROGRAM = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])
