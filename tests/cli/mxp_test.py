#!/usr/bin/env python3
"""`gdr hpl --mxp`: LINPACK in short words, refined in doubles.

    mxp_test.py GDR PROJECT [TestCase...]
"""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402


class Mxp(cli_test.CliTest):
    def report(self, *arguments):
        if "--nodes" not in arguments:
            return json.loads(self.succeeds("hpl", "--mxp", *arguments, "--json", "-").out)
        of_cluster = json.loads(self.succeeds("cluster", "hpl", "--mxp", *arguments, "--json", "-").out)
        return {**of_cluster, **of_cluster["rows"][0]}

    def test_refinement_passes_hpls_check(self):
        for refinement in ("gmres", "classical"):
            result = self.report("--n", 1024, "--nb", 256, "--refinement", refinement)
            self.assertGreater(result["residual_before"], 16)  # what short words alone give
            self.assertLess(result["residual"], 16)
            self.assertLessEqual(result["refinement_steps"], 50)  # the benchmark's limit
            self.assertTrue(result["exact"])
            self.assertGreater(result["counters"]["iterations"], 0)

    def test_steps_that_are_counted_are_those_that_are_needed(self):
        computed = self.report("--n", 300, "--nb", 64)
        modelled = self.report("--n", 300, "--nb", 64, "--timing-only", "--steps", computed["refinement_steps"])
        self.assertEqual(modelled["emulated_seconds"], computed["emulated_seconds"])
        self.assertIsNone(modelled["residual"])

    def test_stages_make_up_the_time(self):
        for options in (["--timing-only"], ["--nodes", 1, "--lookahead", 0], ["--nodes", 64]):
            result = self.report("--n", 30720, "--nb", 1024, *options)
            self.assertAlmostEqual(sum(result["stages"].values()) / result["emulated_seconds"], 1, delta=1e-9)
            self.assertAlmostEqual(result["emulated_gflops"] * 1e9 * result["emulated_seconds"] / (2 / 3 * 30720**3 + 1.5 * 30720**2), 1, delta=1e-9)
            self.assertLess(result["emulated_seconds"], result["hpl_seconds"])

    def test_one_node_of_a_cluster_and_one_node_are_the_same(self):
        alone = self.report("--n", 20000, "--nb", 1024, "--timing-only")
        node = self.report("--n", 20000, "--nb", 1024, "--nodes", 1, "--lookahead", 0)
        self.assertAlmostEqual(alone["emulated_seconds"] / node["emulated_seconds"], 1, delta=1e-9)

    def test_matrices_beyond_memory_are_refused(self):
        # 12 bytes an element: single precision for the factors, doubles for the refinement.
        self.ends(2, ["n = 40000 is refused: 1 node of 18 GB holds a matrix of n = 38729 at most"],
                  "cluster", "hpl", "--mxp", "--n", 40000, "--nb", 1024, "--nodes", 1)

    def test_options_without_effect_are_refused(self):
        run = ["hpl", "--mxp", "--n", 300, "--nb", 64]
        self.ends(2, ["--kernel has no effect with --mxp"], *run, "--kernel", "dgemm_double")
        self.ends(2, ["--steps has no effect"], *run, "--steps", 3)
        self.ends(2, ["--refinement has no effect"], *run, "--timing-only", "--refinement", "classical")
        self.ends(2, ["--with-host"], *run, "--with-host")
        self.ends(2, ["--kernel has no effect with --mxp"],
                  "cluster", "hpl", "--mxp", "--nodes", 4, "--n", 4096, "--kernel", "dgemm_double")
        self.ends(2, ["--steps", "--mxp"], "cluster", "hpl", "--nodes", 4, "--n", 4096, "--steps", 3)
        self.ends(2, ["--refinement"], "hpl", "--n", 300, "--nb", 64, "--refinement", "classical")


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
