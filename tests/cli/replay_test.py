#!/usr/bin/env python3
"""gdr net replay and gdr net run as their users meet them; smpirun judges the times where it is installed.

    replay_test.py GDR PROJECT
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import cli_test

# The judge's flow model is ours: CM02, without factors and crosstraffic. It adds 16 bytes to each message. Its default, to
# compute only the shares that may have changed, lets more bytes pass links than they can carry where several messages
# begin at the same time (SimGrid 3.32; zone.cpp says why): 2 % of the time of SP. Full computes all shares.
JUDGE = ("network/model:CM02", "network/crosstraffic:0", "network/optim:Full", "smpi/bw-factor:1", "smpi/lat-factor:1",
         "smpi/display-timing:yes")
BAR = 0.005

NETWORK = """name = "small-torus"
title = "4 x 4 x 4 torus with links of 5 GB/s and 120 ns"
kind = "torus"

[parameters]
x              = { value = 4, unit = "nodes", origin = "O: a cube" }
y              = { value = 4, unit = "nodes", origin = "O: a cube" }
z              = { value = 4, unit = "nodes", origin = "O: a cube" }
shortest_paths = { value = 0, unit = "1", origin = "O: dimension order" }
bandwidth      = { value = 30, unit = "GB/s per node", origin = "R: Sanno and Kise, section 3.1" }
latency        = { value = 0.12, unit = "us", origin = "R: Sanno and Kise, section 3.1" }
node_speed     = { value = 10, unit = "Gflops", origin = "O: an example" }
"""

# Sanno and Kise, figure 7, as printed; but for the loop's step, which is printed as "dist <= 1" and would never end.
FIGURE_7 = """#include <stdio.h>
#include "mgen.h"

#define DATA_SIZE 2048
#define MGEN_TAGO 0

