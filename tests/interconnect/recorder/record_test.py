#!/usr/bin/env python3
"""Record a program with known traffic, map it, write its rankfile and run it again.

    record_test.py OpenMpi GDR LIBRARY STENCIL MPIRUN
    record_test.py Smpi SMPICC RECORDER STENCIL
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RANKS = 4
STENCIL = pathlib.Path(__file__).with_name("stencil.c").read_text(encoding="utf-8")
STEPS, WIDTH = (int(re.search(name + r" = (\d+)", STENCIL).group(1)) for name in ("STEPS", "WIDTH"))

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us"/>
</platform>
"""


def run(command, **extra):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **extra)
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def check_graph(path):
    """Every rank sends each of its two neighbours WIDTH doubles in each step, and nothing else but collectives."""
    text = path.read_text(encoding="utf-8")
    assert f"{STEPS * RANKS} calls of collectives" in text, text
    rows = [line for line in text.splitlines() if not line.startswith("#")]
    assert rows[:2] == [f"tasks,{RANKS}", "from,to,bytes"], text
    found = {(int(a), int(b)): int(c) for a, b, c in (row.split(",") for row in rows[2:])}
    expected = {(rank, (rank + step) % RANKS): STEPS * WIDTH * 8 for rank in range(RANKS) for step in (1, RANKS - 1)}
    assert found == expected, text


def open_mpi(folder, gdr, library, stencil, mpirun):
    graph, ranks, hosts = folder / "graph.csv", folder / "ranks.txt", folder / "hosts.txt"
    launch = [mpirun, "--oversubscribe", "-n", RANKS]
    run([*launch, stencil])
    assert not graph.exists()
    run([*launch, "-x", "LD_PRELOAD=" + library, "-x", f"GDR_RECORD={graph}", stencil])
    check_graph(graph)
    hosts.write_text("localhost\n" * RANKS, encoding="utf-8")
    command = [gdr, "net", "map", "--graph", graph, "--topology", "torus:2x2", "--json", "-", "--full"]
    report = json.loads(run([*command, "--rankfile", ranks, "--hosts", hosts]))
    # On a ring of four every message of the stencil goes one hop.
    assert report["cost_torus_hop_bytes"] == report["total_bytes"] == 2 * RANKS * STEPS * WIDTH * 8, report
    assert sorted(report["mapping"]) == list(range(RANKS)), report
    run([*launch, "--rankfile", ranks, stencil])


def smpi(folder, smpicc, recorder, stencil):
    program, platform, hosts, graph = (folder / name for name in ("stencil", "platform.xml", "hosts", "graph.csv"))
    platform.write_text(PLATFORM, encoding="utf-8")
    hosts.write_text("".join(f"n{rank}\n" for rank in range(RANKS)), encoding="utf-8")
    run([smpicc, "-DGDR_RECORD_SMPI", "-o", program, stencil, recorder])
    smpirun = pathlib.Path(smpicc).with_name("smpirun")
    command = [smpirun, "-np", RANKS, "-platform", platform, "-hostfile", hosts, "--cfg=smpi/host-speed:1Gf", program]
    run(command, GDR_RECORD=str(graph))
    check_graph(graph)


with tempfile.TemporaryDirectory() as scratch:
    {"OpenMpi": open_mpi, "Smpi": smpi}[sys.argv[1]](pathlib.Path(scratch), *sys.argv[2:])
