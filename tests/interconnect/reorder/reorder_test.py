#!/usr/bin/env python3
"""Programs that let MPI reorder their ranks, under libgdr_reorder: what MPI says of the new communicators, and their costs.

    reorder_test.py Order LIBRARY CASES MPIRUN
    reorder_test.py Refusals LIBRARY CASES MPIRUN
    reorder_test.py Hosts LIBRARY CASES MPIRUN HOSTS
    reorder_test.py WithRecorder LIBRARY CASES MPIRUN RECORDER
    reorder_test.py Fortran LIBRARY PROGRAM MPIRUN
"""

import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

RANKS = 8


def outputs(mpirun, preloaded, program, *words, ranks=RANKS, **variables):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    exports = [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]
    preload = ["-x", f"LD_PRELOAD={preloaded}"] if preloaded else []
    command = [mpirun, "--oversubscribe", "-n", str(ranks), *preload, *exports, program, *words]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment, check=False,
                          timeout=300)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return [fields(line) for line in done.stdout.splitlines()], done.stderr


def fields(line):
    """{"rank": [[3]], "shift": [[1, 5], [2, 4]]} of " rank 3 shift 1 5 shift 2 4"."""
    found = {}
    for word in line.split():
        if word.lstrip("-").isdigit():
            found[name][-1].append(int(word))
        else:
            name = word
            found.setdefault(name, []).append([])
    return found


def world_of(lines):
    """The world's rank of each rank of the new communicator, which every rank has once."""
    found = {line["rank"][0][0]: line["world"][0][0] for line in lines if line["rank"][0][0] >= 0}
    assert sorted(found) == list(range(len(found))), lines
    return [found[rank] for rank in range(len(found))]


def hops(extents, a, b):
    """Links between two nodes of a torus, whose first axis counts fastest."""
    count = 0
    for extent in extents:
        apart = abs(a % extent - b % extent)
        count += min(apart, extent - apart)
        a, b = a // extent, b // extent
    return count


def cost(edges, extents, node_of):
    return sum(weight * hops(extents, node_of[a], node_of[b]) for a, b, weight in edges)


def least_cost(edges, extents, nodes):
    return min(cost(edges, extents, places) for places in itertools.permutations(nodes))


def grid_edges(rows, columns):
    at = lambda row, column: row % rows * columns + column % columns
    return [(at(r, c), at(*other), 1) for r in range(rows) for c in range(columns)
            for other in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)) if at(*other) != at(r, c)]


def check_grid(lines, rows, columns):
    """Coordinates and neighbours of each rank are those that MPI defines, the last axis fastest."""
    for line in lines:
        rank = line["rank"][0][0]
        if rank < 0:
            continue
        row, column = divmod(rank, columns)
        shifts = [[(row - 1) % rows * columns + column, (row + 1) % rows * columns + column],
                  [row * columns + (column - 1) % columns, row * columns + (column + 1) % columns]]
        assert line["at"] == [[row, column]] and line["shift"] == shifts, line
        assert line.get("got", [[shift[0]] for shift in shifts]) == [[shift[0]] for shift in shifts], line


RING = [(rank, (rank + 3) % RANKS, rank + 1) for rank in range(RANKS)]


def check_graph(lines, edges, weighted):
    """Each rank has the neighbours that were given for it, whichever process it is."""
    for line in lines:
        rank = line["rank"][0][0]
        sources = sorted((a, weight) for a, b, weight in edges if b == rank)
        targets = sorted((b, weight) for a, b, weight in edges if a == rank)
        assert line["weighted"] == [[int(weighted)]], line
        for kind, expected in (("from", sources), ("to", targets)):
            found = line[kind][0]
            if weighted:
                assert sorted(zip(found, line[kind + "_weights"][0])) == expected, (line, expected)
            else:
                assert sorted(found) == [other for other, _ in expected], (line, expected)