int MGEN_Main( int argc, char** argv )
{
    int my_rank, comm_size;
    MGEN_Comm_rank(MGEN_COMM_WORLD, &my_rank);
    MGEN_Comm_size(MGEN_COMM_WORLD, &comm_size);

    int dist;
    for (dist = 1; dist < comm_size; dist <<= 1) {
        MGEN_Request req1, req2;
        MGEN_Status status;

        MGEN_Irecv(NULL, dist*DATA_SIZE, MGEN_BYTE,
                  (my_rank + comm_size - dist)%comm_size,
                  MGEN_TAGO, MGEN_COMM_WORLD, &req1);
        MGEN_Isend(NULL, dist*DATA_SIZE, MGEN_BYTE,
                  (my_rank + dist)%comm_size,
                  MGEN_TAGO, MGEN_COMM_WORLD, &req2);
        MGEN_Wait(&req1, &status);
        MGEN_Wait(&req2, &status);
    }
    return 0;
}
"""


class ReplayTest(cli_test.CliTest):
    def network(self):
        return self.file("small.toml", NETWORK)

    def seconds(self, trace, *arguments):
        return json.loads(self.succeeds("net", "replay", trace, *arguments, "--json", "-").out)["seconds"]

    def judged(self, index, ranks, platform, mapping, eager, names=None):
        """Seconds of smpirun -replay; `mapping`: the node of each rank, or None; `names`: of the nodes."""
        nodes = range(ranks)
        if mapping is not None:
            rows = pathlib.Path(mapping).read_text(encoding="utf-8").split()[1:]
            node_of = dict(row.split(",") for row in rows)
            nodes = [node_of[str(rank)] for rank in range(ranks)]
        if names is not None:
            nodes = [names[int(node)] for node in nodes]
        hosts = self.file("hosts", "".join(f"{node}\n" for node in nodes))
        command = ["smpirun", "-np", str(ranks), "-platform", platform, "-hostfile", hosts, "-replay", index]
        options = [f"--cfg={option}" for option in (*JUDGE, f"smpi/send-is-detached-thresh:{eager}")]
        done = subprocess.run([*map(str, command), *options], capture_output=True, text=True, check=False, timeout=300)
        found = re.search(r"Simulated time: (\S+) seconds", done.stdout + done.stderr)
        self.assertTrue(found, done.stdout + done.stderr)
        return float(found.group(1))


@unittest.skipUnless(shutil.which("smpirun"), "SimGrid's smpirun is not installed")
class Judge(ReplayTest):
    def compare(self, program, ranks, *arguments):
        network = self.network()
        platform, folder = self.scratch / "torus.xml", self.scratch / "trace"
        self.succeeds("net", "routes", "--network", network, "--save-platform", platform)
        arguments = (program, "--network", network, "--ranks", ranks, *arguments)
        self.succeeds("net", "replay", *arguments, "--save-trace", folder)
        for method in ("xyz", "mincost", "minlink"):
            mapping = self.scratch / f"{method}.csv"
            graph_options = [option for option in arguments[5:]]
            self.succeeds("net", "map", "--graph", program, "--topology", "torus:4x4x4", "--method", method,
                          *graph_options, "--save-map", mapping)
            for eager in (0, 65536):
                with self.subTest(program=program, method=method, eager=eager):
                    ours = self.seconds(*arguments, "--map", mapping, "--eager", eager)
                    theirs = self.judged(folder / "trace.txt", ranks, platform, mapping, eager)
                    self.assertLess(abs(ours / theirs - 1), BAR, (ours, theirs))
                    # The files of the trace say what the program said.
                    read = self.seconds(folder / "trace.txt", "--network", network, "--map", mapping, "--eager", eager)
                    self.assertEqual(read, ours)

    def test_bruck(self):
        self.compare("bruck", 64)

    def test_cg(self):
        self.compare("cg", 64, "--class", "A")

    def test_sp(self):
        self.compare("sp", 64, "--class", "A")

    def test_collectives_that_smpi_makes_of_the_same_messages(self):
        network, ranks = self.network(), 64
        platform = self.scratch / "torus.xml"
        self.succeeds("net", "routes", "--network", network, "--save-platform", platform)
        for action, algorithm in (("allgather 4000 4000 6 6", "smpi/allgather:bruck"),
                                  ("allreduce 4000 0 6", "smpi/allreduce:rdb"), ("barrier", "smpi/barrier:ompi_bruck"),
                                  ("bcast 4000 0 6", "smpi/bcast:binomial_tree"),
                                  ("reduce 4000 0 0 6", "smpi/reduce:binomial")):
            trace = self.file("one.txt", "".join(f"{rank} init\n{rank} {action}\n{rank} finalize\n" for rank in range(ranks)))
            index = self.scratch / "index.txt"
            for rank in range(ranks):
                self.file(f"{rank}.txt", f"{rank} init\n{rank} {action}\n{rank} finalize\n")
            index.write_text("".join(f"{self.scratch}/{rank}.txt\n" for rank in range(ranks)), encoding="utf-8")
            judge = JUDGE
            try:
                globals()["JUDGE"] = (*judge, algorithm)
                theirs = self.judged(index, ranks, platform, None, 65536)
            finally:
                globals()["JUDGE"] = judge
            ours = self.seconds(trace, "--network", network)
            self.assertLess(abs(ours / theirs - 1), BAR, (action, ours, theirs))


PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="world" routing="Full">
%s
</zone>
</platform>
"""


