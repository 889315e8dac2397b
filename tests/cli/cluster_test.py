#!/usr/bin/env python3
"""gdr cluster.

    cluster_test.py GDR PROJECT
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

GDR = ""
PROJECT = pathlib.Path()


class ClusterTest(unittest.TestCase):
    def run_gdr(self, *arguments, expected=0):
        done = subprocess.run([GDR, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(done.returncode, expected, f"{arguments}: {done.stdout}{done.stderr}")
        return done

    def report(self, *arguments):
        return json.loads(self.run_gdr(*arguments, "--json", "-").stdout)

    def refused(self, *arguments):
        return self.run_gdr(*arguments, expected=2).stderr


class Nbody(ClusterTest):
    def test_rows_tell_time_efficiency_and_what_limits(self):
        rows = self.report("cluster", "nbody", "--nodes", "1,4,16", "--n", "10000,100000")["rows"]
        self.assertEqual([(row["n"], row["nodes"]) for row in rows],
                         [(n, nodes) for n in (10000, 100000) for nodes in (1, 4, 16)])
        for row in rows:
            self.assertLessEqual(row["efficiency"], 1 + 1e-12)
            self.assertIn(row["bound_by"], ("board", "transfer", "host", "network"))
            self.assertAlmostEqual(sum(row["parts"].values()), row["seconds"], delta=1e-9 * row["seconds"])
            self.assertAlmostEqual(row["joules"], row["nodes"] * 448 * row["seconds"], delta=1e-9 * row["joules"])
        self.assertEqual(rows[0]["efficiency"], 1)
        self.assertGreater(rows[5]["efficiency"], rows[2]["efficiency"])  # more particles

    def test_a_run_on_one_board_has_one_time(self):
        for n in (1000, 100000, 1000000):
            for more in ([], ["--clock", 200, "--transfer", "ideal", "--kernel", "gravity_jerk_2009"]):
                with self.subTest(n=n, more=more):
                    timed = self.report("nbody", "--plummer", n, "--t-end", 1, "--timing-only", *more)
                    model = self.report("cluster", "nbody", "--nodes", 1, "--n", n, "--algorithm", "copy", *more)
                    self.assertEqual(timed["emulated_seconds"], model["emulated_seconds"])
                    self.assertEqual(timed["emulated_gflops"], model["emulated_gflops"])
                    self.assertEqual(timed["block_sizes_from"], "docs/block_steps.csv")
                    self.assertEqual(model["rows"][0]["efficiency"], 1)
        advice = self.report("cluster", "advise", "--n", 20000)
        for row in [advice["best"], advice["larger"], *advice["algorithms"]]:
            model = self.report("cluster", "nbody", "--cluster", row["cluster"], "--nodes", row["nodes"], "--n", 20000,
                                "--algorithm", row["algorithm"])
            self.assertEqual(row["seconds"], model["emulated_seconds"])

    def test_a_sweep_takes_all_algorithms_and_all_nodes(self):
        rows = self.report("cluster", "nbody", "--sweep", "--n", 10000)["rows"]
        self.assertEqual([(row["nodes"], row["algorithm"]) for row in rows],
                         [(nodes, algorithm) for nodes in (1, 4, 16, 64) for algorithm in ("copy", "j", "2d", "systolic", "hyper")])
        rows = self.report("cluster", "nbody", "--sweep", "--n", 10000, "--nodes", 8)["rows"]
        self.assertEqual([row["algorithm"] for row in rows], ["copy", "j", "systolic", "hyper"])  # eight ranks are no square

    def test_blocks_in_halves_take_less_time(self):
        run = ["cluster", "nbody", "--nodes", 16, "--n", 100000, "--algorithm", "copy,j,2d,systolic"]
        whole, halves = self.report(*run)["rows"], self.report(*run, "--overlap")["rows"]
        for before, after in zip(whole[:3], halves[:3], strict=True):
            self.assertLess(after["seconds"], before["seconds"])
            self.assertAlmostEqual(sum(after["parts"].values()), after["seconds"], delta=1e-9 * after["seconds"])
        self.assertEqual(whole[3]["seconds"], halves[3]["seconds"])  # it has no halves

    def test_no_network_is_faster_than_none(self):
        names = "grape-dr-64,grape-dr-64-hub,grape-dr-64-torus"
        run = ["cluster", "nbody", "--nodes", 64, "--n", 20000]
        (free,) = self.report(*run, "--free-network")["rows"]
        for row in self.report(*run, "--cluster", names)["rows"]:
            self.assertGreater(row["seconds"], free["seconds"])
        self.assertLess(free["parts"]["network"], 1e-12)

    def test_what_cannot_be_is_refused(self):
        run = ["cluster", "nbody", "--n", 10000]
        self.assertRegex(self.refused(*run, "--nodes", 65), "--nodes: 65 nodes are refused: the network of grape-dr-64, .*, has 64")
        self.assertEqual(len(self.report(*run, "--nodes", 100, "--grow-network")["rows"]), 1)
        self.assertIn("square", self.refused(*run, "--nodes", 8))
        self.assertIn("100 is refused: it must be a cube", self.refused(*run, "--nodes", 100, "--cluster", "grape-dr-64-torus",
                                                                        "--grow-network"))
        self.assertIn("no-such", self.refused(*run, "--cluster", "no-such"))
        self.assertIn("64 ranks are refused: there are 10 particles", self.refused("cluster", "nbody", "--n", 10, "--nodes", 64))
        self.assertRegex(self.refused("cluster", "nbody", "--n", 100000000, "--nodes", 4, "--algorithm", "copy"),
                         "100000000 particles do not fit: algorithm copy on 4 ranks has room for [0-9]+")


class Advise(ClusterTest):
    def test_the_best_is_a_row_of_the_model(self):
        found = self.report("cluster", "advise", "--n", 20000, "--efficiency", 0.6)
        best = found["best"]
        (row,) = self.report("cluster", "nbody", "--n", 20000, "--nodes", best["nodes"], "--cluster", best["cluster"],
                             "--algorithm", best["algorithm"])["rows"]
        self.assertEqual(best["seconds"], row["seconds"])
        self.assertEqual(best["bound_by"], row["bound_by"])
        self.assertGreaterEqual(best["efficiency"], 0.6)
        self.assertGreater(found["gain"]["free_network"], 1)
        self.assertIn("take", self.run_gdr("cluster", "advise", "--n", 20000).stdout)

    def test_what_cannot_be_is_refused(self):
        self.assertIn("--n", self.refused("cluster", "advise"))
        self.assertIn("no-such", self.refused("cluster", "advise", "--n", 1000, "--cluster", "no-such"))
        self.assertIn("none of the clusters", self.run_gdr("cluster", "advise", "--n", 1000000000, expected=1).stderr)


class Trace(ClusterTest):
    def test_a_block_has_a_track_for_each_resource_and_a_path_without_gaps(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "block.json"
            run = ["cluster", "nbody", "--nodes", 4, "--n", 4096, "--trace", path]
            self.run_gdr(*run, "--block", 100)
            events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
            names = {(event["pid"], event.get("tid")): event["args"]["name"] for event in events
                     if event["ph"] == "M" and "name" in event["args"]}
            self.assertEqual([names[rank, None] for rank in range(4)], [f"rank {rank}" for rank in range(4)])
            self.assertEqual({names[rank, track] for rank in range(4) for track in (1, 2)}, {"board", "host"})
            work = [event for event in events if event["ph"] == "X"]
            tracks = {}
            for event in work:
                tracks.setdefault((event["pid"], event["tid"]), []).append(event)
            for track, of_track in tracks.items():
                self.assertIn(track, names)
                for before, after in zip(of_track, of_track[1:]):
                    self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 1e-5)
            # A message takes 1 us on each of two links, one behind the other; whatever else begins when something ends.
            critical = sorted((event for event in work if event["args"]["critical"]), key=lambda event: event["ts"])
            self.assertEqual(critical[0]["ts"], 0)
            end = 0
            for event in critical:
                self.assertLessEqual(event["ts"], end + 2.001)
                end = max(end, event["ts"] + event["dur"])
            self.assertAlmostEqual(end, max(event["ts"] + event["dur"] for event in work), delta=2.001)
            self.assertIn("there are 4096 particles", self.refused(*run, "--block", 5000))


class Hpl(ClusterTest):
    def test_one_node_without_look_ahead_is_the_model_of_one_node(self):
        one = self.report("hpl", "--n", 34816, "--engine", "timing")
        report = self.report("cluster", "hpl", "--n", 34816, "--nb", 2048, "--nodes", 1, "--lookahead", 0)
        node = {**report, **report["rows"][0]}
        self.assertAlmostEqual(node["emulated_seconds"], one["emulated_seconds"], delta=1e-9 * one["emulated_seconds"])
        for stage, seconds in one["stages"].items():
            self.assertAlmostEqual(node["stages"][stage], seconds, delta=1e-9 * one["emulated_seconds"])
        self.assertAlmostEqual(node["gflops_per_watt"], node["emulated_gflops"] / 448, delta=1e-9)

    def test_a_curve_over_sizes(self):
        rows = self.report("cluster", "hpl", "--nodes", "4,16", "--n", "16384,65536")["rows"]
        self.assertEqual([(row["nodes"], row["grid"], row["n"]) for row in rows],
                         [(4, "2x2", 16384), (4, "2x2", 65536), (16, "4x4", 16384), (16, "4x4", 65536)])
        for row in rows:
            self.assertLess(row["efficiency"], 1)
            self.assertAlmostEqual(sum(row["stages"].values()), row["seconds"], delta=1e-9 * row["seconds"])

    def test_what_cannot_be_is_refused(self):
        run = ["cluster", "hpl", "--n", 65536, "--nodes", 16]
        self.assertIn("PxQ with P Q = 16", self.refused(*run, "--grid", "3x5"))
        self.assertIn("PxQ", self.refused(*run, "--grid", "4by4"))
        self.assertIn("n = 189736 at most", self.refused("cluster", "hpl", "--nodes", 16, "--n", 200000))
        self.assertIn("unknown option '--boards'", self.refused(*run, "--boards", 2))
        self.assertIn("has 64", self.refused("cluster", "hpl", "--n", 65536, "--nodes", 128))
        self.assertIn("unknown option '--grid'", self.refused("hpl", "--n", 4096, "--grid", "1x1"))
        self.assertIn("messages", self.refused("cluster", "hpl", "--n", 300000, "--nb", 1, "--nodes", 64))
        for order in (100, "1000,100"):
            self.assertIn("--nb: 512 is refused: it must be at most n = 100",
                          self.refused("cluster", "hpl", "--n", order, "--nb", 512, "--nodes", 1))
        self.assertIn("--nb: 512 is refused: it must be at most n = 100", self.refused("hpl", "--n", 100, "--nb", 512))

    def test_options_of_messages_have_no_effect_on_a_free_network(self):
        for run, parts in ((["hpl", "--n", 4096], True), (["nbody", "--n", 4096], True), (["summa", "--n", 4096], False),
                           (["himeno", "--size", "S"], True)):
            free = ["cluster", *run, "--nodes", 4, "--free-network"]
            for option in [["--factors", "smpi-factors"], ["--grow-network"], *([["--multipath"]] if parts else [])]:
                with self.subTest(run=run, option=option):
                    self.assertIn(f"{option[0]} has no effect with --free-network", self.refused(*free, *option))

    def test_unknown_factors_are_a_wrong_option(self):
        for run in (["hpl", "--n", 4096], ["nbody", "--n", 4096], ["summa", "--n", 4096], ["himeno"], ["advise", "--n", 4096]):
            self.assertIn("--factors: 'nosuch' is refused", self.refused("cluster", *run, "--factors", "nosuch"))

    def test_the_old_spelling_is_taken_with_a_note(self):
        now = self.run_gdr("cluster", "hpl", "--nodes", 16, "--n", 65536, "--nb", 2048, "--csv", "-")
        for old in (["--nodes", 16, "--n", 65536], ["--nb", 2048, "--n", 65536, "--nodes=16", "--timing-only"]):
            before = self.run_gdr("hpl", *old, "--csv", "-")
            self.assertEqual(before.stdout, now.stdout)
            self.assertIn("gdr: note: hpl --nodes is called cluster hpl --nodes now", before.stderr)

    def test_one_run_is_told_in_full(self):
        text = self.run_gdr("cluster", "hpl", "--nodes", 16, "--n", 65536).stdout
        row = self.report("cluster", "hpl", "--nodes", 16, "--n", 65536)["rows"][0]
        self.assertIn(f"N = 65536, NB = {row['nb']} on 4x4 ranks", text)
        self.assertIn(f"panel {row['stages']['panel']:.4g}", text)
        self.assertIn(f"{row['gflops']:.1f} Gflops", text)


class Summa(ClusterTest):
    def test_rows_tell_speed_and_no_product_is_counted_twice(self):
        run = ["cluster", "summa", "--nodes", 16, "--n", 4096, "--algorithm", "CA1,CA4"]
        rows = self.report(*run)["rows"]
        self.assertEqual([row["algorithm"] for row in rows], ["CA1", "CA4"])
        for row, free, in_turn in zip(rows, self.report(*run, "--free-network")["rows"], self.report(*run, "--in-turn")["rows"]):
            self.assertAlmostEqual(row["gflops"], 2 * 4096**3 / row["seconds"] / 1e9, delta=1e-9 * row["gflops"])
            self.assertAlmostEqual(free["seconds"], row["products"], delta=1e-9 * row["seconds"])
            self.assertLessEqual(free["seconds"], row["seconds"])
            self.assertLess(row["seconds"], in_turn["seconds"])

    def test_ranks_go_where_net_map_puts_them(self):
        with tempfile.TemporaryDirectory() as folder:
            graph, places = pathlib.Path(folder) / "graph.csv", pathlib.Path(folder) / "map.csv"
            run = ["cluster", "summa", "--cluster", "grape-dr-64-torus", "--n", 16384, "--algorithm", "CA1"]
            [row] = self.report(*run, "--save-graph", graph)["rows"]
            lines = graph.read_text(encoding="utf-8").splitlines()
            self.assertEqual(sum(int(line.split(",")[2]) for line in lines if line[0].isdigit()), row["bytes"])
            self.run_gdr("net", "map", "--graph", graph, "--topology", "torus:4x4x4", "--save-map", places, "--quiet")
            [placed] = self.report(*run, "--map", places)["rows"]
            self.assertLess(placed["seconds"], 0.9 * row["seconds"])
            places.write_text("task,node\n" + "".join(f"{task},{task}\n" for task in range(64)), encoding="utf-8")
            self.assertEqual(self.report(*run, "--map", places)["rows"], [row])

    def test_what_cannot_be_is_refused(self):
        self.assertIn("8 is refused: it must be a square", self.refused("cluster", "summa", "--nodes", 8))
        row = self.report("cluster", "summa", "--nodes", 1, "--n", 4096, "--algorithm", "CA4")["rows"][0]
        self.assertEqual(row["seconds"], row["products"])
        self.assertRegex(self.refused("cluster", "summa", "--n", 400000), "matrices of n = [0-9]+ at most")
        self.assertIn("has 64", self.refused("cluster", "summa", "--nodes", 256))


class Himeno(ClusterTest):
    def test_rows_tell_speed_and_what_binds(self):
        run = ["cluster", "himeno", "--nodes", "8,64", "--size", "L", "--overlap"]
        on_boards, on_hosts = self.report(*run)["rows"], self.report(*run, "--on", "host")["rows"]
        for rows, binds in ((on_boards, "transfer"), (on_hosts, "host")):
            for row in rows:
                self.assertAlmostEqual(row["gflops"], 34 * 254 * 254 * 510 / row["seconds"] / 1e9, delta=1e-9 * row["gflops"])
                self.assertEqual(row["bound_by"], binds)
                self.assertEqual(row["split"][0] * row["split"][1] * row["split"][2], row["nodes"])
        self.assertEqual(self.report(*run[:4], "--size", "256x256x512", "--overlap")["rows"][0]["seconds"], on_boards[0]["seconds"])

    def test_ranks_go_where_a_map_puts_them(self):
        with tempfile.TemporaryDirectory() as folder:
            graph, places = pathlib.Path(folder) / "graph.csv", pathlib.Path(folder) / "map.csv"
            run = ["cluster", "himeno", "--cluster", "grape-dr-64-torus", "--size", "M", "--split", "4x4x4"]
            [row] = self.report(*run, "--save-graph", graph)["rows"]
            lines = graph.read_text(encoding="utf-8").splitlines()
            halos = sum(int(line.split(",")[2]) for line in lines if line[0].isdigit())
            # 64 ranks agree on the residual in six steps of 8 bytes.
            self.assertEqual(halos + 64 * 6 * 8, row["bytes"])
            places.write_text("task,node\n" + "".join(f"{task},{task * 27 % 64}\n" for task in range(64)), encoding="utf-8")
            [placed] = self.report(*run, "--map", places)["rows"]
            self.assertGreater(placed["parts"]["network"], row["parts"]["network"])

    def test_what_cannot_be_is_refused(self):
        self.assertIn("its boards hold", self.refused("cluster", "himeno", "--nodes", 1, "--size", "L"))
        self.assertIn("there are 8 ranks", self.refused("cluster", "himeno", "--nodes", 8, "--split", "2x2x1"))
        self.assertIn("AxBxC", self.refused("cluster", "himeno", "--size", "huge"))
        self.assertIn("has 64", self.refused("cluster", "himeno", "--nodes", 128))


if __name__ == "__main__":
    GDR, PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