def order(folder, library, cases, mpirun):
    run = lambda *words, **variables: outputs(mpirun, library, cases, *words, **variables)
    report = folder / "report.json"
    torus = {"GDR_REORDER": "torus:2x4"}

    # A grid of 2 x 4 ranks on a torus of 2 x 4 nodes, whose numbers count along the other axis.
    lines, told = run("cart", "1", **torus, GDR_REORDER_REPORT=report)
    assert told == "", told
    check_grid(lines, 2, 4)
    edges = grid_edges(2, 4)
    natural, best = cost(edges, (2, 4), range(RANKS)), len(edges)
    assert natural > best and cost(edges, (2, 4), world_of(lines)) == best, lines
    reported = json.loads(report.read_text(encoding="utf-8"))
    assert reported["cost_hop_bytes"] == best and reported["natural_order"]["cost_hop_bytes"] == natural, reported
    assert reported["call"] == "MPI_Cart_create" and reported["ranks"] == RANKS and reported["reordered"], reported
    again, told = run("cart", "1", **torus, GDR_REORDER_REPORT="-")
    assert again == lines and json.loads(told) == reported, told
    run("cart", "1", **torus, GDR_REORDER_REPORT=report)
    assert [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()] == [reported] * 2
    for text in ("program main\n", "{}\n", "\n"):
        other = folder / "other.f90"
        other.write_text(text, encoding="utf-8")
        again, told = run("cart", "1", **torus, GDR_REORDER_REPORT=other)
        assert again == lines and told.count("\n") == 1 and f"'{other}' is refused" in told, told
        assert other.read_text(encoding="utf-8") == text

    # Without reorder the ranks stay, and nothing is read.
    lines, told = run("cart", "0", GDR_REORDER="nowhere")
    assert told == "" and world_of(lines) == list(range(RANKS)), (lines, told)
    check_grid(lines, 2, 4)

    # Fewer ranks than processes: the others have no place in the grid.
    lines, _ = run("part", "1", GDR_REORDER="torus:8")
    check_grid(lines, 2, 2)
    places = world_of(lines)
    assert len(places) == 4 and sum(line["rank"] == [[-1]] for line in lines) == RANKS - 4, lines
    assert cost(grid_edges(2, 2), (8,), places) == least_cost(grid_edges(2, 2), (8,), range(4)), places

    # Two communicators, whose processes have other ranks in the world.
    lines, _ = run("halves", "1", GDR_REORDER="torus:2x4")
    for half in (lines[:4], lines[4:]):
        check_grid(half, 2, 2)
        nodes = [line["world"][0][0] for line in half]
        assert cost(grid_edges(2, 2), (2, 4), world_of(half)) == least_cost(grid_edges(2, 2), (2, 4), nodes), half

    # Rings of distance 3 lie along the torus; with two ranks a node, neighbours share nodes.
    for case, edges, weighted in (("adjacent", [(a, b, 1) for a, b, _ in RING], False), ("weighted", RING, True),
                                  ("anyone", RING, True)):
        lines, _ = run(case, "1", GDR_REORDER="torus:8")
        check_graph(lines, edges, weighted)
        assert cost(edges, (8,), world_of(lines)) == sum(weight for _, _, weight in edges), lines
    lines, _ = run("weighted", "1", GDR_REORDER="torus:4", GDR_REORDER_TASKS_PER_NODE="2")
    check_graph(lines, RING, True)
    nodes = [rank // 2 for rank in range(RANKS)]
    assert cost(RING, (4,), [nodes[rank] for rank in world_of(lines)]) == least_cost(RING, (4,), nodes), lines
    star = [(0, rank, 10 * rank) for rank in range(1, RANKS)]
    lines, _ = run("star", "1", GDR_REORDER="mesh:8")
    check_graph(lines, star, True)
    lines, _ = run("graph", "1", GDR_REORDER="torus:8")
    for line in lines:
        rank = line["rank"][0][0]
        assert sorted(line["to"][0]) == sorted([(rank + 3) % RANKS, (rank - 3) % RANKS]), line
    assert cost(RING, (8,), world_of(lines)) == sum(weight for _, _, weight in RING), lines

    # Recorded traffic instead of neighbours: ranks 0 and 5 exchange nearly all.
    graph = folder / "graph.csv"
    graph.write_text(f"tasks,{RANKS}\nfrom,to,bytes\n0,5,1000000\n0,1,1\n", encoding="utf-8")
    lines, _ = run("cart", "1", GDR_REORDER="torus:8", GDR_REORDER_GRAPH=graph)
    places = world_of(lines)
    assert hops((8,), places[0], places[5]) == 1, places
    # Where nothing is better, the ranks stay.
    graph.write_text(f"tasks,{RANKS}\nfrom,to,bytes\n0,1,5\n", encoding="utf-8")
    lines, _ = run("cart", "1", GDR_REORDER="torus:8", GDR_REORDER_GRAPH=graph)
    assert world_of(lines) == list(range(RANKS)), lines


def refusals(folder, library, cases, mpirun):
    graph, hosts = folder / "graph.csv", folder / "hosts.txt"
    graph.write_text("tasks,3\nfrom,to,bytes\n0,1,5\n", encoding="utf-8")
    hosts.write_text("elsewhere\n", encoding="utf-8")
    network = {"GDR_REORDER": "torus:2x4"}
    for variables, reason in (
            ({}, "GDR_REORDER, which names the network, is not set"),
            ({"GDR_REORDER": "nowhere"}, "GDR_REORDER = 'nowhere' is refused"),
            ({"GDR_REORDER": "torus:2x"}, "GDR_REORDER = 'torus:2x' is refused"),
            ({"GDR_REORDER": "torus:2x2"}, "rank 4 is beyond torus:2x2: 4 nodes"),
            ({**network, "GDR_REORDER_TASKS_PER_NODE": "0"}, "it must be from 1 to 1024"),
            ({**network, "GDR_REORDER_OBJECTIVE": "time"}, "it must be cost or link"),
            ({**network, "GDR_REORDER_GRAPH": folder / "none.csv"}, "GDR_REORDER_GRAPH"),
            ({**network, "GDR_REORDER_GRAPH": graph}, "it has 3 tasks, the communicator 8 ranks"),
            ({**network, "GDR_REORDER_HOSTS": hosts}, "GDR_REORDER_HOSTS lacks the host")):
        lines, told = outputs(mpirun, library, cases, "twice", "1", **variables)
        check_grid(lines, 2, 4)
        assert world_of(lines) == list(range(RANKS)), (variables, lines)
        assert told.count("\n") == 1 and reason in told and "MPI_Cart_create: the ranks keep their order" in told, told
    # What MPI refuses, it refuses with this library, too.
    plain, _ = outputs(mpirun, None, cases, "too_many", "1")
    under, told = outputs(mpirun, library, cases, "too_many", "1", **network)
    assert plain == under and plain[0]["class"] != [[0]] and told == "", (plain, under, told)
    lines, told = outputs(mpirun, library, cases, "cart", "1", **network, GDR_REORDER_REPORT=folder / "no" / "where")
    assert world_of(lines) != list(range(RANKS)) and "GDR_REORDER_REPORT" in told and told.count("\n") == 1, told


def by_hosts(folder, library, cases, mpirun, named):
    """The host of each process says its node: here the last rank of the world is on the first node."""
    hosts = folder / "hosts.txt"
    hosts.write_text("n[0-7]\n", encoding="utf-8")
    lines, told = outputs(mpirun, f"{library}:{named}", cases, "weighted", "1", GDR_REORDER="mesh:8",
                          GDR_REORDER_HOSTS=hosts)
    assert told == "", told
    check_graph(lines, RING, True)
    nodes = [RANKS - 1 - rank for rank in world_of(lines)]
    assert cost(RING, (99,), nodes) == least_cost(RING, (99,), range(RANKS)), nodes  # nothing goes round
    report = folder / "report.json"
    hosts.write_text("n7\nn[0-6]\n", encoding="utf-8")
    outputs(mpirun, f"{library}:{named}", cases, "cart", "1", GDR_REORDER="torus:8", GDR_REORDER_HOSTS=hosts,
            GDR_REORDER_REPORT=report)
    node_of_host = [1, 2, 3, 4, 5, 6, 7, 0]
    natural = [node_of_host[RANKS - 1 - rank] for rank in range(RANKS)]
    assert json.loads(report.read_text(encoding="utf-8"))["natural_order"]["cost_hop_bytes"] == cost(
        grid_edges(2, 4), (8,), natural)


def with_recorder(folder, library, cases, mpirun, recorder):
    """The recorder, loaded first, counts the program's calls alone."""
    graph = folder / "graph.csv"
    lines, told = outputs(mpirun, f"{recorder}:{library}", cases, "cart", "1", GDR_REORDER="torus:2x4", GDR_RECORD=graph)
    assert told == "", told
    text = graph.read_text(encoding="utf-8")
    assert f"# 0 calls of collectives" in text, text
    places = world_of(lines)
    assert places != list(range(RANKS)), places
    rows = [row.split(",") for row in text.splitlines() if row[0].isdigit()]
    found = {(int(a), int(b)): int(c) for a, b, c in rows}
    expected = {}
    for rank in range(RANKS):
        row, column = divmod(rank, 4)
        for other in ((row + 1) % 2 * 4 + column, row * 4 + (column + 1) % 4):
            expected[places[rank], places[other]] = expected.get((places[rank], places[other]), 0) + 4
    for rank in range(1, RANKS):
        expected[rank, 0] = expected.get((rank, 0), 0) + 512  # the lines that are printed
    assert found == expected, (found, expected)


def fortran(folder, library, program, mpirun):
    del folder
    lines, told = outputs(mpirun, library, program, GDR_REORDER="torus:2x4")
    assert told == "", told
    check_grid(lines, 2, 4)
    assert cost(grid_edges(2, 4), (2, 4), world_of(lines)) == len(grid_edges(2, 4)), lines


with tempfile.TemporaryDirectory() as scratch:
    {"Order": order, "Refusals": refusals, "Hosts": by_hosts, "WithRecorder": with_recorder,
     "Fortran": fortran}[sys.argv[1]](pathlib.Path(scratch), *sys.argv[2:])