@unittest.skipUnless(shutil.which("smpirun"), "SimGrid's smpirun is not installed")
class Imported(ReplayTest):
    """Replays on imported platforms take the time that they take on SimGrid's own."""

    def compare(self, platform, ranks, mapping=None, executors=("s4u", "critical-path")):
        """`platform`: text within the zone; `ranks`: the lines of each."""
        xml = self.file("own.xml", PLATFORM % platform)
        network = self.scratch / "own.toml"
        said = self.succeeds("net", "import", xml, "-o", network).out
        names = (self.scratch / "own.hosts.txt").read_text(encoding="utf-8").split()
        index = self.scratch / "index.txt"
        for rank, lines in enumerate(ranks):
            self.file(f"{rank}.txt", "".join(f"{rank} {line}\n" for line in ("init", *lines, "finalize")))
        index.write_text("".join(f"{self.scratch}/{rank}.txt\n" for rank in range(len(ranks))), encoding="utf-8")
        theirs = self.judged(index, len(ranks), xml, mapping, 65536, names)
        for executor in executors:
            mapped = ("--map", mapping) if mapping else ()
            ours = self.seconds(index, "--network", network, "--executor", executor, *mapped)
            self.assertLess(abs(ours / theirs - 1), BAR, (executor, ours, theirs))
        return theirs, said

    def test_every_host_computes_at_its_own_speed(self):
        two = ('<host id="A" speed="1Gf"/><host id="B" speed="0.1Gf"/><link id="l" bandwidth="125MBps" latency="100us"/>'
               '<route src="A" dst="B"><link_ctn id="l"/></route>')
        compute = ["compute 1e9"]
        seconds, said = self.compare(two, [compute, compute])
        self.assertAlmostEqual(seconds, 10)
        self.assertIn("0.1 to 1 Gflops", said)
        self.compare(two, [["compute 3e9"], compute], self.file("map.csv", "task,node\n0,1\n1,0\n"))
        # Platforms that are written again keep the speeds.
        network, back = self.scratch / "own.toml", self.scratch / "back.xml"
        self.succeeds("net", "routes", "--network", network, "--save-platform", back)
        self.assertEqual(re.findall(r'speed="(\d+)f"', back.read_text(encoding="utf-8")), ["1000000000", "100000000"])

    def test_profiles_count_at_time_0(self):
        self.file("slow.txt", "0.0 0.1\n")
        seconds, said = self.compare(
            '<host id="A" speed="1Gf" speed_file="slow.txt"/><host id="B" speed="1Gf"/>'
            '<link id="l" bandwidth="125MBps" latency="100us"/><route src="A" dst="B"><link_ctn id="l"/></route>',
            [["compute 1e9"], ["compute 1e9"]])
        self.assertAlmostEqual(seconds, 10)
        self.assertIn("later changes (profiles) are left out", said)

    def test_hosts_keep_the_order_of_the_file(self):
        names = ["n10", "beta", "n2", "Alpha", "n1"]
        hosts = "".join(f'<host id="{name}" speed="{number + 1}Gf"/>' for number, name in enumerate(names))
        routes = "".join(f'<route src="{a}" dst="{b}"><link_ctn id="l"/></route>'
                         for number, a in enumerate(names) for b in names[:number])
        link = '<link id="l" bandwidth="125MBps" latency="100us"/>'
        # The first rank computes as long as all others together on the slowest host.
        seconds, _ = self.compare(hosts + link + routes, [["compute 4e9"], *([["compute 1e9"]] * 4)])
        self.assertAlmostEqual(seconds, 4)
        self.assertEqual((self.scratch / "own.hosts.txt").read_text(encoding="utf-8").split(), names)
        self.compare('<cluster id="c" prefix="n" suffix="" radical="8-11,2" speed="1Gf" bw="125MBps" lat="50us"/>',
                     [["compute 1e9"]] * 5)
        self.assertEqual((self.scratch / "own.hosts.txt").read_text(encoding="utf-8").split(), ["n8", "n9", "n10", "n11", "n2"])

    CLUSTER = ('<cluster id="c" prefix="n-" suffix="" radical="0-3" speed="1Gf" bw="%s" lat="50us" bb_bw="125MBps" '
               'bb_lat="500us" bb_sharing_policy="FATPIPE"/>')

    def test_a_link_that_is_not_shared_still_limits_each_message(self):
        megabytes = 100
        send = [f"send {{}} 0 {megabytes * 10**6} 6"]
        ranks = [[send[0].format(1)], [f"recv 0 0 {megabytes * 10**6} 6"],
                 [send[0].format(3)], [f"recv 2 0 {megabytes * 10**6} 6"]]
        seconds, said = self.compare(self.CLUSTER % "1.25GBps", ranks)
        self.assertAlmostEqual(seconds, megabytes / 125, delta=0.01)  # both pairs at the rate of the backbone
        self.assertIn("1 link of FATPIPE shares no bandwidth; pairs of hosts have links of their own", said)
        # Behind slower links the backbone limits nothing.
        seconds, said = self.compare(self.CLUSTER % "12.5MBps", ranks)
        self.assertAlmostEqual(seconds, megabytes / 12.5, delta=0.01)
        self.assertIn("messages do not notice", said)
        self.assertEqual((self.scratch / "own.links.csv").read_text(encoding="utf-8").count("backbone"), 1)


