#!/usr/bin/python3
"""What Python costs: an N-body run and forces through grapedr, beside the same without it. Processor time of all threads,
medians of rounds that take turns.

python_bench.py GDR      with PYTHONPATH=build/release/lib/python
"""

import json
import resource
import statistics
import subprocess
import sys
import time

import numpy as np

import grapedr

GDR = sys.argv[1]
ROUNDS = 7


def of_child(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def of_python(call):
    begin = time.process_time()
    call()
    return time.process_time() - begin


def medians(*sides):
    rounds = [[side() for side in sides] for _ in range(ROUNDS + 1)][1:]
    return [statistics.median(column) for column in zip(*rounds)], statistics.median(a / b for a, b in rounds)


# The child's start and end are not of the run: a run to t = 0 has them too.
command = [GDR, "nbody", "--plummer", "256", "--threads", "1", "--quiet", "--t-end"]
(python, _), ratio = medians(
    lambda: of_python(lambda: grapedr.NbodyRun(start="plummer", n=256, t_end=1, threads=1).run()),
    lambda: of_child([*command, "1"]) - of_child([*command, "0"]),
)
n = 2048
x = np.random.default_rng(1).normal(size=(n, 3))
device = grapedr.Device(threads=1)
(forces, _), _ = medians(
    lambda: of_python(lambda: grapedr.accel_jerk_pot(x, x, np.ones(n), 0.01, device=device)),
    lambda: 1.0,
)
imports = statistics.median(
    of_child([sys.executable, "-c", "import grapedr"]) - of_child([sys.executable, "-c", "pass"]) for _ in range(ROUNDS)
)
print(
    json.dumps(
        {
            "sphere_of_256_over_gdr_nbody": ratio,
            "interaction_ns": forces / n**2 * 1e9,
            "import_ms": imports * 1e3,
        },
        indent=1,
    )
)
