#!/usr/bin/env python3
"""`gdr run` and `gdr debug` with kernels of experiments.

    experiments_test.py GDR PROJECT [TestCase...]
"""

import csv
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # noqa: E402


def collatz(x, most):
    """Largest number, steps, and whether 1 is reached, of x -> x / 2 or 3 x + 1."""
    largest, steps = x, 0
    while steps == 0 or (x > 1 and steps < most):
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        largest, steps = max(largest, x), steps + 1
    return largest, steps, int(x <= 1)


class Experiments(cli_test.CliTest):
    def setUp(self):
        super().setUp()
        self.kernel = str(cli_test.PROJECT / "docs/examples/collatz.vsm")
        self.starts = list(range(1, 5001))
        self.i = self.file("i.csv", "from\n" + "".join(f"{n}\n" for n in self.starts))

    def run_them(self, *arguments):
        """Rows of the results, and the JSON report."""
        out = self.scratch / "out.csv"
        report = self.scratch / "report.json"
        outcome = cli_test.gdr("run", self.kernel, "--i", self.i, "--output", out, "--json", report, *arguments)
        self.assertEqual(outcome.status, 0, outcome.err)
        with open(out) as rows:
            table = [tuple(int(float(cell)) for cell in row) for row in list(csv.reader(rows))[1:]]
        return table, json.loads(report.read_text()), outcome

    def test_results_are_in_the_order_of_starts(self):
        table, report, outcome = self.run_them("--steps", "150", "--machine", "model450")
        self.assertEqual(table, [collatz(x, 150) for x in self.starts])
        told = report["experiments"]
        self.assertEqual(told["places"], 2048)
        self.assertEqual(told["round_steps"], 150)
        self.assertEqual(told["rounds"], 3)
        self.assertEqual(told["unfinished"], sum(1 for row in table if row[2] == 0))
        self.assertAlmostEqual(told["occupancy"], sum(row[1] for row in table) / (3 * 150 * 2048), 12)
        self.assertEqual(report["ni"], 5000)
        self.assertEqual(report["iterations"], 450)
        self.assertGreater(report["emulated_seconds"], 0)
        self.assertIn("not done after 150 steps", outcome.err)

    def test_rounds_and_refilling_do_not_change_results(self):
        table, few, _ = self.run_them("--steps", "240", "--round", "240", "--machine", "model450")
        for more in (["--round", "24"], ["--round", "48", "--no-refill"], ["--threads", "2"], ["--boards", "2"]):
            other, report, _ = self.run_them("--steps", "240", *more)
            self.assertEqual(other, table, more)
        self.assertGreater(few["emulated_seconds"], 0)

    def test_timing_counts_all_rounds(self):
        outcome = cli_test.gdr("run", self.kernel, "--i", self.i, "--steps", "400", "--engine", "timing")
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertIn("every experiment takes all steps", outcome.out)
        self.assertIn("5000 experiments in 2 rounds of 200 steps", outcome.out)

    def test_traces_show_the_rounds(self):
        trace = self.scratch / "trace.json"
        self.run_them("--steps", "60", "--round", "20", "--trace", trace)
        runs = [event for event in json.loads(trace.read_text())["traceEvents"] if event.get("name") == "loop"]
        _, report, _ = self.run_them("--steps", "60", "--round", "20")
        self.assertEqual(len(runs), report["experiments"]["rounds"])

    def test_options_that_do_not_fit_are_refused(self):
        def refused(text, *arguments):
            self.ends(2, [text], "run", self.kernel, "--i", self.i, *arguments)

        refused("--steps is missing: kernel collatz is one of experiments")
        refused("--turns: kernel collatz is one of experiments", "--steps", "10", "--turns", "5")
        refused("--j: kernel collatz is one of experiments, which have no j-data", "--steps", "10", "--j", self.i)
        refused("is given this number by --steps", "--steps", "10", "--param", "experiment_limit=5")
        refused("round = 7 is refused: it must divide the 20 steps, as 5 and 10 do", "--steps", "20", "--round", "7")
        refused("gdr debug --experiment", "--steps", "10", "--break", "collatz.vsm:12")
        self.ends(2, ["--i is missing"], "run", self.kernel, "--steps", "10")
        tutorial = str(cli_test.PROJECT / "kernels/tutorial.vsm")
        for option in (["--steps", "5"], ["--round", "5"], ["--no-refill"]):
            self.ends(2, [f"{option[0]}: kernel tutorial has no experiments"], "run", tutorial, *option)

    def test_one_is_debugged_in_the_first_place(self):
        script = self.file("script", "break 17\ncontinue\nprint x\n")
        outcome = cli_test.gdr("debug", self.kernel, "--i", self.i, "--steps", "1000", "--experiment", "26", "--script", script)
        self.assertEqual(outcome.status, 0, outcome.err)
        self.assertIn("collatz.vsm:17", outcome.out)
        self.assertIn("x = 82", outcome.out)  # after 27
        self.ends(2, ["--experiment: 5000 is refused"], "debug", self.kernel, "--i", self.i, "--steps", "9", "--experiment",
                  "5000", "--script", script)
        self.ends(2, ["--steps is missing"], "debug", self.kernel, "--i", self.i, "--script", script)

    def test_objects_say_what_they_hold(self):
        target = self.scratch / "collatz.gdro"
        self.assertEqual(cli_test.gdr("as", self.kernel, "-o", target).status, 0)
        outcome = cli_test.gdr("objdump", target)
        self.assertIn("# experiments: start 1 fields, result 1 fields", outcome.out)
        self.assertIn("kernel collatz experiment", outcome.out)


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