class Replay(ReplayTest):
    PAIR = "0 send 1 3 1000000 6\n1 recv 0 3 1000000 6\n"

    def test_a_trace_runs_on_every_network(self):
        trace = self.file("pair.txt", self.PAIR)
        for network in ("optical-hub-64", "torus-64", "fat-tree-64", "ha-pacs-tca"):
            self.assertGreater(self.seconds(trace, "--network", network), 0, network)

    def test_the_report_says_what_was_replayed(self):
        trace = self.file("pair.txt", self.PAIR)
        report = json.loads(self.succeeds("net", "replay", trace, "--executor", "critical-path", "--json", "-").out)
        self.assertEqual((report["ranks"], report["messages"], report["bytes"]), (2, 1, 1000000))
        self.assertEqual(report["path_network_seconds"], report["seconds"])
        self.assertEqual(report["path_compute_seconds"], 0)
        said = self.succeeds("net", "replay", trace).out
        self.assertIn("messages    1, 1000000 bytes", said)

    def test_goal_schedules_are_read(self):
        goal = self.file("a.goal", "num_ranks 2\nrank 0 {\nl1: calc 1000\nl2: send 8b to 1\nl2 requires l1\n}\n"
                                   "rank 1 {\nl1: recv 8b from 0\n}\n")
        self.assertGreater(self.seconds(goal), 1e-6)

    def test_ranks_may_share_nodes(self):
        trace = self.file("pair.txt", self.PAIR)
        self.assertEqual(self.seconds(trace, "--ranks-per-node", 2), 0)

    def test_options_without_effect_are_refused(self):
        trace = self.file("pair.txt", self.PAIR)
        for arguments, said in (((trace, "--bytes", "8"), "--bytes has no effect with the trace"),
                                ((trace, "--class", "A"), "--class has no effect with the trace"),
                                ((trace, "--save-trace", "x"), "which is read from a file"),
                                (("cg", "--collectives", "posted"), "which has only messages")):
            self.ends(2, [said], "net", "replay", *arguments)

    def test_what_does_not_fit_is_refused(self):
        self.ends(2, ["--ranks: 65 is refused"], "net", "replay", "bruck", "--ranks", "65")
        trace = self.file("self.txt", "0 recv 1 0 8 6\n1 init\n")
        self.ends(1, ["self.txt:1: a receive from rank 1 with tag 0 by rank 0 has no send"], "net", "replay", trace)

    def test_files_that_are_no_traces_are_refused_by_what_they_are(self):
        graph = self.file("graph.csv", "tasks,2\nfrom,to,bytes\n0,1,8\n")
        self.ends(2, ["graph.csv is a graph", "gdr net map"], "net", "replay", graph)
        folder = pathlib.Path(graph).parent
        self.ends(2, ["is a folder: a trace is the file"], "net", "replay", folder)
        self.file("trace.txt", self.PAIR)
        self.ends(2, ["is a folder: the index of its trace is", "trace.txt"], "net", "replay", folder)

    def test_a_map_of_more_tasks_than_ranks_is_refused(self):
        trace = self.file("pair.txt", self.PAIR)
        mapping = self.file("map.csv", "task,node\n0,3\n1,2\n2,1\n")
        self.ends(1, ["map.csv: nodes for 3 are refused: the 2 ranks of", "take 2"], "net", "replay", trace, "--map", mapping)
        self.assertGreater(self.seconds(trace, "--map", self.file("two.csv", "task,node\n0,3\n1,2\n")), 0)


