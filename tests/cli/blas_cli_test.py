#!/usr/bin/env python3
"""gdr dgemm and gdr hpl.

    blas_cli_test.py GDR PROJECT CLASS...
"""

import contextlib
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

GDR = ""
PROJECT = pathlib.Path()


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
                self.assertEqual(result["error_bound"], product + k * 2**-60)
                self.assertTrue(result["exact"])

    def test_a_report_has_every_field_of_a_board(self):
        result = report("dgemm", "-m", 20, "-n", 6, "-k", 90)
        for field in ("tool", "version", "machine", "engine", "host_seconds", "emulated_seconds", "emulated_gflops", "clocks"):
            self.assertIsNotNone(result[field], field)
        counters = result["counters"]
        # Two columns a turn; one chip holds 90 columns of A.
        self.assertEqual((counters["runs"], counters["iterations"]), (1, 3))
        self.assertEqual(counters["fp_events"], {"invalid": 0, "overflow": 0, "underflow": 0})
        self.assertGreater(counters["unit_lines"]["multiplier"], 0)
        self.assertGreater(counters["bytes"]["idp"], 20 * 90 * 9)
        self.assertAlmostEqual(sum(result["stages"].values()), result["emulated_seconds"])
        self.assertAlmostEqual(result["useful_flops"] / result["emulated_seconds"] / 1e9, result["emulated_gflops"])

    def test_engines_multiply_to_the_same_counters(self):
        on_simd, on_reference = (
            report("dgemm", "-m", 20, "-n", 4, "-k", 40, "--engine", engine) for engine in ("simd", "reference")
        )
        for result in (on_simd, on_reference):
            del result["counters"]["fp_lanes"]  # a matter of the engine
        self.assertEqual(on_simd["counters"], on_reference["counters"])
        self.assertEqual(on_simd["max_rel_error"], on_reference["max_rel_error"])

    def test_timing_computes_no_numbers(self):
        result = report("dgemm", "-m", 32768, "-n", 32768, "-k", 2048, "--engine", "timing")
        self.assertIsNone(result["max_rel_error"])
        self.assertFalse(result["exact"])
        self.assertEqual(result["useful_flops"], 2 * 32768**2 * 2048)
        self.assertEqual(result["useful_flops"], result["executed_flops"])

    def test_overlap_hides_more_with_more_buffer(self):
        def seconds(*options):
            return report("dgemm", "-m", 4096, "-n", 4096, "-k", 2048, "--engine", "timing", *options)["emulated_seconds"]

        # A buffer that does not bring the whole block saves nothing.
        self.assertEqual(seconds("--overlap", "off"), seconds())
        self.assertGreater(seconds(), seconds("--overlap-buffer", 8192))

    def test_the_host_writes_as_in_2009_or_as_planned(self):
        def stages(*options):
            return report("dgemm", "-m", 4096, "-n", 4096, "-k", 2048, "--engine", "timing", *options)["stages"]

        self.assertAlmostEqual(stages()["b_send"], 4096 * 2048 * 8 / 999.1e6)
        self.assertAlmostEqual(stages("--transfer", "ideal")["b_send"], 4096 * 2048 * 8 / 2100e6)

    def test_a_fixed_unit_takes_whole_turns_for_small_depths(self):
        def stages(*options):
            return report("dgemm", "-m", 1024, "-n", 1024, "--engine", "timing", *options)["stages"]

        deep = stages("-k", 2048)
        fixed = stages("-k", 512, "--small-depths", "fixed-unit")
        self.assertEqual(fixed["compute"], deep["compute"])
        self.assertAlmostEqual(fixed["b_send"] * 4, deep["b_send"])
        self.assertLess(stages("-k", 512)["compute"], fixed["compute"])
        self.assertAlmostEqual(stages("-k", 512)["b_send"], deep["b_send"])  # to each chip anew

    def test_a_wide_product_is_turned_round_computed_and_checked(self):
        wide, tall = (report("dgemm", "-m", m, "-n", n, "-k", 70) for m, n in ((6, 300), (300, 6)))
        self.assertEqual((wide["transposed"], tall["transposed"]), (True, False))
        self.assertEqual((wide["emulated_seconds"], wide["stages"]), (tall["emulated_seconds"], tall["stages"]))
        self.assertLessEqual(wide["max_rel_error"], wide["error_bound"])
        self.assertGreater(wide["max_rel_error"], 0)

    def test_small_depths_execute_less(self):
        deep = report("dgemm", "-m", 1024, "-n", 64, "-k", 2048, "--engine", "timing")
        shallow = report("dgemm", "-m", 1024, "-n", 64, "-k", 512, "--engine", "timing")
        self.assertEqual(shallow["executed_flops"] * 4, deep["executed_flops"])

    def test_wrong_options_are_refused(self):
        for options in (["-m", "0", "-n", "1", "-k", "1"], ["-m", "1", "-n", "1"], ["-m", "1", "-n", "1", "-k", "1", "--overlap", "x"]):
            self.assertEqual(gdr("dgemm", *options).returncode, 2)


    def test_a_node_computes_no_more_than_its_memory_holds(self):
        for timing in (["--timing-only"], []):
            for options, refusal in (
                (["dgemm", "-m", 1 << 20, "-n", 1 << 20, "-k", 1 << 20],
                 "-m, -n, -k: m = 1048576, n = 1048576, k = 1048576 are refused: A, B and C take 26388.3 GB, and a node "
                 "has 12 GB, which hold three square matrices of order 22360 at most"),
                (["hpl", "--n", 400000],
                 "--n: n = 400000 is refused: 1 node of 12 GB holds a matrix of n = 38729 at most"),
                (["hpl", "--mxp", "--n", 31623],
                 "--n: n = 31623 is refused: 1 node of 12 GB holds a matrix of n = 31622 at most"),
            ):
                done = gdr(*options, *timing)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr, f"gdr: {refusal}\n")
        # A node of the cluster of 2010 has more than the host of 2009.
        nodes = gdr("hpl", "--n", 400000, "--nodes", 1).stderr
        self.assertIn("n = 400000 is refused: 1 node of 18 GB holds a matrix of n = 47434 at most", nodes)
        # Another host may hold more.
        with self.large_host() as host:
            for options in (["dgemm", "-m", 65536, "-n", 65536, "-k", 2048], ["hpl", "--n", 400000]):
                self.assertGreater(report(*options, "--host", host, "--timing-only")["emulated_seconds"], 0)

    @contextlib.contextmanager
    def large_host(self):
        """A description of a host with a memory of 10^9 GB."""
        with tempfile.TemporaryDirectory() as folder:
            host = pathlib.Path(folder) / "large.toml"
            text = (PROJECT / "machines/core-i7-920.toml").read_text()
            host.write_text(re.sub(r"(?m)^(memory +=.*value = )12,", r"\g<1>1e9,", text).replace('"core-i7-920"', '"large"'))
            yield host

    def test_matrices_beyond_the_hosts_memory_are_refused_before_any_is_taken(self):
        with self.large_host() as host:
            self.refused_for_memory(host)

    def refused_for_memory(self, host):
        for options in (["dgemm", "-m", 1048576, "-n", 1048576, "-k", 1048576], ["hpl", "--n", 16777216]):
            done = gdr(*options, "--host", host)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"would take \d{5,} GB of memory, and this host has \d+$")


