#!/usr/bin/env python3
"""Record a program with known traffic, map it, write its rankfile and run it again.

    record_test.py OpenMpi GDR LIBRARY STENCIL MPIRUN
    record_test.py Fortran LIBRARY CG MPIRUN GDR
    record_test.py Halo LIBRARY HALO MPIRUN
    record_test.py Cases LIBRARY CASES MPIRUN GDR
    record_test.py Smpi SMPICC RECORDER STENCIL
"""

import collections
import fcntl
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RANKS = 4
STENCIL = pathlib.Path(__file__).with_name("stencil.c").read_text(encoding="utf-8")
CG = pathlib.Path(__file__).with_name("cg.f90").read_text(encoding="utf-8")
STEPS, WIDTH = (int(re.search(name + r" = (\d+)", STENCIL).group(1)) for name in ("STEPS", "WIDTH"))

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us"/>
</platform>
"""


def outputs(command, **extra):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **extra)
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def run(command, **extra):
    return outputs(command, **extra)[0]


def rows_of(path):
    """Bytes by sender and receiver."""
    rows = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {(int(a), int(b)): int(c) for a, b, c in (row.split(",") for row in rows[2:])}


def contents(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def check_graph(path):
    """Every rank sends each of its two neighbours WIDTH doubles in each step, and nothing else but collectives."""
    text = path.read_text(encoding="utf-8")
    assert f"{STEPS * RANKS} calls of collectives" in text, text
    assert [line for line in text.splitlines() if not line.startswith("#")][:2] == [f"tasks,{RANKS}", "from,to,bytes"], text
    expected = {(rank, (rank + step) % RANKS): STEPS * WIDTH * 8 for rank in range(RANKS) for step in (1, RANKS - 1)}
    assert rows_of(path) == expected, text


def check_trace(folder):
    """Every rank's calls in their order: persistent requests where they start, ranks of the world in all communicators."""
    index = (folder / "trace.txt").read_text(encoding="utf-8").split()
    assert index == [str(folder.resolve() / f"{rank}.txt") for rank in range(RANKS)], index
    size = WIDTH * 8
    for rank in range(RANKS):
        right, left = (rank + 1) % RANKS, (rank - 1) % RANKS
        step = [f"isend {right} 1 {size} 6", f"irecv {left} 1 {size} 6", f"wait {rank} {right} 1", f"wait {left} {rank} 1",
                f"irecv {right} 2 {size} 6", f"isend {left} 2 {size} 6", f"wait {right} {rank} 2", f"wait {rank} {left} 2",
                "allreduce 8 0 6"]
        made = ["allgather 8 8 6 6", "allreduce 4 0 6"]  # the communicator of reversed ranks
        expected = [f"{rank} {action}" for action in ["init", *made, *STEPS * step, "finalize"]]
        found = (folder / f"{rank}.txt").read_text(encoding="utf-8").splitlines()
        assert found == expected, found