@unittest.skipUnless(shutil.which("smpicc"), "SimGrid's smpicc is not installed")
class Run(ReplayTest):
    def test_the_program_of_figure_7_takes_the_time_of_its_replay(self):
        program, network = self.file("figure7.c", FIGURE_7), self.network()
        graph, folder = self.scratch / "graph.csv", self.scratch / "trace"
        report = json.loads(self.succeeds("net", "run", program, "--network", network, "--save-graph", graph,
                                          "--save-trace", folder, "--json", "-").out)
        self.assertEqual(report["ranks"], 64)
        ours = self.seconds("bruck", "--network", network)
        self.assertLess(abs(report["seconds"] / ours - 1), BAR)
        self.assertEqual(self.seconds(folder / "trace.txt", "--network", network), ours)
        # The generator's graph.
        generated = self.scratch / "generated.csv"
        self.succeeds("net", "map", "--graph", "bruck", "--topology", "torus:4x4x4", "--method", "xyz", "--save-graph",
                      generated)
        rows = lambda path: sorted(line for line in path.read_text(encoding="utf-8").split("\n") if line[:1] != "#")
        self.assertEqual(rows(graph), rows(generated))

    def test_a_program_that_does_not_compile_says_so(self):
        program = self.file("wrong.c", "int main( { }\n")
        self.ends(1, ["smpicc failed"], "net", "run", program)
        self.ends(1, [r"/nowhere/gdr-net-run-XXXXXX: this folder for temporary files cannot be made (TMPDIR): No such"], "net", "run",
                  program, environment={"TMPDIR": "/nowhere"})
        self.ends(1, ["must be a source in C, C++ or Fortran"], "net", "run", self.file("a.txt", ""))

    def test_the_output_of_the_program_comes_first(self):
        program = self.file("hello.c", '#include <mpi.h>\n#include <stdio.h>\nint main(int c, char** v) { MPI_Init(&c, &v);'
                                       ' int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); if (r == 0) puts(v[1]);'
                                       ' MPI_Finalize(); return 0; }\n')
        out = self.succeeds("net", "run", program, "--ranks", 2, "--argument", "hello").out
        self.assertTrue(out.startswith("hello\n"), out)

    def of_ranks(self, body):
        """A program whose ranks do this: r is the rank, n their number, b room for a message of 100000 bytes."""
        return self.file("program.c", "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char** v) { MPI_Init(&c, &v);"
                         " int r, n; MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Comm_size(MPI_COMM_WORLD, &n);"
                         " static char b[100000]; " + body + " return 0; }\n")

    def test_looking_for_a_message_and_for_the_time_takes_hardly_any_time(self):
        begin = "MPI_Request q; MPI_Status s; int f = 0, k = 0; if (r == 0) MPI_Send(b, %d, MPI_CHAR, 1, 0, MPI_COMM_WORLD); "
        post = "else { MPI_Irecv(b, %d, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &q); "
        probe = "else { while (!f) MPI_Iprobe(0, 0, MPI_COMM_WORLD, &f, &s); "
        receive = "MPI_Recv(b, %d, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &s); } "
        for size in (8, 50000):
            def seconds(body):
                program = self.of_ranks(begin % size + body.replace("%d", str(size)) + "MPI_Finalize();")
                return json.loads(self.succeeds("net", "run", program, "--network", "infiniband-ddr-64", "--ranks", 2,
                                                "--json", "-").out)["seconds"]
            waited = seconds(post + "MPI_Wait(&q, &s); } ")
            for polled in (post + "while (!f) MPI_Test(&q, &f, &s); } ",
                           post + "while (!f) MPI_Testany(1, &q, &k, &f, &s); } ", probe + receive,
                           "else { MPI_Probe(0, 0, MPI_COMM_WORLD, &s); " + receive,
                           post + "double t = MPI_Wtime(); MPI_Wait(&q, &s); t = MPI_Wtime() - t; } "):
                self.assertLess(abs(seconds(polled) / waited - 1), BAR, (size, polled))

    SEND = "MPI_Send(b, 100000, MPI_CHAR, %s, 0, MPI_COMM_WORLD);"
    RECEIVE = "MPI_Recv(b, 100000, MPI_CHAR, %s, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"

    def test_a_program_that_waits_for_ever_is_refused_with_its_ranks(self):
        trace, graph = self.scratch / "trace", self.scratch / "graph.csv"
        both = self.of_ranks(self.RECEIVE % "1 - r" + self.SEND % "1 - r" + " MPI_Finalize();")
        self.ends(1, ["program.c: ranks 0, 1 wait for ever, 0 s after the start"], "net", "run", both, "--ranks", 2,
                  "--save-trace", trace, "--save-graph", graph)
        self.assertFalse(trace.exists() or graph.exists())
        # Messages beyond the limit of eager ones hold up their senders.
        large = self.of_ranks(self.SEND % "1 - r" + self.RECEIVE % "1 - r" + " MPI_Finalize();")
        self.ends(1, ["program.c: ranks 0, 1 wait for ever"], "net", "run", large, "--ranks", 2)
        self.succeeds("net", "run", large, "--ranks", 2, "--eager", 200000)

    def test_a_signal_ends_all_that_was_started_and_leaves_no_file(self):
        program = self.file("endless.c", "#include <mpi.h>\nint main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n"
                                         "  for (volatile int n = 1; n;) n = 1;\n}\n")
        scratch = self.scratch / "temporary"
        scratch.mkdir()

        def started():
            """Commands of processes that name the folder, as those do that run the program."""
            commands = []
            for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                with contextlib.suppress(OSError):
                    commands.append(process.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            return [command for command in commands if str(scratch) in command and "platform.xml" in command]

        for number in (signal.SIGTERM, signal.SIGINT):
            with subprocess.Popen([cli_test.GDR, "net", "run", program, "--ranks", "2"], env={**os.environ, "TMPDIR": str(scratch)},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
                while run.poll() is None and not any("smpirun" not in command for command in started()):
                    time.sleep(0.05)
                self.assertIsNone(run.poll())
                run.send_signal(number)
                self.assertEqual(run.wait(timeout=60), 128 + number)
            self.assertEqual(started(), [])
            self.assertEqual(list(scratch.iterdir()), [])
        one = self.of_ranks("if (r == 2) { " + self.RECEIVE % "0" + " } MPI_Finalize();")
        self.ends(1, ["program.c: rank 2 waits for ever"], "net", "run", one, "--ranks", 3)
        many = self.of_ranks(self.RECEIVE % "(r + 1) % n" + " MPI_Finalize();")
        self.ends(1, ["ranks 0, 1, 2, 3, 4, 5, 6, 7 and 4 others wait for ever"], "net", "run", many, "--ranks", 12)

    def test_an_abort_is_told_with_its_code(self):
        # SMPI ends only the rank that calls it, with status 0, and with a time or a deadlock of the others.
        for rest in ("", "MPI_Barrier(MPI_COMM_WORLD);"):
            program = self.of_ranks('if (r == 1) { puts("out"); fputs("in line 7\\n", stderr); MPI_Abort(MPI_COMM_WORLD, atoi(v[1])); }'
                                    + rest + "MPI_Finalize();")
            for code in (3, 0, 300):
                self.ends(1, [f"program.c: rank 1 called MPI_Abort with error code {code}\n", "It printed:", "out\n", "in line 7"],
                          "net", "run", program, "--ranks", 3, "--argument", code)
        if shutil.which("smpif90"):
            program = self.file("program.f90", "program p\n use mpi\n integer :: e, r\n call MPI_Init(e)\n"
                                " call MPI_Comm_rank(MPI_COMM_WORLD, r, e)\n if (r == 0) call MPI_Abort(MPI_COMM_WORLD, 9, e)\n"
                                " call MPI_Barrier(MPI_COMM_WORLD, e)\n call MPI_Finalize(e)\nend program\n")
            self.ends(1, ["program.f90: rank 0 called MPI_Abort with error code 9"], "net", "run", program, "--ranks", 2)

    def test_a_status_of_a_rank_is_told_before_the_waiting_of_others(self):
        program = self.of_ranks("if (r == 1) exit(7); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize();")
        self.ends(1, ["program.c: rank 1 ended with status 7"], "net", "run", program, "--ranks", 3)
        wrong = self.of_ranks("if (r == 1) MPI_Send(b, 1, MPI_CHAR, 99, 0, MPI_COMM_WORLD); MPI_Finalize();")
        self.ends(1, ["smpirun ended with status", "rank 1: ", "99"], "net", "run", wrong, "--ranks", 3)

    def test_standard_error_of_the_program_is_passed_on(self):
        program = self.of_ranks('if (r == 1) fprintf(stderr, "tick %g\\n", MPI_Wtick()); MPI_Finalize();')
        done = self.succeeds("net", "run", program, "--ranks", 2)
        self.assertEqual(done.err, "tick 1e-09\n")

    def test_collectives_with_sizes_by_rank_are_recorded_with_their_types(self):
        """Graph, trace and time: ranks send i + 1 pairs of doubles to rank i and receive 2 (r + 1) doubles."""
        ranks, network = 4, self.network()
        counts = ("int s[4], d[4], q[4], w[4]; MPI_Datatype t[4], u[4], p; MPI_Type_contiguous(2, MPI_DOUBLE, &p); MPI_Type_commit(&p);"
                  " for (int i = 0; i < n; i++) { s[i] = i + 1; w[i] = 2 * r + 2; q[i] = 2 * i + 2; d[i] = 0; t[i] = p;"
                  " u[i] = MPI_DOUBLE; } static char to[100000]; ")
        each = 16 * sum(range(1, ranks + 1))
        for call, sent in (
            ("MPI_Alltoallv(b, s, d, p, to, w, d, MPI_DOUBLE, MPI_COMM_WORLD);", (ranks - 1) * each),
            ("MPI_Alltoallw(b, s, d, t, to, w, d, u, MPI_COMM_WORLD);", (ranks - 1) * each),
            ("MPI_Gatherv(b, r + 1, p, to, q, d, MPI_DOUBLE, 0, MPI_COMM_WORLD);", each - 16),
            ("MPI_Scatterv(b, s, d, p, to, 2 * r + 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);", each - 16),
        ):
            program = self.of_ranks(counts + call + "MPI_Finalize();")
            graph, trace = self.scratch / "graph.csv", self.scratch / "trace"
            ran = json.loads(self.succeeds("net", "run", program, "--ranks", ranks, "--network", network, "--save-graph", graph,
                                           "--save-trace", trace, "--json", "-").out)
            rows = [line.split(",") for line in graph.read_text(encoding="utf-8").splitlines() if line[:1].isdigit()]
            self.assertEqual(sum(int(size) for _, _, size in rows), sent, call)
            replayed = json.loads(self.succeeds("net", "replay", trace / "trace.txt", "--network", network, "--json", "-").out)
            self.assertEqual(replayed["bytes"], sent, call)
            self.assertLess(abs(replayed["seconds"] / ran["seconds"] - 1), BAR, call)

    def test_a_program_without_its_end_is_not_recorded(self):
        program, trace = self.of_ranks("puts(\"hello\");"), self.scratch / "trace"
        self.succeeds("net", "run", program, "--ranks", 2)
        self.ends(1, ["program.c: is not recorded: a rank ends without calling MPI_Finalize"], "net", "run", program,
                  "--ranks", 2, "--save-trace", trace)
        self.assertFalse(trace.exists())

    def test_a_program_with_one_sided_transfers_is_not_replayed(self):
        program = self.of_ranks("MPI_Win w; MPI_Win_create(b, 100, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w); MPI_Win_fence(0, w);"
                                "MPI_Put(b + 100, 50, MPI_CHAR, 1 - r, 0, 50, MPI_CHAR, w); MPI_Win_fence(0, w); MPI_Win_free(&w);"
                                "MPI_Finalize();")
        graph, trace = self.scratch / "graph.csv", self.scratch / "trace"
        done = self.succeeds("net", "run", program, "--ranks", 2, "--save-graph", graph, "--save-trace", trace)
        self.assertIn("2 calls are not recorded, so that the trace cannot be replayed", done.err)
        self.assertIn("0,1,50\n1,0,50\n", graph.read_text(encoding="utf-8"))
        self.ends(1, ["0.txt:2: this call is refused: the messages of a one-sided transfer are not recorded"], "net", "replay",
                  trace / "trace.txt")

    def test_every_kind_of_send_is_recorded(self):
        program = self.of_ranks("MPI_Request q; static char room[1000]; MPI_Buffer_attach(room, 1000); int a = 1 - r;"
                                "MPI_Irecv(b, 10, MPI_CHAR, a, 0, MPI_COMM_WORLD, &q); MPI_Barrier(MPI_COMM_WORLD);"
                                "MPI_Rsend(b + 100, 10, MPI_CHAR, a, 0, MPI_COMM_WORLD); MPI_Wait(&q, MPI_STATUS_IGNORE);"
                                "MPI_Bsend(b, 20, MPI_CHAR, a, 1, MPI_COMM_WORLD);"
                                "MPI_Recv(b, 20, MPI_CHAR, a, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
                                "MPI_Isend(b, 30, MPI_CHAR, a, 2, MPI_COMM_WORLD, &q); MPI_Request_free(&q);"
                                "MPI_Recv(b, 30, MPI_CHAR, a, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); MPI_Finalize();")
        trace = self.scratch / "trace"
        self.succeeds("net", "run", program, "--ranks", 2, "--save-trace", trace)
        report = json.loads(self.succeeds("net", "replay", trace / "trace.txt", "--json", "-").out)
        self.assertEqual(report["messages"], 6 + 2)  # and the barrier's

    def test_arguments_reach_the_program_as_they_are(self):
        program = self.of_ranks('if (r == 1) for (int i = 1; i < c; i++) printf("[%s]", v[i]); MPI_Finalize();')
        texts = ["a b", "*", "$HOME", "it's", "--cfg=network/model:none", "--help", "-np", "x\ny"]
        out = self.succeeds("net", "run", program, "--ranks", 2, *(f"--argument={text}" for text in texts)).out
        self.assertTrue(out.startswith("".join(f"[{text}]" for text in texts)), out)
        self.ends(1, ["the argument '--' is refused"], "net", "run", program, "--ranks", 2, "--argument=--")


if __name__ == "__main__":
    cli_test.GDR = sys.argv[1]
    cli_test.PROJECT = pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
