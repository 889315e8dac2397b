#!/usr/bin/env python3
"""`gdr hpl --dat`: HPL's table from its own input file.

    hpl_dat_test.py GDR PROJECT [TestCase...]
"""

import itertools
import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402

# A line of HPL's table as scripts read it: variant, N, NB, P, Q, seconds, Gflops.
LINE = re.compile(r"^W([RC])(\d+)([0-5])([LCR])(\d+)([LCR])(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\S+) +(\S+)$", re.MULTILINE)
RESIDUAL = re.compile(r"^\|\|Ax-b\|\|_oo/\(eps\*\(\|\|A\|\|_oo\*\|\|x\|\|_oo\+\|\|b\|\|_oo\)\*N\)= +(\S+) \.+ (\w+)$", re.MULTILINE)


def dat(ns, nbs, grids, *, pfacts=(2,), nbmins=(4,), ndivs=(2,), rfacts=(1,), bcasts=(1,), depths=(0,), swap=2, swap_threshold=64,
        l1=0, u=0, equilibration=1, mapping=0, threshold=16.0, tail=""):
    """An HPL.dat; `grids` are pairs of P and Q."""
    def values(numbers):
        numbers = list(numbers)
        return f"{len(numbers)} how many\n{' '.join(map(str, numbers))} values\n"

    return ("HPLinpack benchmark input file\n\nHPL.out\n8\n" + values(ns) + values(nbs) + f"{mapping}\n{len(grids)}\n"
            + " ".join(str(grid[0]) for grid in grids) + "\n" + " ".join(str(grid[1]) for grid in grids) + f"\n{threshold}\n"
            + values(pfacts) + values(nbmins) + values(ndivs) + values(rfacts) + values(bcasts) + values(depths)
            + f"{swap}\n{swap_threshold}\n{l1}\n{u}\n{equilibration}\n8\n" + tail)


HPCC = "##### This line (no. 32) is ignored #####\n0 Number of additional problem sizes for PTRANS\n1200 10000 30000\n"
ALL = (0, 1, 2)
# What programs of clusters ask HPL for: every variant of panels, broadcasts, grids and swaps, and sizes that fit badly.
FILES = {
    "panels": dat([300], [64], [(1, 1)], pfacts=ALL, nbmins=(2, 4), rfacts=ALL, swap=1),
    "small N": dat([1, 2, 3, 7, 63, 64, 65], [64], [(1, 1)], depths=(1,)),
    "N below NB": dat([130], [1, 3, 7, 500], [(1, 1)], depths=(1,)),
    "1x2": dat([260], [48], [(1, 2)], bcasts=range(6), depths=(0, 1)),
    "2x1": dat([260], [48], [(2, 1)], bcasts=range(6), depths=(0, 1)),
    "2x2 exchange": dat([260, 261], [48], [(2, 2)], pfacts=(1,), ndivs=(3,), rfacts=(2,), bcasts=(0, 3), depths=(0, 1), swap=0),
    "2x2 long": dat([260, 261], [48], [(2, 2)], pfacts=(0,), ndivs=(3,), rfacts=(0,), bcasts=(1, 4), depths=(0, 1), swap=1),
    "2x2 mix": dat([260, 261], [48], [(2, 2)], pfacts=(0,), ndivs=(3,), rfacts=(0,), bcasts=(2, 5), depths=(0, 1), swap_threshold=4, l1=1, u=1),
    "1x4": dat([255], [32], [(1, 4)], nbmins=(2,), depths=ALL, u=1),
    "4x1": dat([255], [32], [(4, 1)], nbmins=(2,), depths=ALL, l1=1),
    "ranks without rows": dat([3, 64, 65], [64], [(2, 2)], depths=(1,)),
    "column-major": dat([260], [48], [(2, 2)], depths=(1,), equilibration=0, mapping=1, tail=HPCC),
}


