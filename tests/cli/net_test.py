"""The program's networks as its users meet them: net_test.py GDR PROJECT."""

import csv
import json
import os
import pathlib
import re
import resource
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

GDR = pathlib.Path(sys.argv[1]).resolve()
PROJECT = pathlib.Path(sys.argv[2]).resolve()


USAGE_ERROR = 2


def run(*arguments, env=None, most_bytes=resource.RLIM_INFINITY):
    """Files that are written can have `most_bytes`."""
    return subprocess.run([GDR, *arguments], capture_output=True, text=True, cwd=PROJECT, env=env,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, resource.RLIM_INFINITY)))


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
        self.assertEqual(outcome.returncode, 2)
        self.assertIn("8 is refused: it must be a square", outcome.stderr)
        self.assertIn("--nodes: nodes of a two-dimensional torus", run("net", "replay", "cg", "--topology", "torus", "--nodes", "2").stderr)
        # Also if a square of about this size would take too long.
        self.assertIn("4000 is refused: it must be a square", run("net", "summa", "--topology", "fat-tree", "--routing",
                                                                  "hash", "--nodes", "4000").stderr)

    def test_schedules_beyond_memory_are_refused_with_the_estimate(self):
        outcome = run("net", "summa", "--nodes", "4096", "--algorithm", "CA4", "--long")
        self.assertEqual(outcome.returncode, 2)
        self.assertRegex(outcome.stderr, r"4096 is refused: the schedule would .* take \d+\.\d GB")

    def test_no_bandwidth_is_refused_with_file_and_line(self):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "hub.toml"
            text = (PROJECT / "machines/optical-hub-64.toml").read_text(encoding="utf-8")
            file.write_text(text.replace("value = 200,", "value = 0,"), encoding="utf-8")
            outcome = run("net", "summa", "--network", str(file))
            self.assertEqual(outcome.returncode, 1)
            self.assertRegex(outcome.stderr, r"hub\.toml:\d+: .*bandwidth")


