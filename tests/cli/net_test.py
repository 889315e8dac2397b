"""The program's networks as its users meet them: net_test.py GDR PROJECT."""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

GDR = pathlib.Path(sys.argv[1]).resolve()
PROJECT = pathlib.Path(sys.argv[2]).resolve()


def run(*arguments):
    return subprocess.run([GDR, *arguments], capture_output=True, text=True, cwd=PROJECT)


def report(*arguments):
    outcome = run(*arguments, "--json", "-")
    assert outcome.returncode == 0, outcome.stderr
    return json.loads(outcome.stdout)


HAS_SIMGRID = run("net", "bcast", "--nodes", "4").returncode == 0


class Routes(unittest.TestCase):
    def test_a_route_names_its_links(self):
        routes = report("net", "routes", "--topology", "hub", "--nodes", "8", "--from", "7", "--to", "3")["routes"]
        self.assertEqual([(route["links"], route["wavelength"]) for route in routes], [(["7>3"], 4)])

    def test_a_node_that_is_none_is_a_usage_error(self):
        self.assertEqual(run("net", "routes", "--from", "64").returncode, 2)


class WrongPlatforms(unittest.TestCase):
    def test_grids_that_are_none_are_refused_with_the_reason(self):
        outcome = run("net", "summa", "--nodes", "8")
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("8 is refused: it must be a square", outcome.stderr)

    def test_schedules_beyond_memory_are_refused_with_the_estimate(self):
        outcome = run("net", "summa", "--nodes", "4096", "--algorithm", "CA4")
        self.assertEqual(outcome.returncode, 1)
        self.assertRegex(outcome.stderr, r"4096 is refused: the schedule would .* take \d+\.\d GB")

    def test_no_bandwidth_is_refused_with_file_and_line(self):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "hub.toml"
            text = (PROJECT / "machines/optical-hub-64.toml").read_text(encoding="utf-8")
            file.write_text(text.replace("value = 200,", "value = 0,"), encoding="utf-8")
            outcome = run("net", "summa", "--network", str(file))
            self.assertEqual(outcome.returncode, 1)
            self.assertRegex(outcome.stderr, r"hub\.toml:\d+: .*bandwidth")


class Cost(unittest.TestCase):
    def test_the_lines_are_those_of_table_a_1(self):
        result = report("net", "cost", "--network", "optical-hub-cost-1d")
        subtotals = [line["subtotal"] for line in result["lines"]]
        self.assertEqual(sorted(subtotals), [8640, 11520, 11520, 12800, 16000, 16000, 25600, 40000])
        self.assertEqual((result["total"], result["usd_per_gbps"]), (142080, 5.55))


class ClosedForm(unittest.TestCase):
    def test_a_hub_without_contention_needs_no_simulation(self):
        arguments = ("net", "summa", "--nodes", "16", "--n", "4096", "--executor", "closed-form")
        result = report(*arguments)
        self.assertEqual((result["engine"], result["simulation"]), ("closed-form", {"executor": "closed-form"}))
        # Table 3 of Urino 2020, CA4 to CA1: as many times as there are nodes; latencies take the rest.
        self.assertAlmostEqual(result["relative"], 16, delta=0.1)
        if HAS_SIMGRID:
            simulated = report(*arguments[:-1], "s4u", "--rate-cap", "0")
            self.assertAlmostEqual(result["seconds"] / simulated["seconds"], 1, delta=1e-3)


@unittest.skipUnless(HAS_SIMGRID, "built without SimGrid")
class Summa(unittest.TestCase):
    def test_the_report_has_time_relative_speed_and_memory(self):
        result = report("net", "summa", "--nodes", "16", "--n", "512")
        self.assertGreater(result["seconds"], 0)
        self.assertGreater(result["relative"], 1)
        self.assertEqual(result["memory_words"], 7 * 512 * 512 / 16)
        self.assertGreaterEqual(result["seconds"], result["link_bound_seconds"])

    def test_nominal_arithmetic_takes_its_time(self):
        zero = report("net", "summa", "--nodes", "16", "--n", "512")["seconds"]
        nominal = report("net", "summa", "--nodes", "16", "--n", "512", "--compute", "nominal")["seconds"]
        self.assertAlmostEqual(nominal - zero, 2 * 512**3 / 16 / 1e12, delta=0.01 * zero)

    def test_loads_of_links_are_written(self):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "links.csv"
            self.assertEqual(run("net", "summa", "--nodes", "16", "--n", "512", "--links", str(file)).returncode, 0)
            with file.open(encoding="utf-8") as lines:
                rows = list(csv.DictReader(lines))
            self.assertEqual(len(rows), 16 * 15)
            self.assertEqual({row["messages"] for row in rows}, {"8"})

    def test_loads_of_links_are_drawn(self):
        with tempfile.TemporaryDirectory() as directory:
            for topology, links in (("hub", 16 * 15), ("hub2d", 16 * 6), ("fat-tree", 4 * 16)):
                file = pathlib.Path(directory) / "links.svg"
                outcome = run("net", "summa", "--topology", topology, "--nodes", "16", "--n", "64", "--picture", str(file))
                self.assertEqual(outcome.returncode, 0, outcome.stderr)
                titles = [e for e in xml.etree.ElementTree.parse(file).iter() if e.tag.endswith("title")]
                self.assertEqual(len(titles), links, topology)
            self.assertEqual(run("net", "summa", "--topology", "torus", "--nodes", "16", "--n", "64", "--picture",
                                 str(file)).returncode, 0)
            strokes = [e.get("stroke") for e in xml.etree.ElementTree.parse(file).iter() if e.get("stroke")]
            self.assertEqual(len(strokes), 16 * 4)

    def test_mpi_calls_on_smpi_take_as_long_as_flows(self):
        arguments = ("net", "summa", "--topology", "torus", "--nodes", "16", "--n", "512", "--executor")
        seconds = [report(*arguments, executor)["seconds"] for executor in ("s4u", "smpi")]
        self.assertAlmostEqual(seconds[1] / seconds[0], 1, delta=0.02)

    def test_relays_gain_half_the_nodes_on_long_broadcasts(self):
        seconds = [
            report("net", "bcast", "--nodes", "16", "--bytes", "16777216", "--method", method)["seconds"]
            for method in ("direct", "multipath")
        ]
        self.assertAlmostEqual(seconds[0] / seconds[1], 8, delta=0.08)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