class HplDat(cli_test.CliTest):
    def run_of(self, text, *options):
        return self.succeeds("hpl", "--dat", self.file("HPL.dat", text), *options).out

    def json_of(self, text, *options):
        return json.loads(self.run_of(text, *options, "--json", "-"))

    def test_every_combination_of_every_file_is_timed_and_passes(self):
        combinations = {"panels": 18, "small N": 7, "N below NB": 4, "1x2": 12, "2x1": 12, "1x4": 3, "4x1": 3,
                        "ranks without rows": 3, "column-major": 1}
        for name, text in FILES.items():
            with self.subTest(name):
                table = self.run_of(text)
                lines, residuals = LINE.findall(table), RESIDUAL.findall(table)
                self.assertEqual(len(lines), combinations.get(name, 8))
                self.assertEqual(len(residuals), len(lines))
                self.assertEqual({verdict for _, verdict in residuals}, {"PASSED"})
                for number, _ in residuals:
                    self.assertGreaterEqual(float(number), 0)
                    self.assertLess(float(number), 1)
                for *_, n, nb, p, q, seconds, gflops in lines:
                    n, seconds = int(n), float(seconds)
                    self.assertGreater(seconds, 0)
                    self.assertAlmostEqual(float(gflops) * 1e9 * seconds / (2 / 3 * n**3 + 1.5 * n**2), 1, delta=1e-3)
                self.assertIn(f"{len(lines):>6} tests completed and passed residual checks", table)

    def test_variants_stand_in_the_order_of_hpl(self):
        lines = LINE.findall(self.run_of(FILES["panels"], "--engine", "timing"))
        expected = [(rfact, pfact, nbmin) for rfact, pfact, nbmin in itertools.product("LCR", "LCR", ("2", "4"))]
        self.assertEqual([(line[3], line[5], line[6]) for line in lines], expected)
        self.assertEqual({line[0] for line in LINE.findall(self.run_of(FILES["column-major"]))}, {"C"})

    def test_the_published_run_takes_its_published_time(self):
        published = cli_test.PROJECT / "docs/examples/hpl/HPL.dat"
        run = json.loads(self.succeeds("hpl", "--dat", published, "--json", "-").out)["runs"][0]
        # Koike et al. 2009, table 2.
        self.assertAlmostEqual(run["seconds"] / 98.99, 1, delta=0.05)
        self.assertAlmostEqual(run["gflops"] / 284.2, 1, delta=0.05)
        self.assertAlmostEqual(run["stages"]["panel"] / 30.06, 1, delta=0.05)
        self.assertAlmostEqual(run["stages"]["update"] / 64.51, 1, delta=0.05)
        self.assertAlmostEqual(run["share_of_peak"], run["gflops"] / 819.2, delta=1e-12)
        self.assertIsNone(run["residual"])  # too large to be computed here
        same = json.loads(self.succeeds("hpl", "--n", 34816, "--engine", "timing", "--json", "-").out)
        self.assertAlmostEqual(run["seconds"] / same["emulated_seconds"], 1, delta=1e-9)

    def test_phases_make_up_the_time(self):
        for run in self.json_of(dat([20000], [512, 2048], [(1, 1), (2, 2)], depths=(0, 1)), "--engine", "timing")["runs"]:
            self.assertAlmostEqual(sum(run["stages"].values()) / run["seconds"], 1, delta=1e-9)
            self.assertEqual(run["watts"], 448 if run["grid"] == "1x1" else 4 * 448)

    def test_the_best_nb_of_each_size_and_grid_is_marked(self):
        text = dat([8192, 20000], [128, 512, 1024], [(1, 1), (2, 2)])
        runs = self.json_of(text, "--engine", "timing")["runs"]
        for n, grid in itertools.product((8192, 20000), ("1x1", "2x2")):
            alike = [run for run in runs if (run["n"], run["grid"]) == (n, grid)]
            least = min(run["seconds"] for run in alike)
            self.assertEqual([run["best_nb"] for run in alike], [run["seconds"] == least for run in alike])
        self.assertEqual(self.run_of(text, "--engine", "timing").count("Best NB of this N and grid"), 4)

    def test_look_ahead_needs_columns_of_ranks(self):
        runs = self.json_of(dat([8192], [1024], [(1, 1), (2, 1), (1, 2)], depths=(0, 2)), "--engine", "timing")["runs"]
        self.assertEqual([run["lookahead"] for run in runs], [0, 0, 0, 0, 0, 1])
        self.assertEqual(runs[0]["seconds"], runs[1]["seconds"])
        self.assertNotEqual(runs[4]["seconds"], runs[5]["seconds"])

    def test_the_residual_is_that_of_hpl_2_3(self):
        text = dat([256], [64], [(1, 1)])
        ours = self.json_of(text)["runs"][0]["residual"]
        first = json.loads(self.succeeds("hpl", "--n", 256, "--nb", 64, "--json", "-").out)["residual"]
        # Both have one numerator. ||A||_oo and ||A||_1 are alike, and ||x||_oo is of the order of 1 to 1000.
        self.assertLess(ours, first)
        self.assertGreater(ours, first / 2000)

    def test_nothing_is_computed_where_it_is_not_asked_for(self):
        above = self.run_of(dat([300], [64], [(1, 1)]), "--check-up-to", 299)
        self.assertIn("not computed: N is above --check-up-to 299", above)
        self.assertEqual(RESIDUAL.findall(above), [])
        self.assertIn("not computed: --engine timing computes nothing", self.run_of(dat([300], [64], [(1, 1)]), "--engine", "timing"))
        self.assertNotIn("Ax-b", self.run_of(dat([300], [64], [(1, 1)], threshold=0)))

    def test_an_empty_system_passes(self):
        run = self.json_of(dat([0], [64], [(1, 1)]))["runs"][0]
        self.assertEqual((run["seconds"], run["gflops"], run["residual"], run["passed"]), (0, 0, 0, True))

    def test_a_residual_above_the_threshold_fails(self):
        outcome = self.ends(1, ["1 of 1 runs fail HPL's check"], "hpl", "--dat", self.file("HPL.dat", dat([100], [64], [(1, 1)], threshold=1e-9)))
        self.assertEqual([verdict for _, verdict in RESIDUAL.findall(outcome.out)], ["FAILED"])

    def test_runs_that_do_not_fit_are_skipped_by_name(self):
        outcome = self.ends(1, ["1 of 2 runs are skipped", "N, NB, P, Q: n = 60000 is refused: 1 node of 18 GB holds a matrix of n = 47434 at most"],
                            "hpl", "--dat", self.file("HPL.dat", dat([1000, 60000], [512], [(1, 1)])), "--engine", "timing")
        self.assertEqual(len(LINE.findall(outcome.out)), 1)
        self.ends(1, ["1 of 1 runs are skipped", "has 64"], "hpl", "--dat", self.file("HPL.dat", dat([1000], [512], [(8, 16)])), "--engine", "timing")

    def test_mistakes_in_the_file_are_told_with_their_line(self):
        text = dat([300], [64], [(1, 1)])
        lines = text.splitlines()
        lines[7] = "0 values"
        outcome = self.ends(1, ["HPL.dat:8: NB = 0 is refused: it must be a whole number of at least 1"],
                            "hpl", "--dat", self.file("HPL.dat", "\n".join(lines) + "\n"))
        self.assertEqual(outcome.out, "")
        self.ends(1, ["nowhere.dat"], "hpl", "--dat", self.scratch / "nowhere.dat")
        noted = cli_test.gdr("hpl", "--dat", self.file("HPL.dat", dat([300], [64], [(1, 1)], bcasts=(9,))), "--engine", "timing")
        self.assertIn("warning: ", noted.err)
        self.assertIn("HPL.dat:23: BCAST = 9 is none of 0 to 5: HPL takes 1", noted.err)

    def test_options_that_the_file_replaces_are_refused(self):
        path = self.file("HPL.dat", dat([300], [64], [(1, 1)]))
        for option in (["--n", 300], ["--nb", 64], ["--nodes", 2], ["--host", "core-i7-920"], ["--with-host"], ["--boards", 2]):
            self.ends(2, [option[0]], "hpl", "--dat", path, *option)
        self.ends(2, ["--check-up-to"], "hpl", "--n", 300, "--nb", 64, "--check-up-to", 5)
        self.ends(2, ["--n is required, or --dat"], "hpl")


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