class Kinds(unittest.TestCase):
    PLATFORM = """bandwidth = { value = 8, unit = "GB/s per node", origin = "O: a test" }
latency = { value = 1, unit = "us", origin = "O: a test" }
node_speed = { value = 1, unit = "Gflops", origin = "O: a test" }
"""

    def network(self, directory, kind, parameters):
        path = pathlib.Path(directory) / f"{kind}.toml"
        lines = "".join(f'{key} = {{ value = {value}, unit = "{unit}", origin = "O: a test" }}\n'
                        for key, value, unit in parameters)
        path.write_text(f'name = "mine"\ntitle = "a test"\nkind = "{kind}"\n[parameters]\n{lines}{self.PLATFORM}',
                        encoding="utf-8")
        return str(path)

    def route(self, network, start, end, *options):
        routes = report("net", "routes", "--network", network, "--from", str(start), "--to", str(end), *options)["routes"]
        return routes[0]["links"]

    def test_every_kind_routes(self):
        with tempfile.TemporaryDirectory() as directory:
            switch = self.network(directory, "switch", [("nodes", 6, "1")])
            self.assertEqual(self.route(switch, 1, 4), ["1>switch", "switch>4"])
            ring = self.network(directory, "ring", [("nodes", 6, "1")])
            self.assertEqual(self.route(ring, 0, 5), ["0-0"])
            self.assertEqual(len(self.route(ring, 0, 3, "--routing", "shortest")), 3)
            mesh = self.network(directory, "mesh", [("x", 3, "nodes"), ("y", 2, "nodes"), ("z", 1, "nodes")])
            self.assertEqual(self.route(mesh, 0, 5), ["0+0", "1+0", "2+1"])
            dragonfly = self.network(directory, "dragonfly", [
                ("groups", 3, "1"), ("routers", 2, "per group"), ("nodes_per_router", 2, "nodes"),
                ("local_bandwidth", 8, "GB/s per link"), ("global_bandwidth", 4, "GB/s per link"), ("global_latency", 2, "us")])
            self.assertEqual(self.route(dragonfly, 0, 1), ["0>router", "router>1"])
            self.assertLessEqual(len(self.route(dragonfly, 0, 11)), 5)

    def test_a_platform_for_smpirun_has_every_route(self):
        with tempfile.TemporaryDirectory() as directory:
            mesh = self.network(directory, "mesh", [("x", 3, "nodes"), ("y", 2, "nodes"), ("z", 1, "nodes")])
            path = pathlib.Path(directory) / "mesh.xml"
            self.assertEqual(report("net", "routes", "--network", mesh, "--save-platform", str(path))["routes"], [])
            zone = xml.etree.ElementTree.parse(path).getroot().find("zone")
            self.assertEqual([host.get("id") for host in zone.findall("host")], [str(node) for node in range(6)])
            latency = {link.get("id"): float(link.get("latency").removesuffix("s")) for link in zone.findall("link")}
            found = {(route.get("src"), route.get("dst")): sum(latency[link.get("id")] for link in route.findall("link_ctn"))
                     for route in zone.findall("route")}
            routes = report("net", "routes", "--network", mesh)["routes"]
            self.assertEqual(len(found), 30)
            for route in routes:
                self.assertAlmostEqual(found[str(route["from"]), str(route["to"])], route["latency_seconds"], delta=1e-12)
            many = run("net", "routes", "--topology", "hub", "--nodes", "1025", "--save-platform", str(path))
            self.assertEqual(many.returncode, 1)
            self.assertIn("1025 nodes are refused", many.stderr)

    def test_a_graph_takes_its_links_and_routes_from_tables(self):
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            (folder / "graph.links.csv").write_text("from,to\n0,s\n1,s\n1,t # spare\n2,t\ns,t\n", encoding="utf-8")
            network = self.network(directory, "graph", [("nodes", 3, "1")])
            self.assertEqual(self.route(network, 0, 2), ["0>s", "s>t", "t>2"])
            (folder / "graph.routes.csv").write_text("from,to,over\n0,2,s 1 t\n", encoding="utf-8")
            network = self.network(directory, "graph", [("nodes", 3, "1")])
            self.assertEqual(self.route(network, 0, 2), ["0>s", "s>1", "1>t", "t>2"])
            (folder / "graph.routes.csv").unlink()
            for wrong, named in (("from,to\n0,s\n", "does not reach"), ("to,from\n", "graph.links.csv:1:"),
                                 ("from,to\n0,9\n", "graph.links.csv:2: node 9"), ("from,to\n0,0\n", "graph.links.csv:2:")):
                (folder / "graph.links.csv").write_text(wrong, encoding="utf-8")
                self.assertIn(named, run("net", "routes", "--network", network).stderr, wrong)

    def test_a_graph_shares_equal_paths_by_default(self):
        nodes, leaves = 64, 8
        with tempfile.TemporaryDirectory() as directory:
            cables = [(node, f"leaf{node // leaves}") for node in range(nodes)]
            cables += [(f"leaf{leaf}", f"spine{spine}") for leaf in range(nodes // leaves) for spine in range(leaves)]
            lines = "".join(f"{first},{second}\n" for first, second in cables)
            (pathlib.Path(directory) / "graph.links.csv").write_text("from,to\n" + lines, encoding="utf-8")
            network = self.network(directory, "graph", [("nodes", nodes, "1")])
            arguments = ("net", "allgather", "--network", network, "--method", "pairwise", "--bytes", "1000000", "--executor",
                         "closed-form")
            shared = report(*arguments)
            # As many cables lead up as down, so nothing but a node's own cable limits it.
            of_one_cable = (nodes - 1) * 1000000 / 8e9
            self.assertLess(shared["seconds"], 1.15 * of_one_cable)
            # One cable to the first spine then carries all that a leaf's nodes send to other leaves.
            of_one_spine = (nodes - leaves) * leaves * 1000000 / 8e9
            self.assertGreaterEqual(report(*arguments, "--routing", "shortest")["seconds"], of_one_spine)

    def test_a_network_file_says_how_equal_paths_are_shared(self):
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            (folder / "graph.links.csv").write_text("from,to\n0,s\ns,t\ns,t\nt,1\n", encoding="utf-8")
            network = self.network(directory, "graph", [("nodes", 2, "1")])
            text = pathlib.Path(network).read_text(encoding="utf-8")
            links = {"": 3, "hash": 3, "all": 4}
            for routing, count in links.items():
                line = f'\nrouting = "{routing}"' if routing else ""
                pathlib.Path(network).write_text(text.replace('kind = "graph"', 'kind = "graph"' + line), encoding="utf-8")
                self.assertEqual(len(self.route(network, 0, 1)), count, routing)
            self.assertEqual(self.route(network, 0, 1), ["0>s", "s>t (1/2)", "t>1", "s>t:2 (1/2)"])
            self.assertEqual(len(self.route(network, 0, 1, "--routing", "shortest")), 3)
            for executor in ("s4u", "smpi", "closed-form"):
                factors = () if executor == "closed-form" else ("--factors", "none")
                run_of = report("net", "allgather", "--network", network, "--bytes", "1000000", "--executor", executor, *factors)
                self.assertAlmostEqual(run_of["seconds"], 128e-6, delta=1e-8, msg=executor)
                self.assertAlmostEqual(run_of["link_bound_seconds"], 125e-6, delta=1e-12)
            refused = run("net", "routes", "--network", network, "--save-platform", str(folder / "graph.xml"))
            self.assertIn("a message is divided among 2 ways", refused.stderr)

    def test_a_routing_that_a_kind_does_not_know_is_refused_at_its_line(self):
        machines = pathlib.Path(__file__).parents[2] / "machines"
        with tempfile.TemporaryDirectory() as directory:
            network = pathlib.Path(directory) / "wrong.toml"
            for kind, value, named in (
                    ("torus-64", '"destination"', "routing = 'destination' is refused: it must be one of shortest, dimension-order, hash, all"),
                    ("torus-64", "3", "routing = 3 is refused: it must be one of shortest, dimension-order, hash, all"),
                    ("fat-tree-64", '"ecmp"', "routing = 'ecmp' is refused: it must be one of shortest, destination, source, hash, all"),
                    ("infiniband-ddr-64", '"hash"', "routing = 'hash' is refused: kind 'switch' has no such choice; these have: ring ("),
                    ("optical-hub-64", '"hash"', "routing = 'hash' is refused: kind 'optical-hub' has no such choice")):
                text = (machines / f"{kind}.toml").read_text(encoding="utf-8")
                lines = text.split("\n")
                place = next(number for number, line in enumerate(lines) if line.startswith("kind"))
                lines.insert(place + 1, f"routing = {value}")
                network.write_text("\n".join(lines), encoding="utf-8")
                for command in (("routes", "--network"), ("alltoall", "--network"), ("map", "--graph", "cg", "--topology")):
                    refused = run("net", *command, str(network))
                    self.assertIn(refused.returncode, (1, 2), command)
                    self.assertIn(f"{network}:{place + 2}: {named}", refused.stderr, command)

    def test_options_that_exclude_each_other_are_refused(self):
        for arguments in (("--topology", "torus", "--network", "fat-tree-64"), ("--topology", "hub", "--routing", "shortest"),
                          ("--topology", "torus", "--tie", "plus"), ("--topology", "fat-tree", "--routing", "dimension-order")):
            self.assertIn(run("net", "routes", *arguments).returncode, (1, 2), arguments)
        self.assertEqual(run("net", "summa", "--nodes", "4", "--picture", "loads.jpg").returncode, 2)
        self.assertEqual(run("net", "map", "--graph", "cg", "--topology", "torus:2x2", "--hosts", "README.md").returncode, 2)


class Cost(unittest.TestCase):
    def test_the_lines_are_those_of_table_a_1(self):
        result = report("net", "cost", "--network", "optical-hub-cost-1d")
        subtotals = [line["subtotal"] for line in result["lines"]]
        self.assertEqual(sorted(subtotals), [8640, 11520, 11520, 12800, 16000, 16000, 25600, 40000])
        self.assertEqual((result["total"], result["usd_per_gbps"]), (142080, 5.55))


class ClosedForm(unittest.TestCase):
    def test_a_hub_of_more_nodes_than_wavelengths_is_warned_of(self):
        for arguments, joined in [(["hub", "--nodes", "80"], None), (["hub", "--nodes", "81"], "81"),
                                  (["hub2d", "--nodes", "6400"], None), (["hub2d", "--nodes", "6561"], "81"),
                                  (["torus", "--nodes", "100"], None)]:
            outcome = run("net", "routes", "--topology", *arguments, "--from", "0", "--to", "1")
            self.assertEqual(outcome.returncode, 0, arguments)
            if joined is None:
                self.assertEqual(outcome.stderr, "", arguments)
            else:
                self.assertIn(f"a hub of {joined} nodes cannot be built: wavelengths suffice for about 80, in two "
                              "dimensions for 6400", outcome.stderr)

    def test_a_hub_without_contention_needs_no_simulation(self):
        arguments = ("net", "summa", "--nodes", "16", "--n", "4096", "--executor", "closed-form")
        result = report(*arguments)
        self.assertEqual((result["engine"], result["simulation"]), ("closed-form", {"executor": "closed-form"}))
        # Table 3 of Urino 2020, CA4 to CA1: as many times as there are nodes; latencies take the rest.
        self.assertAlmostEqual(result["relative"], 16, delta=0.1)
        if HAS_SIMGRID:
            simulated = report(*arguments[:-1], "s4u", "--factors", "none")
            self.assertAlmostEqual(result["seconds"] / simulated["seconds"], 1, delta=1e-3)


    def test_what_would_not_end_is_refused_before_it_is_made(self):
        for arguments, expected in (
                (("summa", "--topology", "hub2d", "--nodes", "8100"), r"it would take about \d+ s; --long"),
                (("summa", "--topology", "torus", "--nodes", "65536", "--routing", "dimension-order", "--executor",
                  "closed-form"), r"it would take about \d+ s; --long"),
                (("routes", "--topology", "torus", "--nodes", "65536", "--routing", "dimension-order"),
                 "4294967296 paths are refused: at most 4194304 are listed; --from and --to choose some"),
                (("routes", "--topology", "torus", "--nodes", "65536"),
                 "at most 2048; a network with other routings can have more"),
                (("routes", "--topology", "fat-tree", "--nodes", "100000"),
                 "nodes of a leaf of a fat tree: 25000 is refused: it must be from 1 to 1024")):
            outcome = run("net", *arguments)
            self.assertEqual(outcome.returncode, USAGE_ERROR, outcome.stderr)
            self.assertRegex(outcome.stderr, expected)


class Imports(unittest.TestCase):
    def test_networks_that_no_command_takes_replace_no_file(self):
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            output, tree = folder / "good.toml", folder / "tree.conf"
            tree.write_text("SwitchName=s Nodes=a,b\n", encoding="utf-8")
            done = run("net", "import", str(tree), "-o", str(output))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(run("net", "routes", "--network", str(output)).returncode, 0)
            # Switch 0 would be node 0.
            tree.write_text("SwitchName=0 Nodes=1,0\nSwitchName=1 Nodes=n2,n3\nSwitchName=t Switches=[0-1]\n", encoding="utf-8")
            before = {path.name: path.read_bytes() for path in folder.iterdir()}
            done = run("net", "import", str(tree), "-o", str(output))
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"^gdr: {tree}: no network can be made of it: good\.")
            self.assertEqual({path.name: path.read_bytes() for path in folder.iterdir()}, before)


PLATFORM_HEAD = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">'


@unittest.skipUnless(HAS_SIMGRID, "without libgdr_simgrid.so")
class Platforms(unittest.TestCase):
    def test_more_hosts_than_can_be_read_are_refused_before_they_are_made(self):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "many.xml"
            for radical, hosts in (("0-99999999", "100000000"), ("5,7-1031", "1026"), ("0-1,3-18446744073709551615", "18446744073709551616")):
                with self.subTest(radical):
                    file.write_text(
                        PLATFORM_HEAD +
                        f'<zone id="w" routing="Full"><cluster id="c" prefix="n" suffix="" radical="{radical}" speed="1Gf" '
                        'bw="1Gbps" lat="1us"/></zone></platform>\n', encoding="utf-8")
                    outcome = run("net", "import", str(file), "--output", str(file.with_suffix(".toml")))
                    self.assertEqual(outcome.returncode, 1, outcome.stderr)
                    self.assertIn(f"many.xml: {hosts} hosts are refused: at most 1024 can be read", outcome.stderr)

    def test_hosts_are_counted_however_their_radical_is_written(self):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "many.xml"
            for radical, expected in (("radical='0-99999999'", "100000000 hosts are refused"), ("radical\n= \"0-99999999\"", "100000000 hosts"),
                                      ("radical=\" 0- 99999999\"", "100000000 hosts"), ("radical=\"0-+99999999\"", "100000000 hosts"),
                                      ("radical=\"0-&#57;9999999\"", "must be numbers and ranges")):
                with self.subTest(radical):
                    file.write_text(
                        PLATFORM_HEAD +
                        f'<cluster id="c" prefix="n" suffix="" {radical} speed="1Gf" bw="1Gbps" lat="1us"/></platform>\n', encoding="utf-8")
                    outcome = run("net", "import", str(file), "--output", str(file.with_suffix(".toml")))
                    self.assertEqual(outcome.returncode, 1, outcome.stderr)
                    self.assertIn(expected, outcome.stderr)

    def test_links_that_no_message_can_take_are_refused(self):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "odd.xml"
            for bandwidth, latency, refused in (("-1GBps", "1us", "bandwidth is -1000000000 "), ("nan", "1us", "bandwidth is nan "),
                                                ("inf", "1us", "bandwidth is inf "), ("1GBps", "-1us", "latency is -1e-06 ")):
                with self.subTest(refused):
                    file.write_text(
                        PLATFORM_HEAD +
                        '<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>'
                        f'<link id="l" bandwidth="{bandwidth}" latency="{latency}"/>'
                        '<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>\n', encoding="utf-8")
                    outcome = run("net", "import", str(file), "--output", str(file.with_suffix(".toml")))
                    self.assertEqual(outcome.returncode, 1, outcome.stderr)
                    self.assertIn(f"odd.xml: link l is refused: its {refused}", outcome.stderr)
                    self.assertEqual([path.name for path in file.parent.iterdir()], ["odd.xml"])


@unittest.skipUnless(HAS_SIMGRID, "without libgdr_simgrid.so")
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
            for topology, links in (("hub", 16 * 15), ("hub2d", 16 * 6), ("fat-tree", 16 * 2 + 4 * 2 * 2)):
                file = pathlib.Path(directory) / "links.svg"
                outcome = run("net", "summa", "--topology", topology, "--nodes", "16", "--n", "64", "--picture", str(file))
                self.assertEqual(outcome.returncode, 0, outcome.stderr)
                titles = [e for e in xml.etree.ElementTree.parse(file).iter() if e.tag.endswith("title")]
                self.assertEqual(len(titles), links, topology)
            self.assertEqual(run("net", "summa", "--topology", "torus", "--nodes", "16", "--n", "64", "--picture",
                                 str(file)).returncode, 0)
            strokes = [e.get("stroke") for e in xml.etree.ElementTree.parse(file).iter() if e.get("stroke")]
            self.assertEqual(len(strokes), 16 * 4)

    def test_a_picture_that_ends_in_png_is_png_of_twice_the_size(self):
        with tempfile.TemporaryDirectory() as directory:
            svg, png, jpg = (pathlib.Path(directory) / f"links.{kind}" for kind in ("svg", "png", "jpg"))
            arguments = ("net", "summa", "--topology", "torus", "--nodes", "16", "--n", "64", "--executor", "closed-form",
                         "--picture")
            self.assertEqual(run(*arguments, str(svg)).returncode, 0)
            # Fonts that the drawing library has found stay with it until the program ends.
            outcome = run(*arguments, str(png), env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
            if "libgdr_png.so" in outcome.stderr:
                self.assertEqual(outcome.returncode, USAGE_ERROR)
                self.assertFalse(png.exists())
                return
            self.assertEqual(outcome.returncode, 0, outcome.stderr)
            head = png.read_bytes()[:26]
            self.assertEqual(head[:16], b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR")
            width, height, depth, colour = struct.unpack(">IIBB", head[16:26])
            root = xml.etree.ElementTree.parse(svg).getroot()
            self.assertEqual((width, height), (2 * int(root.get("width")), 2 * int(root.get("height"))))
            self.assertEqual((depth, colour), (8, 2))  # eight bits of red, green and blue each
            # One that cannot be written leaves the earlier one.
            good = png.read_bytes()
            outcome = run(*arguments, str(png), env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}, most_bytes=len(good) // 2)
            self.assertEqual(outcome.returncode, 1, outcome.stderr)
            self.assertRegex(outcome.stderr, rf"^gdr: {png}: .*File too large\n$")
            self.assertEqual(png.read_bytes(), good)
            self.assertEqual(run(*arguments, str(jpg)).returncode, USAGE_ERROR)

    def test_half_the_latency_and_twice_the_bandwidth_are_half_the_time(self):
        for name in ("torus-64", "fat-tree-64", "optical-hub-64"):
            text = (PROJECT / f"machines/{name}.toml").read_text(encoding="utf-8")
            with tempfile.TemporaryDirectory() as directory:
                file = pathlib.Path(directory) / "fast.toml"
                fast = text.replace("bandwidth  = { value = 200,", "bandwidth  = { value = 400,")
                fast = fast.replace("latency    = { value = 0.1,", "latency    = { value = 0.05,")
                file.write_text(fast, encoding="utf-8")
                for algorithm in ("CA1", "CA2"):
                    arguments = ("net", "summa", "--nodes", "16", "--n", "1024", "--algorithm", algorithm, "--network")
                    ratio = report(*arguments, name)["seconds"] / report(*arguments, str(file))["seconds"]
                    self.assertAlmostEqual(ratio, 2, places=9)

    def test_allgather_chooses_a_method_and_refuses_what_does_not_end(self):
        for size, nodes, method in ((64, 16, "doubling"), (64, 36, "bruck"), (1 << 20, 16, "ring"), (1 << 20, 324, "ring")):
            arguments = ("net", "allgather", "--topology", "torus", "--nodes", str(nodes), "--bytes", str(size))
            chosen = report(*arguments, "--executor", "closed-form")
            self.assertEqual((chosen["method"], chosen["chosen_by"]), (method, "MPICH 3.1.3"))
        self.assertIsNone(report("net", "allgather", "--nodes", "4", "--method", "ring", "--executor", "closed-form")["chosen_by"])
        # All to all at once over a torus, whose links carry unequally much, takes far longer than over a hub.
        for network, nodes in (("hub", 1024), ("torus", 256)):
            outcome = run("net", "allgather", "--topology", network, "--nodes", str(nodes), "--method", "posted")
            self.assertEqual(outcome.returncode, USAGE_ERROR, network)
            self.assertRegex(outcome.stderr, r"refused: it would take about \d+ s; --long")

    def test_collectives_of_one_node_take_no_time_and_those_of_100000_are_counted(self):
        with tempfile.TemporaryDirectory() as directory:
            text = (PROJECT / "machines" / "fat-tree-64.toml").read_text(encoding="utf-8")
            for name, value in (("leaves", 100), ("nodes_per_leaf", 1000), ("spines", 10), ("cables", 100)):
                text = re.sub(rf"(?m)^{name}\s*= {{ value = \d+", f"{name} = {{ value = {value}", text)
            large = pathlib.Path(directory) / "large.toml"
            large.write_text(text.replace('kind = "fat-tree"', 'kind = "fat-tree"\nrouting = "all"'), encoding="utf-8")
            for collective in ("bcast", "allgather", "allreduce", "alltoall"):
                for executor in ("s4u", "closed-form"):
                    one = report("net", collective, "--topology", "torus", "--nodes", "1", "--executor", executor)
                    self.assertEqual((one["seconds"], one["messages"]), (0, 0), collective)
                many = report("net", collective, "--network", str(large), "--bytes", "8", "--executor", "closed-form")
                self.assertEqual(many["nodes"], 100000)
                self.assertGreaterEqual(many["seconds"], many["link_bound_seconds"])

    def test_the_bytes_of_all_messages_are_in_text_and_report(self):
        for collective, payloads in (("bcast", 8), ("allgather", 9 * 8)):
            arguments = ("net", collective, "--topology", "torus", "--nodes", "9", "--bytes", "64", "--executor", "closed-form")
            one = report(*arguments)
            self.assertEqual(one["total_bytes"], payloads * 64, collective)
            self.assertIn(f"{one['messages']}, {one['total_bytes']} bytes\n", run(*arguments).stdout)

    def test_an_all_gather_by_levels_needs_groups(self):
        arguments = ("net", "allgather", "--method", "levels", "--executor", "closed-form")
        self.assertIn("has no sub-clusters; --group", run(*arguments, "--topology", "torus").stderr)
        self.assertGreater(report(*arguments, "--topology", "torus", "--group", "8")["seconds"], 0)
        clusters = report(*arguments, "--network", "ha-pacs-tca", "--nodes", "64", "--bytes", "65536")
        ring = report("net", "allgather", "--network", "ha-pacs-tca", "--nodes", "64", "--bytes", "65536", "--method", "ring",
                      "--executor", "closed-form")
        self.assertLess(clusters["seconds"], ring["seconds"])

    def test_mpi_calls_on_smpi_take_as_long_as_flows(self):
        arguments = ("net", "summa", "--topology", "torus", "--nodes", "16", "--n", "512", "--executor")
        seconds = [report(*arguments, executor)["seconds"] for executor in ("s4u", "smpi")]
        self.assertAlmostEqual(seconds[1] / seconds[0], 1, delta=0.02)

    def test_relays_gain_half_the_nodes_on_long_broadcasts(self):
        seconds = [
            report("net", "bcast", "--nodes", "16", "--bytes", "16777216", "--method", method, "--factors", "none")["seconds"]
            for method in ("direct", "multipath")
        ]
        self.assertAlmostEqual(seconds[0] / seconds[1], 8, delta=0.08)

    def test_relays_gain_from_512_bytes_with_the_factors_of_smpi(self):
        def gains(size):
            seconds = [report("net", "bcast", "--bytes", str(size), "--method", method, "--factors", "smpi-factors")["seconds"]
                       for method in ("direct", "multipath")]
            return seconds[1] < seconds[0]

        self.assertEqual([gains(256), gains(512)], [False, True])

    def test_no_command_takes_factors_that_are_not_asked_for(self):
        messages = ("net", "bcast", "--nodes", "4", "--method", "direct")
        self.assertEqual(report(*messages)["simulation"]["factors"], "none")
        self.assertEqual(report("net", "summa", "--nodes", "4", "--n", "64")["simulation"]["factors"], "none")
        self.assertEqual(report("net", "replay", "bruck", "--ranks", "4")["factors"], "none")
        cluster = report("cluster", "nbody", "--cluster", "grape-dr-64-hub", "--nodes", "4", "--n", "1000")
        self.assertEqual(cluster["factors"], "none")

    def test_a_rank_map_moves_ranks_and_not_the_network(self):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "map.csv"
            arguments = ("net", "summa", "--topology", "torus", "--nodes", "16", "--n", "512", "--algorithm", "CA1")
            file.write_text("task,node\n" + "".join(f"{i},{i}\n" for i in range(16)), encoding="utf-8")
            here = report(*arguments)["seconds"]
            self.assertEqual(report(*arguments, "--map", str(file))["seconds"], here)
            # Ranks of a row far apart: broadcasts along rows and columns meet on links.
            file.write_text("task,node\n" + "".join(f"{i},{i * 7 % 16}\n" for i in range(16)), encoding="utf-8")
            self.assertGreater(report(*arguments, "--map", str(file))["seconds"], here)
            file.write_text("task,node\n0,16\n", encoding="utf-8")
            self.assertIn("map.csv:2:", run(*arguments, "--map", str(file)).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
