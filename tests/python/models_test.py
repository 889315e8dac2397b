#!/usr/bin/python3
"""grapedr.network and grapedr.validation beside gdr net, gdr cluster and gdr validate; what importing them takes.

models_test.py GDR
"""

import json
import math
import subprocess
import sys
import unittest

import numpy as np

import grapedr

GDR = sys.argv[1]


def gdr(*arguments):
    command = [GDR, *map(str, arguments), "--json", "-"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def status(*arguments):
    return subprocess.run([GDR, *map(str, arguments)], capture_output=True, check=False).returncode


class Refusing(unittest.TestCase):
    def refuses(self, text, call, *arguments, **named):
        with self.assertRaisesRegex(grapedr.Error, text):
            call(*arguments, **named)


class Sums(Refusing):
    def test_a_sum_has_one_value_for_every_split(self):
        random = np.random.default_rng(5)
        terms = random.standard_normal(1000) * 2.0 ** random.integers(-300, 300, 1000)
        value = grapedr.network.sum_value(grapedr.network.sum_words(terms))
        self.assertEqual(value, math.fsum(terms))
        for ranks in (2, 3, 7, 64, 1000):
            words = sum(grapedr.network.sum_words(part) for part in np.array_split(terms[::-1], ranks))
            self.assertEqual(grapedr.network.sum_value(words), value)
        self.assertEqual(grapedr.network.sum_value(grapedr.network.sum_words([])), 0)
        self.assertTrue(math.isnan(grapedr.network.sum_value(grapedr.network.sum_words([math.inf, -math.inf]))))

    def test_integers_are_summed_to_their_last_bit(self):
        random = np.random.default_rng(6)
        for kind, least, most in ((np.int64, -(2**63), 2**63 - 1), (np.uint64, 0, 2**64 - 1)):
            terms = random.integers(least, most, (50, 3), kind, endpoint=True)
            terms.flat[:3] = least, most, 2**53 + 1
            rest = sum(map(int, terms.flat))
            words = grapedr.network.sum_words(terms)
            while rest != 0:  # what a double takes away exactly
                words = words + grapedr.network.sum_words([-float(rest)])
                rest -= int(float(rest))
                self.assertEqual(grapedr.network.sum_value(words), float(rest))

    def test_terms_that_no_double_holds_are_not_rounded(self):
        self.refuses(r"terms is 9007199254740993 at \(1,\), which no double holds", grapedr.network.sum_words, [0.5, 2**53 + 1])
        self.refuses(r"terms is 18446744073709551615 at \(0,\), which no double", grapedr.network.sum_words, [2**64 - 1, -1])
        if np.finfo(np.longdouble).nmant > np.finfo(np.float64).nmant:
            third = np.longdouble(1) / 3
            self.refuses(r"terms is 0\.333\S* at \(1,\) in type float\d+, which no", grapedr.network.sum_words, np.stack([third * 0, third]))
        self.assertEqual(grapedr.network.sum_value(grapedr.network.sum_words(np.array([1, np.inf], np.longdouble))), np.inf)

    def test_what_is_no_sum_is_refused(self):
        self.refuses(r"terms has type complex128: it must hold real numbers", grapedr.network.sum_words, [1j])
        self.refuses(r"words has shape \(70,\) and type int64: it must be \(71,\) of int64", grapedr.network.sum_value,
                     np.zeros(70, dtype=np.int64))
        self.refuses(r"type float64: it must be \(71,\) of int64", grapedr.network.sum_value, np.zeros(71))


class Networks(Refusing):
    def test_collectives_take_what_gdr_net_says(self):
        network = grapedr.network.Network("torus-4x4x4")
        for operation, command, method in [("allgather", "allgather", "ring"), ("broadcast", "bcast", "direct"),
                                           ("alltoall", "alltoall", "pairwise"), ("allreduce", "allreduce", "auto")]:
            arguments = ("--network", "torus-4x4x4", "--bytes", 4096, "--method", method, "--executor", "closed-form")
            expected = gdr("net", command, *arguments)
            made = network.collective(operation, 4096, method)
            self.assertAlmostEqual(made["seconds"] / expected["seconds"], 1, delta=1e-12)  # steps are added in another order
            self.assertEqual(made["messages"], expected["messages"])
            # Both choose the same method if none is named.
            arguments = ("--network", "torus-4x4x4", "--bytes", 65536, "--executor", "closed-form")
            expected = gdr("net", command, *arguments)
            made = network.collective(operation, 65536)
            self.assertAlmostEqual(made["seconds"] / expected["seconds"], 1, delta=1e-12)
            self.assertEqual(made["messages"], expected["messages"])
            self.assertEqual(made, network.collective(operation, 65536, "auto"))
        self.assertEqual(network.collective("send", 65536), network.collective("send", 65536, "direct"))
        self.assertEqual((network.nodes, len(network.route(0, 1))), (64, 1))
        self.assertIn("64 nodes", repr(network))

    def test_simulation_agrees_where_nothing_contends(self):
        hub = grapedr.network.Network("optical-hub-64", nodes=16)
        try:
            simulated = hub.collective("allgather", 1 << 16, "ring", simulate=True)
        except grapedr.Error as error:
            self.assertIn("libgdr_simgrid.so", str(error))
            self.skipTest("no SimGrid here")
        self.assertAlmostEqual(simulated["seconds"] / simulated["lockstep_seconds"], 1, delta=1e-6)

    def test_are_refused_by_name_and_value(self):
        self.refuses("'nothing'", grapedr.network.Network, "nothing")
        network = grapedr.network.Network("torus-4x4x4")
        self.refuses("operation = 'gossip'.*allgather, allreduce", network.collective, "gossip", 1)
        self.refuses("method = 'slow'.*ring", network.collective, "allgather", 1, "slow")
        for size in (-1, 0, 1.5, 2**40 + 1):
            self.refuses("bytes = .* is refused: it must be a whole number from 1 to 1099511627776", network.collective, "allgather", size)
            self.assertEqual(status("net", "allgather", "--network", "torus-4x4x4", "--executor", "closed-form", f"--bytes={size}"), 2)
        self.refuses("node", network.route, 0, 64)


class Mappings(Refusing):
    def test_are_those_of_gdr_net_map(self):
        for method in ("xyz", "mincost", "refined"):
            expected = gdr("net", "map", "--graph", "cg", "--topology", "torus:4x4x4", "--method", method, "--full")
            made = grapedr.network.map_tasks("cg", "torus:4x4x4", method)
            np.testing.assert_array_equal(made.nodes, expected["mapping"])
            self.assertEqual(made.cost_hop_bytes, expected["cost_hop_bytes"])
            self.assertEqual(made.max_link_bytes, expected["max_link_bytes"])
            self.assertEqual(made.link_bytes.max(), made.max_link_bytes)
        self.assertIn("<img", made._repr_html_())

    def test_refuse_what_gdr_net_map_refuses(self):
        command = ("net", "map", "--graph", "bruck", "--topology", "torus:2x2")
        for name, value in (("threads", 1025), ("threads", -1), ("seed", -1), ("seed", 2**64), ("bytes", 0), ("bytes", 2**41),
                            ("effort", -1), ("effort", 2e6)):
            self.refuses(name, grapedr.network.map_tasks, "bruck", "torus:2x2", **{name: value})
            self.assertEqual(status(*command, f"--{name}={value}"), 2)
        self.assertEqual(list(grapedr.network.map_tasks("bruck", "torus:2x2", threads=0, seed=2**63).nodes),
                         gdr(*command, "--threads", 0, "--seed", 2**63, "--full")["mapping"])

    def test_refuse_arguments_without_effect_as_gdr_net_map_does(self):
        for method in ("xyz", "none", "mincost", "minlink", "scotch"):
            for name, value in (("seed", 7), ("threads", 2), ("effort", 2.0), ("objective", "cost")):
                self.refuses(f"^{name} has no effect with method = '{method}'$", grapedr.network.map_tasks, "bruck", "torus:2x2", method,
                             **{name: value})
                self.assertEqual(status("net", "map", "--graph", "bruck", "--topology", "torus:2x2", "--method", method, f"--{name}", value), 2)
        for graph, name, value in (("cg", "bytes", 8), ("bruck", "npb_class", "B"), ("sp", "bytes", 8)):
            self.refuses(f"^{name} has no effect with graph = '{graph}'$", grapedr.network.map_tasks, graph, "torus:2x2", **{name: value})
            option = {"bytes": "--bytes", "npb_class": "--class"}[name]
            self.assertEqual(status("net", "map", "--graph", graph, "--topology", "torus:2x2", option, value), 2)
        for name, value in (("bytes", 8), ("npb_class", "B")):
            self.refuses(f"^{name} has no effect with graph = this graph$", grapedr.network.map_tasks, np.zeros((4, 4), int), "torus:2x2",
                         **{name: value})
        # The seed of the search counts.
        made = [grapedr.network.map_tasks("sp", "torus:4x4x4", seed=seed, effort=0.1).nodes.tolist() for seed in (1, 2)]
        self.assertNotEqual(*made)

    def test_take_matrices(self):
        matrix = np.zeros((16, 16), int)
        for task in range(16):  # a ring whose tasks stand in disorder
            matrix[task * 5 % 16, (task + 1) * 5 % 16] = 1000
        made = grapedr.network.map_tasks(matrix, "torus:4x4")
        self.assertEqual(sorted(made.nodes), list(range(16)))
        self.assertEqual(made.cost_torus_hop_bytes, 16 * 1000)  # a ring fits a torus: every message goes one hop
        self.refuses("square matrix of integers", grapedr.network.map_tasks, np.zeros((2, 3), int), "mesh:4")
        self.refuses(r"-1 at \(0, 1\)", grapedr.network.map_tasks, np.array([[0, -1], [0, 0]]), "mesh:2")
        self.refuses("transfer from 0 to itself", grapedr.network.map_tasks, np.ones((2, 2), int), "mesh:2")
        self.refuses("hypercube", grapedr.network.map_tasks, matrix, "hypercube:4")


class Clusters(Refusing):
    def test_take_what_gdr_cluster_says(self):
        expected = gdr("cluster", "nbody", "--cluster", "grape-dr-64", "--nodes", 16, "--n", 100000, "--algorithm", "2d")
        row = expected["rows"][0]
        made = grapedr.network.cluster_nbody("grape-dr-64", 16, 100000)
        self.assertAlmostEqual(made["seconds"] / row["seconds"], 1, delta=1e-12)
        self.assertAlmostEqual(made["efficiency"], row["efficiency"], delta=1e-12)
        self.assertEqual(made["bound_by"], row["bound_by"])
        self.assertIn("grape-dr-64", grapedr.network.cluster_names())
        self.refuses("3d", grapedr.network.cluster_nbody, "grape-dr-64", 16, 1000, "3d")

    def test_refuse_what_gdr_cluster_refuses(self):
        """A kernel without forces, particles that are none, and lengths gave numbers."""
        model = grapedr.network.cluster_nbody
        for kernel in ("gravity", "dgemm"):
            self.refuses(f"kernel {kernel} has no", model, "grape-dr-64", 4, 4096, kernel_name=kernel)
            self.assertEqual(status("cluster", "nbody", "--nodes", 4, "--n", 4096, "--kernel", kernel), 2)
        for t_end in (0, -1, float("nan")):
            self.refuses("t_end = ", model, "grape-dr-64", 4, 4096, t_end=t_end)
            self.assertEqual(status("cluster", "nbody", "--nodes", 4, "--n", 4096, f"--t-end={t_end}"), 2)
        for t_end in (1e-7, 1e7):
            expected = gdr("cluster", "nbody", "--nodes", 4, "--n", 4096, "--t-end", t_end)
            self.assertAlmostEqual(model("grape-dr-64", 4, 4096, t_end=t_end)["seconds"] / expected["emulated_seconds"], 1, delta=1e-12)
        for n in (0, 1, -5, 2.5, 10**10):
            self.refuses("n = .* is refused: it must be a whole number from 2 to 1000000000", model, "grape-dr-64", 1, n)
            self.assertEqual(status("cluster", "nbody", "--nodes", 1, f"--n={n}"), 2)
        for nodes in (0, -1, 70000):
            self.refuses("nodes = .* is refused: it must be a whole number from 1 to 65536", model, "grape-dr-64", nodes, 4096)

    def test_no_network_grows_unasked(self):
        self.refuses("256 nodes are refused", grapedr.network.cluster_nbody, "grape-dr-64", 256, 100000)
        larger = grapedr.network.cluster_nbody("grape-dr-64", 256, 100000, grow_network=True)
        expected = gdr("cluster", "nbody", "--cluster", "grape-dr-64", "--nodes", 256, "--n", 100000, "--grow-network")
        self.assertEqual(larger["seconds"], expected["emulated_seconds"])


class Validation(Refusing):
    def test_rows_are_those_of_gdr_validate(self):
        expected = gdr("validate", "--only", "G5")["rows"]
        rows = grapedr.validate("G5")
        self.assertEqual([row.id for row in rows], [row["id"] for row in expected])
        self.assertEqual([row.ours for row in rows], [row["ours"] for row in expected])
        self.assertEqual([row.passed for row in rows], [row["pass"] for row in expected])
        page = rows[:2]._repr_html_()
        self.assertIn(rows[1].id, page)
        self.assertNotIn(rows[2].id, page)
        self.assertIn("whether the row passes", page)
        self.refuses("only = 'ZZ'", grapedr.validate, "ZZ")


class Imports(unittest.TestCase):
    def test_what_takes_time_is_imported_when_it_is_asked_for(self):
        script = (
            "import sys, grapedr\n"
            "print([m for m in ('matplotlib', 'h5py', 'grapedr._models', 'grapedr.tables') if m in sys.modules])\n"
            "grapedr.network, grapedr.read_table\n"
            "print('grapedr._models' in sys.modules, sorted(set(grapedr.__all__) - set(dir(grapedr)))[:1])\n"
        )
        out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        self.assertEqual(out.splitlines()[0], "[]")
        self.assertTrue(out.splitlines()[1].startswith("True"))

    def test_every_public_name_has_a_docstring(self):
        for name in grapedr.__all__:
            thing = getattr(grapedr, name)
            if name not in ("Error", "AssemblyError"):
                self.assertTrue(thing.__doc__, name)
        self.assertRaises(AttributeError, getattr, grapedr, "nothing")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