def open_mpi(folder, gdr, library, stencil, mpirun):
    graph, ranks, hosts = folder / "graph.csv", folder / "ranks.txt", folder / "hosts.txt"
    launch = [mpirun, "--oversubscribe", "-n", RANKS]
    run([*launch, stencil])
    assert not graph.exists()
    run([*launch, "-x", "LD_PRELOAD=" + library, "-x", f"GDR_RECORD={graph}", stencil])
    check_graph(graph)
    trace = folder / "trace"
    run([*launch, "-x", "LD_PRELOAD=" + library, "-x", f"GDR_RECORD_TRACE={trace}", stencil])
    check_trace(trace)
    report = json.loads(run([gdr, "net", "replay", trace / "trace.txt", "--executor", "critical-path", "--json", "-"]))
    # Two messages a rank and step, and an all-reduce of as many steps as the ranks have bits. Making the communicator is
    # an all-gather and an all-reduce.
    assert report["messages"] == STEPS * RANKS * (2 + 2) + RANKS * (2 + 2), report
    # What an earlier run with more ranks left is removed; other files stay.
    for rank in (RANKS, 100):
        (trace / f"{rank}.txt").write_text(f"{rank} init\n{rank} finalize\n", encoding="utf-8")
    for name in ("notes.txt", "101.txt"):
        (trace / name).write_text("old\n", encoding="utf-8")
    run([*launch, "-x", "LD_PRELOAD=" + library, "-x", f"GDR_RECORD_TRACE={trace}", stencil])
    check_trace(trace)
    assert sorted(path.name for path in trace.iterdir()) == sorted([*(f"{rank}.txt" for rank in range(RANKS)), "101.txt", "notes.txt", "trace.txt"])
    # Where a user has files of such names, the program runs, and no trace is kept.
    for name in ("1.txt", "trace.txt"):
        theirs = folder / f"theirs_{name}"
        theirs.mkdir()
        (theirs / name).write_text("2 eggs\n", encoding="utf-8")
        _, told = outputs([*launch, "-x", "LD_PRELOAD=" + library, "-x", f"GDR_RECORD_TRACE={theirs}", stencil])
        assert f"GDR_RECORD_TRACE = '{theirs}' is refused" in told and "has the name of a trace's and is none" in told, told
        assert contents(theirs) == {name: "2 eggs\n"}
    # On a disk without room the earlier trace stays as it is, with nothing beside it.
    earlier = contents(trace)
    # Open MPI's shared memory is a file, too.
    _, told = outputs([*launch, "--mca", "btl", "self,tcp", "-x", f"GDR_RECORD_TRACE={trace}", "sh", "-c",
                       'trap "" XFSZ; ulimit -f 0; LD_PRELOAD="$1" exec "$2"', "sh", library, stencil])
    assert f"{trace}/0.txt: File too large; the trace is not written" in told, told
    assert contents(trace) == earlier
    # A folder that is none, and one to which another run writes: the program runs, and no trace is kept.
    held = os.open(trace, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    before = (trace / "0.txt").stat().st_mtime_ns
    for wrong, reason in ((trace, "another run is writing"), (graph, "Not a directory"), (folder / "no" / "where", "No such file")):
        _, told = outputs([*launch, "-x", "LD_PRELOAD=" + library, "-x", f"GDR_RECORD_TRACE={wrong}", stencil])
        assert f"GDR_RECORD_TRACE = '{wrong}' is refused" in told and reason in told, told
    assert (trace / "0.txt").stat().st_mtime_ns == before
    os.close(held)
    # The rankfile binds the ranks of a host that is named several times to cores of their own: as many as there are.
    few = min(RANKS, os.cpu_count() or 1)
    if few == 1:
        return
    launch = [mpirun, "--oversubscribe", "-n", few]
    run([*launch, "-x", "LD_PRELOAD=" + library, "-x", f"GDR_RECORD={graph}", stencil])
    hosts.write_text("localhost\n" * few, encoding="utf-8")
    command = [gdr, "net", "map", "--graph", graph, "--topology", f"torus:{few}", "--json", "-", "--full"]
    report = json.loads(run([*command, "--rankfile", ranks, "--hosts", hosts]))
    # On a ring of as many nodes every message of the stencil goes one hop.
    assert report["cost_torus_hop_bytes"] == report["total_bytes"] == 2 * few * STEPS * WIDTH * 8, report
    assert sorted(report["mapping"]) == list(range(few)), report
    run([*launch, "--rankfile", ranks, stencil])


def cg_traffic(ranks):
    """Bytes of NPB CG's first outer iteration, from its description: a square or 1:2 grid of processes, vectors of the matrix's rows
    that are summed along a row by halving, exchanged with the transposed process, and sums of scalars."""
    order, inner = (int(re.search(name + r" = (\d+)", CG).group(1)) for name in ("order", "inner"))
    rows = 1 << ((ranks.bit_length() - 1) // 2)
    columns = ranks // rows
    sent = collections.Counter()
    for rank in range(ranks):
        row, column = divmod(rank, columns)
        mine = order // rows + (row < order % rows)
        kept = mine if rows == columns else (mine + 1) // 2 if rank % 2 == 0 else mine // 2
        span = columns
        while span > 1:
            partner = row * columns + column // span * span + (column + span // 2) % span
            vector = mine - kept if rows != columns and span == 2 else kept
            sent[rank, partner] += 8 * (vector * (inner + 1) + (1 + 2 * inner + 1) + 2)
            span //= 2
        if rows == columns:
            transposed = rank % rows * rows + rank // rows
        else:
            transposed = 2 * (rank // 2 % rows * rows + rank // 2 // rows) + rank % 2
        if transposed != rank:
            sent[rank, transposed] += 8 * kept * (inner + 1)
    return dict(sent)


def fortran(folder, library, program, mpirun, gdr):
    for ranks in (2, 4, 8):
        graph, trace, computed = folder / "graph.csv", folder / f"trace{ranks}", folder / f"computed{ranks}"
        run([mpirun, "--oversubscribe", "-n", ranks, "-x", "LD_PRELOAD=" + library, "-x", f"GDR_RECORD={graph}",
             "-x", f"GDR_RECORD_TRACE={trace}", program])
        assert rows_of(graph) == cg_traffic(ranks), ranks
        # The program's calls are those of the trace that is computed from the algorithm, line by line.
        run([gdr, "net", "replay", "cg", "--class", "S", "--ranks", ranks, "--executor", "critical-path",
             "--save-trace", computed])
        for rank in range(ranks):
            found, expected = ((place / f"{rank}.txt").read_text(encoding="utf-8") for place in (trace, computed))
            assert found == expected, (ranks, rank)


def halo(folder, library, program, mpirun):
    graph = folder / "graph.csv"
    run([mpirun, "--oversubscribe", "-n", RANKS, "-x", "LD_PRELOAD=" + library, "-x", f"GDR_RECORD={graph}", program])
    width, put, get, accumulate = 16, 3, 5, 7
    expected = {}
    for rank in range(RANKS):
        right, left = (rank + 1) % RANKS, (rank - 1) % RANKS
        expected[rank, right] = 8 * (2 * width + put + accumulate)
        expected[rank, left] = 8 * (2 * width + get)  # what the left neighbour reads here
    for rank in range(1, RANKS):
        expected[rank, 0] = expected.get((rank, 0), 0) + 8  # gathered
    assert rows_of(graph) == expected, graph.read_text(encoding="utf-8")
    text = graph.read_text(encoding="utf-8")
    for line in (f"# {RANKS} calls of collectives", f"# MPI_Allgather: {RANKS}"):
        assert line in text, text



def added(*patterns):
    """The sum of graphs that are functions of sender and receiver; a rank sends nothing to itself."""
    graph = {(a, b): sum(pattern(a, b) for pattern in patterns) for a in range(RANKS) for b in range(RANKS) if a != b}
    return {edge: size for edge, size in graph.items() if size > 0}


def tree(size, root):
    """Edges of a binomial tree, as distances from the root: from n to n + 2^k where 2^k is below n's lowest bit."""
    edges = {(n, n + (1 << k)) for n in range(RANKS) for k in range(RANKS) if (n == 0 or (1 << k) < (n & -n))}
    return lambda a, b: size * (((a - root) % RANKS, (b - root) % RANKS) in edges)


def cases(folder, library, program, mpirun, gdr):
    graph = folder / "graph.csv"

    def recorded(case, ranks=RANKS, check=True, **variables):
        exports = [word for name, value in {"GDR_RECORD": graph, **variables}.items() for word in ("-x", f"{name}={value}")]
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        done = subprocess.run([mpirun, "--oversubscribe", "-n", str(ranks), "-x", f"LD_PRELOAD={library}", *exports, program, case],
                              capture_output=True, text=True, env=environment, check=False, cwd=folder, timeout=120)
        assert not check or (done.returncode == 0 and done.stderr == ""), (case, done.stdout, done.stderr)
        return done

    part = 100
    in_rows = lambda a, b: 3 * part * (a // 2 == b // 2)
    recorded("all_to_all")
    assert rows_of(graph) == added(in_rows, lambda a, b: part), graph.read_text(encoding="utf-8")
    recorded("rooted")
    assert rows_of(graph) == added(lambda a, b: (b == 1) * (part + a + 1), lambda a, b: (a == 1) * (part + b + 1))
    recorded("between_groups")
    half = RANKS // 2
    assert rows_of(graph) == added(lambda a, b: part * (a // half != b // half), lambda a, b: (b == 0) * (a >= half),
                                   lambda a, b: 3 * (a == 0) * (b >= half)), graph.read_text(encoding="utf-8")

    recorded("collectives")
    assert rows_of(graph) == {} and f"# {5 * RANKS} calls of collectives" in graph.read_text(encoding="utf-8")
    mapped = subprocess.run([gdr, "net", "map", "--graph", graph, "--topology", "torus:2x2"], capture_output=True, text=True,
                            check=False)
    assert "exchange no data" in mapped.stderr and "20 calls of collectives are not in the graph" in mapped.stderr, mapped
    recorded("collectives", GDR_RECORD_COLLECTIVES="1")
    to_root = tree(10, 0)
    doubling = {1 << k for k in range(RANKS) if (1 << k) < RANKS}
    around = lambda a, b: (b == (a + 1) % RANKS) * (sum(range(1, RANKS + 1)) - (b + 1))
    assert rows_of(graph) == added(tree(part, 1), lambda a, b: to_root(b, a), lambda a, b: 7 * ((b - a) % RANKS in doubling),
                                   around), graph.read_text(encoding="utf-8")
    assert "# 0 calls of collectives" in graph.read_text(encoding="utf-8")
    assert "must be 0 or 1" in recorded("collectives", check=False, GDR_RECORD_COLLECTIVES="all").stderr

    # The recorder's own calls are not the program's.
    recorded("ring", GDR_RECORD_TRACE=folder / "ring", GDR_RECORD_COLLECTIVES="1")
    assert rows_of(graph) == added(lambda a, b: 10 * (b == (a + 1) % RANKS)), graph.read_text(encoding="utf-8")
    recorded("ring", GDR_RECORD_TRACE=folder / "ring")
    assert "# 0 calls of collectives" in graph.read_text(encoding="utf-8")

    trace = folder / "probed"
    recorded("probed_and_cancelled", GDR_RECORD_TRACE=trace)
    for rank in range(RANKS):
        right, left = (rank + 1) % RANKS, (rank - 1) % RANKS
        actions = ["init", f"isend {right} 5 70 6", f"isend {right} 5 71 6", f"irecv {left} 5 70 6", f"irecv {left} 5 71 6",
                   *2 * [f"wait {left} {rank} 5"], *2 * [f"wait {rank} {right} 5"], "finalize"]
        found = (trace / f"{rank}.txt").read_text(encoding="utf-8").splitlines()
        assert found == [f"{rank} {action}" for action in actions], found
    run([gdr, "net", "replay", trace / "trace.txt", "--executor", "critical-path"])

    recorded("large_type", 2)
    assert rows_of(graph) == {(0, 1): 33000 * (1 << 16)}
    recorded("persistent", 2)
    assert rows_of(graph) == {(0, 1): 3 * 6000, (1, 0): 3 * 6000}

    recorded("spawned", 2)
    assert rows_of(graph) == {(0, 1): 10, (1, 0): 10}
    assert "# 999 bytes to processes outside of MPI_COMM_WORLD" in graph.read_text(encoding="utf-8")
    assert rows_of(folder / "graph.csv.spawned1") == {(0, 1): 20, (1, 0): 20}

    recorded("other_folder", 2, GDR_RECORD="here.csv")
    assert rows_of(folder / "here.csv") == {(0, 1): 10, (1, 0): 10}
    before = graph.read_text(encoding="utf-8")
    for case, reason in (("exit", "rank 0 ends without MPI_Finalize"), ("abort", "calls MPI_Abort")):
        done = recorded(case, 2, check=False)
        assert reason in done.stderr and f"{graph} is not written" in done.stderr, done.stderr
    assert graph.read_text(encoding="utf-8") == before
    done = recorded("persistent", 2, check=False, GDR_RECORD=folder / "nowhere" / "graph.csv")
    assert done.returncode == 0 and "No such file or directory; no graph is written" in done.stderr, done.stderr
    assert not list(folder.glob("*.tmp")), list(folder.iterdir())

    # Other files stay, also what a link leads to; a link stays one, and a pipe, too.
    mine, notes, link, pipe = (folder / name for name in ("mine.csv", "mine.csv.tmp", "link.csv", "pipe.csv"))
    notes.write_text("notes\n", encoding="utf-8")
    recorded("persistent", 2, GDR_RECORD=mine)
    assert notes.read_text(encoding="utf-8") == "notes\n" and rows_of(mine) == {(0, 1): 18000, (1, 0): 18000}
    notes.unlink()
    thesis = folder / "thesis.tex"
    thesis.write_text("a year's work\n", encoding="utf-8")
    notes.symlink_to(thesis)
    recorded("persistent", 2, GDR_RECORD=mine)
    assert thesis.read_text(encoding="utf-8") == "a year's work\n" and notes.is_symlink()
    link.symlink_to(mine.name)
    mine.write_text("old\n", encoding="utf-8")
    recorded("persistent", 2, GDR_RECORD=link)
    assert link.is_symlink() and rows_of(mine) == {(0, 1): 18000, (1, 0): 18000}
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        recorded("persistent", 2, GDR_RECORD=pipe)
        assert pipe.is_fifo() and "0,1,18000\n" in reader.communicate(timeout=60)[0]


def smpi(folder, smpicc, recorder, stencil):
    program, platform, hosts, graph = (folder / name for name in ("stencil", "platform.xml", "hosts", "graph.csv"))
    platform.write_text(PLATFORM, encoding="utf-8")
    hosts.write_text("".join(f"n{rank}\n" for rank in range(RANKS)), encoding="utf-8")
    run([smpicc, "-DGDR_RECORD_SMPI", "-o", program, stencil, recorder])
    smpirun = pathlib.Path(smpicc).with_name("smpirun")
    command = [smpirun, "-np", RANKS, "-platform", platform, "-hostfile", hosts, "--cfg=smpi/host-speed:1Gf", program]
    run(command, GDR_RECORD=str(graph), GDR_RECORD_TRACE=str(folder / "trace"))
    check_graph(graph)
    check_trace(folder / "trace")


with tempfile.TemporaryDirectory() as scratch:
    {"OpenMpi": open_mpi, "Fortran": fortran, "Halo": halo, "Cases": cases, "Smpi": smpi}[sys.argv[1]](pathlib.Path(scratch), *sys.argv[2:])
