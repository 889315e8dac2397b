#!/usr/bin/env python3
"""scripts/hpl-cluster.

    hpl_cluster_test.py PROJECT BUILD boards PxQ     every rank's board computes, the report adds up, HPL's check passes
    hpl_cluster_test.py PROJECT BUILD dat            every run of an input file has HPL's residual and the machine's time
    hpl_cluster_test.py PROJECT BUILD smpi N,...     within 5 % of `gdr hpl --nodes 64`; 77 without HPL's sources
"""

import json
import pathlib
import subprocess
import sys
import tempfile

PROJECT, BUILD, WHAT = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]


# Two sizes, two widths, two grids.
DAT = """HPLinpack benchmark input file

HPL.out
8
2
100 130
2
32 64
0
2
1 1
1 2
16.0
1
2
1
4
1
2
1
1
1
1
1
0
1
64
0
0
1
8
"""


def run(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        command = [PROJECT / "scripts/hpl-cluster", *arguments, "--build", BUILD, "--json", report]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        print(done.stdout + done.stderr)
        if done.returncode != 0:
            sys.exit(done.returncode)
        return json.loads(report.read_text(encoding="utf-8"))


def expect(holds, what):
    if not holds:
        sys.exit(what)


if WHAT == "boards":
    refused = subprocess.run([PROJECT / "scripts/hpl-cluster", "boards", "--lookahead", "1"], capture_output=True, text=True,
                             check=False)
    expect(refused.returncode == 2 and "--lookahead is of smpi" in refused.stderr, "look-ahead on boards is refused")
    p, q = map(int, sys.argv[4].split("x"))
    report = run("boards", "--grid", sys.argv[4])
    ranks = report["ranks"]
    expect([(rank["row"], rank["column"]) for rank in ranks] == [(n // q, n % q) for n in range(p * q)], "places of ranks")
    expect(report["passed"] and 0 < report["residual"] < 16, "HPL's check")
    for rank in ranks:
        expect(rank["on_board"] > 0 and rank["emulated_seconds"] > 0 and rank["failure"] is None, f"rank {rank}")
    for key, total in report["sum"].items():
        expect(abs(sum(rank[key] for rank in ranks) - total) <= 1e-9 * total, f"sum of {key}")
    # Updates of HPL are 2/3 N^3 operations, less what panels and triangles take; no call is counted twice.
    n = report["n"]
    expect(0.3 < report["sum"]["board_flops"] / (2 / 3 * n**3) < 1, "operations on the boards")
    expect(report["busiest_board_seconds"] == max(rank["emulated_seconds"] for rank in ranks), "the busiest board")
    machine = report["machine"]
    expect((machine["n"], machine["nb"], machine["grid"]) == (n, report["nb"], report["grid"]), "the machine's run")
    expect(abs(sum(machine["stages"].values()) / machine["seconds"] - 1) < 1e-9, "phases of the machine")
    expect(machine["watts"] == 448 * p * q and 0 < machine["share_of_peak"] < 1, "watts and share of the peak")
elif WHAT == "dat":
    with tempfile.TemporaryDirectory() as folder:
        dat = pathlib.Path(folder) / "HPL.dat"
        dat.write_text(DAT, encoding="utf-8")
        report = run("boards", "--dat", dat, "--min-flops", "1e4")
    runs = [(row["machine"]["grid"], row["machine"]["n"], row["machine"]["nb"]) for row in report["runs"]]
    expect(runs == [(grid, n, nb) for grid in ("1x1", "1x2") for n in (100, 130) for nb in (32, 64)], f"runs: {runs}")
    expect(report["passed"] and all(0 < row["residual"] < 16 for row in report["runs"]), "HPL's check")
    expect(abs(report["machine_seconds"] / sum(row["machine"]["seconds"] for row in report["runs"]) - 1) < 1e-9, "sum of seconds")
    expect(report["on_board"] > 0, "products on boards")
else:
    for row in run("smpi", "--n", sys.argv[4], "--within", "5")["rows"]:
        expect(row["passed"], f"HPL's check: {row}")