class Hpl(unittest.TestCase):
    def test_a_factorisation_passes_hpls_check(self):
        result = report("hpl", "--n", 200, "--nb", 64)
        self.assertGreater(result["residual"], 0)
        self.assertLess(result["residual"], 16)
        self.assertIsNone(result["residual_host"])
        self.assertGreater(result["counters"]["iterations"], 0)

    def test_the_hosts_products_give_another_residual_of_the_same_matrix(self):
        with_host = report("hpl", "--n", 200, "--nb", 64, "--with-host")
        self.assertEqual(with_host["residual"], report("hpl", "--n", 200, "--nb", 64)["residual"])
        self.assertNotEqual(with_host["residual"], with_host["residual_host"])
        self.assertGreater(with_host["residual_host"], 0)
        # No products at all: a panel as wide as the matrix.
        alone = report("hpl", "--n", 60, "--nb", 60, "--with-host")
        self.assertEqual(alone["residual"], alone["residual_host"])

    def test_stages_make_up_the_time(self):
        result = report("hpl", "--n", 34816, "--nb", 2048, "--engine", "timing")
        self.assertAlmostEqual(sum(result["stages"].values()), result["emulated_seconds"])
        self.assertIsNone(result["residual"])
        # The board's clocks pass during panels and updates.
        seconds = result["clocks"] / 400e6
        self.assertLess(seconds, result["stages"]["panel"] + result["stages"]["update"])
        self.assertGreater(seconds, 2 / 3 * 34816**3 / 819.2e9)  # peak of four chips at 400 MHz

    def test_the_board_does_nothing_for_the_stages_of_the_host(self):
        def stages(*options):
            return report("hpl", "--n", 34816, "--nb", 2048, "--engine", "timing", *options)["stages"]

        fixed, ideal, own_rows = stages(), stages("--transfer", "ideal"), stages("--small-depths", "own-rows")
        for other in (ideal, own_rows):
            self.assertEqual((fixed["swap"], fixed["backsub"]), (other["swap"], other["backsub"]))
        self.assertLess(ideal["update"], fixed["update"])
        self.assertLess(fixed["update"], own_rows["update"])  # B goes over the link up to four times

    def test_narrow_panels_are_charged_to_who_computes_them(self):
        def run(*options):
            return report("hpl", "--n", 20000, "--nb", 256, "--engine", "timing", *options)

        usual, recorded = run(), run("--products", "record")
        self.assertEqual((usual["products"], usual["small_depths"]), ("faster", "own-rows"))
        self.assertEqual((recorded["products"], recorded["small_depths"]), ("record", "fixed-unit"))
        self.assertEqual((recorded["board_busy"], recorded["clocks"]), (0, 0))
        self.assertGreater(usual["board_busy"], 0.5)
        self.assertLess(usual["emulated_seconds"], recorded["emulated_seconds"])
        published = report("hpl", "--n", 34816, "--engine", "timing")
        self.assertEqual((published["nb"], published["products"]), (2048, "record"))
        self.assertIn("as in the published run", gdr("hpl", "--n", 20000, "--nb", 256, "--engine", "timing", "--products", "record").stdout)

    def test_one_node_of_a_cluster_and_one_node_are_the_same(self):
        def of_cluster(*arguments):
            told = report("cluster", "hpl", "--n", 20000, "--nodes", 1, "--lookahead", 0, *arguments)
            return {**told, **told["rows"][0]}

        for nb in (256, 2048):
            alone = report("hpl", "--n", 20000, "--nb", nb, "--engine", "timing")
            node = of_cluster("--nb", nb)
            self.assertAlmostEqual(alone["emulated_seconds"] / node["emulated_seconds"], 1, delta=1e-9)
            self.assertEqual(node["products"], alone["products"])
        recorded = of_cluster("--nb", 256, "--products", "record")
        self.assertEqual(recorded["bound_by"], "host")
        self.assertEqual(recorded["parts"]["board"], 0)

    def test_a_small_matrix_is_one_panel_unless_nb_is_given(self):
        self.assertEqual(report("hpl", "--n", 256)["nb"], 256)
        self.assertEqual(report("hpl", "--n", 64, "--mxp")["nb"], 64)
        self.assertEqual(report("hpl", "--n", 4096, "--timing-only")["nb"], 2048)

    def test_wrong_options_are_refused(self):
        self.assertEqual(gdr("hpl", "--n", "10", "--nb", "20").returncode, 2)
        self.assertEqual(gdr("hpl", "--n", "10", "--nb", "5", "--host", "nobody").returncode, 2)


class KeptResiduals(unittest.TestCase):
    """docs/hpl_residuals.csv is what the program gives: its largest matrices."""

    def test_largest_matrices_give_the_kept_residuals(self):
        text = (PROJECT / "docs" / "hpl_residuals.csv").read_text(encoding="utf-8")
        rows = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
        largest = max(int(row["n"]) for row in rows)
        for row in (row for row in rows if int(row["n"]) == largest):
            result = report("hpl", "--n", row["n"], "--nb", row["nb"], "--seed", row["seed"], "--with-host")
            # Ax - b is in long double, whose width is the host's.
            self.assertAlmostEqual(result["residual"] / float(row["board"]), 1, delta=1e-9)
            self.assertAlmostEqual(result["residual_host"] / float(row["host"]), 1, delta=1e-9)


if __name__ == "__main__":
    GDR, PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
