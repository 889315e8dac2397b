#!/usr/bin/env python3
"""gdr net map as its users meet it.

    map_test.py GDR PROJECT
"""

import json
import pathlib
import sys
import unittest
import xml.etree.ElementTree

import cli_test

METHODS = ("xyz", "none", "mincost", "minlink", "scotch", "refined")
RING = "tasks,4\nfrom,to,bytes\n0,1,100\n1,2,100\n2,3,100\n3,0,100\n"


class NetMap(cli_test.CliTest):
    def report(self, *arguments):
        return json.loads(self.succeeds("net", "map", *arguments, "--json", "-").out)

    def graph(self, text):
        return self.file("graph.csv", text)

    def test_report_has_the_fields_of_every_method(self):
        for method in METHODS:
            with self.subTest(method=method):
                report = self.report("--graph", "cg", "--topology", "torus:4x2x2", "--method", method, "--full")
                for field in ("cost_hop_bytes", "cost_torus_hop_bytes", "max_link_bytes", "total_bytes"):
                    self.assertIsInstance(report[field], int, field)
                    self.assertGreater(report[field], 0, field)
                self.assertGreaterEqual(report["seconds_to_optimise"], 0)
                self.assertEqual((report["tasks"], report["nodes"]), (16, 16))
                self.assertEqual(sorted(report["mapping"]), list(range(16)))
                # A message takes no more hops on the torus than on the mesh.
                self.assertLessEqual(report["cost_torus_hop_bytes"], report["cost_hop_bytes"])

    def test_the_costs_of_natural_order_stand_beside_the_result(self):
        for topology in ("torus:4x4x4", "mesh:8x8"):
            natural = self.report("--graph", "cg", "--topology", topology, "--method", "xyz")
            for objective, field in (("cost", "cost_torus_hop_bytes"), ("link", "max_link_bytes")):
                report = self.report("--graph", "cg", "--topology", topology, "--objective", objective)
                self.assertEqual(report["natural_order"], {name: natural[name] for name in report["natural_order"]})
                self.assertLessEqual(report[field], natural[field])
                said = self.succeeds("net", "map", "--graph", "cg", "--topology", topology).out
                self.assertEqual(said.count("natural order"), 3 + said.count("than natural order"))

    def test_a_mapping_that_is_worse_than_natural_order_is_said_to_be(self):
        graph = self.graph(RING)
        natural = self.succeeds("net", "map", "--graph", graph, "--topology", "torus:4", "--method", "xyz").out
        self.assertNotIn("worse", natural)
        merged = self.succeeds("net", "map", "--graph", "bruck", "--topology", "torus:7x9x5", "--method", "mincost").out
        self.assertIn("worse            than natural order in the busiest link", merged)

    def test_traffic_that_is_not_in_the_graph_is_a_warning(self):
        collectives = ("# bytes of point-to-point messages\n# 32 calls of collectives by all ranks are not in it\n"
                       "# MPI_Alltoall: 32\ntasks,4\nfrom,to,bytes\n")
        for text, calls, said in ((RING, 0, ()), ("tasks,4\nfrom,to,bytes\n", 0, ("exchange no data",)),
                                  (collectives, 32, ("exchange no data", "32 calls of collectives")),
                                  (collectives + "0,1,8\n", 32, ("32 calls of collectives",))):
            with self.subTest(text=text):
                outcome = self.succeeds("net", "map", "--graph", self.graph(text), "--topology", "torus:2x2",
                                        "--json", "-", "--full")
                self.assertEqual(outcome.err.count("warning:"), len(said), outcome.err)
                for words in said:
                    self.assertIn(words, outcome.err)
                self.assertEqual(json.loads(outcome.out)["collective_calls"], calls)
                if "exchange no data" in said:
                    self.assertEqual(json.loads(outcome.out)["mapping"], [0, 1, 2, 3])

    def test_histogram_counts_every_link_and_every_byte(self):
        report = self.report("--graph", "bruck", "--topology", "torus:4x4x4", "--full")
        histogram = report["link_histogram"]
        self.assertEqual(sum(links for _, links in histogram), 6 * 64)
        self.assertEqual(sum(load * links for load, links in histogram), report["cost_torus_hop_bytes"])
        self.assertEqual(max(load for load, _ in histogram), report["max_link_bytes"])

    def test_a_mesh_of_one_node_has_no_links(self):
        for topology in ("mesh:1", "mesh:1x1", "mesh:1x1x1"):
            for method in METHODS:
                with self.subTest(topology=topology, method=method):
                    arguments = ("--graph", "bruck", "--topology", topology, "--method", method)
                    outcome = self.succeeds("net", "map", *arguments, "--picture", self.scratch / "links.svg")
                    self.assertIn("one node has no links", outcome.out)
                    report = self.report(*arguments, "--full")
                    self.assertEqual((report["max_link_bytes"], report["link_histogram"]), (0, []))

    def test_a_ring_of_tasks_in_order_of_ranks(self):
        report = self.report("--graph", self.graph(RING), "--topology", "mesh:4", "--method", "xyz", "--full")
        self.assertEqual(report["mapping"], [0, 1, 2, 3])
        self.assertEqual(report["total_bytes"], 400)
        self.assertEqual(report["cost_hop_bytes"], 100 * (1 + 1 + 1 + 3))
        self.assertEqual(report["max_link_bytes"], 100)
        report = self.report("--graph", self.graph(RING), "--topology", "torus:4", "--method", "xyz")
        self.assertEqual(report["cost_torus_hop_bytes"], 400)

    def test_the_mapping_is_left_out_unless_asked_for(self):
        report = self.report("--graph", "bruck", "--topology", "torus:2x2")
        self.assertNotIn("mapping", report)
        self.assertNotIn("link_histogram", report)

    def test_sp_leaves_nodes_idle(self):
        report = self.report("--graph", "sp", "--topology", "torus:4x4x2", "--method", "mincost")
        self.assertEqual((report["tasks"], report["nodes"]), (25, 32))

    def test_duplicate_edges_are_summed_and_told(self):
        graph = self.graph("from,to,bytes\n0,1,5\n0,1,7\n1,0,1\n0,1,8\n")
        report = self.report("--graph", graph, "--topology", "mesh:2")
        self.assertEqual((report["duplicate_lines"], report["total_bytes"]), (2, 21))
        self.assertEqual(report["max_link_bytes"], 20)
        self.assertIn(f"{graph}:3:", self.succeeds("net", "map", "--graph", graph, "--topology", "mesh:2").out)

    def test_a_bad_line_ends_with_1_and_its_number(self):
        for line, expected, text in [
            (3, "sender 4 is unknown", "tasks,4\nfrom,to,bytes\n4,0,1\n"),
            (3, "receiver 9 is unknown", "tasks,4\nfrom,to,bytes\n0,9,1\n"),
            (3, "-5 bytes are refused", "from,to,bytes\n0,1,1\n1,0,-5\n"),
            (2, "bytes are missing", "from,to,bytes\n0,1\n"),
            (2, "bytes are missing", "from,to,bytes\n0,1,\n"),
            (2, "nan bytes are refused", "from,to,bytes\n0,1,nan\n"),
            (1, "5 tasks are refused: there are 4 nodes", "tasks,5\nfrom,to,bytes\n"),
            (2, "5 tasks are refused: there are 4 nodes", "from,to,bytes\n4,0,1\n"),
            (4, "task 2 sends to itself", "from,to,bytes\n\n0,1,1 # fine\n2,2,8\n"),
            (2, "too many fields", "from,to,bytes\n0,1,2,3\n"),
            (2, "receiver 'b' is refused", "from,to,bytes\n0,b,2\n"),
            (1, "'0,1,2' stands where the header", "0,1,2\n"),
        ]:
            with self.subTest(text=text):
                graph = self.graph(text)
                self.ends(1, [f"{graph}:{line}: {expected}"], "net", "map", "--graph", graph, "--topology", "mesh:2x2")

    def test_a_file_that_is_not_there_ends_with_1_and_its_name(self):
        self.ends(1, ["nowhere.csv"], "net", "map", "--graph", "nowhere.csv", "--topology", "mesh:2x2")

    def test_wrong_command_lines_end_with_2(self):
        for expected, arguments in [
            (["--topology", "ring:4"], ["--graph", "bruck", "--topology", "ring:4"]),
            (["--topology", "torus"], ["--graph", "bruck", "--topology", "torus"]),
            (["--topology", "torus:4x"], ["--graph", "bruck", "--topology", "torus:4x"]),
            (["--topology", "torus:4x0"], ["--graph", "bruck", "--topology", "torus:4x0"]),
            (["--topology", "dimensions: 9"], ["--graph", "bruck", "--topology", "torus:2x2x2x2x2x2x2x2x2"]),
            (["--method mincost"], ["--graph", "bruck", "--topology", "torus:2x2x2x2", "--method", "mincost"]),
            (["--tie"], ["--graph", "bruck", "--topology", "fat-tree-64", "--tie", "plus"]),
            (["--topology", "-4"], ["--graph", "bruck", "--topology", "torus:-4"]),
            (["--topology", "nodes"], ["--graph", "bruck", "--topology", "torus:99999x99999"]),
            (["--topology"], ["--graph", "bruck"]),
            (["--graph"], ["--topology", "torus:2x2"]),
            (["--graph", "6"], ["--graph", "cg", "--topology", "torus:3x2"]),
            (["--method", "best"], ["--graph", "cg", "--topology", "torus:2x2", "--method", "best"]),
            (["--objective", "time"], ["--graph", "cg", "--topology", "torus:2x2", "--objective", "time"]),
            (["--tie", "left"], ["--graph", "cg", "--topology", "torus:2x2", "--tie", "left"]),
            (["--axis-order", "xxy"], ["--graph", "cg", "--topology", "torus:2x2", "--axis-order", "xxy"]),
            (["--bytes", "0"], ["--graph", "bruck", "--topology", "torus:2x2", "--bytes", "0"]),
        ]:
            with self.subTest(arguments=arguments):
                self.ends(2, expected, "net", "map", *arguments)

    def test_simulated_traffic_takes_no_less_than_its_busiest_link(self):
        report = self.report("--graph", "bruck", "--topology", "torus:4x4x2", "--simulate")
        self.assertGreaterEqual(report["emulated_seconds"], report["max_link_bytes"] / 5e9 * 0.999)

    def test_more_nodes_than_can_be_simulated_are_refused_before_any_work(self):
        self.ends(2, ["--simulate", "32768", "4096"], "net", "map", "--graph", "bruck", "--topology", "torus:32x32x32",
                  "--simulate")

    def test_threads_do_not_change_the_mapping(self):
        arguments = ["--graph", "bruck", "--topology", "torus:4x3x2", "--objective", "link", "--full"]
        self.assertEqual(self.report(*arguments)["mapping"], self.report(*arguments, "--threads", "3")["mapping"])

    def test_files_hold_the_graph_the_ranks_and_the_picture(self):
        saved, ranks, picture = (self.scratch / name for name in ("saved.csv", "ranks", "loads.svg"))
        hosts = self.file("hosts", "a\nb\nc\nd\n")
        arguments = ["--topology", "torus:2x2", "--method", "mincost", "--full"]
        report = self.report("--graph", self.graph(RING), *arguments, "--rankfile", ranks, "--hosts", hosts,
                             "--picture", picture, "--save-graph", saved)
        self.assertEqual(ranks.read_text(encoding="utf-8").splitlines(),
                         [f"rank {rank}={'abcd'[node]} slot=0" for rank, node in enumerate(report["mapping"])])
        self.assertEqual(self.report("--graph", saved, *arguments)["mapping"], report["mapping"])
        self.assertTrue(xml.etree.ElementTree.parse(picture).getroot().tag.endswith("svg"))

    def test_any_network_takes_several_tasks_a_node(self):
        for topology in ("torus:2x2x2x2", "fat-tree-64", "optical-hub-64"):
            with self.subTest(topology=topology):
                report = self.report("--graph", "cg", "--topology", topology, "--full", "--effort", "0.1")
                self.assertLessEqual(report["cost_hop_bytes"], report["natural_order"]["cost_hop_bytes"])
                self.assertEqual(len(set(report["mapping"])), report["tasks"])
        ranks, hosts = self.scratch / "ranks", self.scratch / "by-rank"
        report = self.report("--graph", self.graph(RING), "--topology", "torus:2", "--tasks-per-node", "2", "--full",
                             "--rankfile", ranks, "--hostfile", hosts, "--hosts", self.file("hosts", "n[1-2]:2\n"))
        self.assertEqual(sorted(report["mapping"]), [0, 0, 1, 1])
        self.assertEqual(report["bytes_inside_nodes"], 200)
        names = [f"n{node + 1}" for node in report["mapping"]]
        self.assertEqual(hosts.read_text(encoding="utf-8").splitlines(), names)
        self.assertEqual(sorted(line.split("=", 1)[1] for line in ranks.read_text(encoding="utf-8").splitlines()),
                         ["n1 slot=0", "n1 slot=1", "n2 slot=0", "n2 slot=1"])
        self.ends(1, ["has 2 slots, 3 tasks"], "net", "map", "--graph", self.graph(RING), "--topology", "torus:2",
                  "--tasks-per-node", "3", "--rankfile", ranks, "--hosts", self.file("hosts", "n[1-2]:2\n"))

    def test_graphs_of_other_programs_are_told_by_their_content(self):
        expected = self.report("--graph", self.graph(RING), "--topology", "torus:2x2", "--full")
        for name, text in (
            ("ring.mtx", "%%MatrixMarket matrix coordinate integer general\n4 4 4\n1 2 100\n2 3 100\n3 4 100\n4 1 100\n"),
            ("ring.mat", "0 100 0 0\n0 0 100 0\n0 0 0 100\n100 0 0 0\n"),
            ("ring.txt", "0 1 100\n1 2 100\n2 3 100\n3 0 100\n"),
        ):
            with self.subTest(name=name):
                found = self.report("--graph", self.file(name, text), "--topology", "torus:2x2", "--full")
                self.assertEqual(found["mapping"], expected["mapping"])

    def test_fewer_hosts_than_nodes_end_with_1(self):
        self.ends(1, ["host"], "net", "map", "--graph", self.graph(RING), "--topology", "torus:2x2", "--rankfile",
                  self.scratch / "ranks", "--hosts", self.file("hosts", "a\n"))


if __name__ == "__main__":
    cli_test.GDR = sys.argv[1]
    cli_test.PROJECT = pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
