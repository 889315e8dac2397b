#!/usr/bin/python3
"""Ctrl-C in the calls of the module that can take long: from the signal to the exception in less than half a second, and
then the same device and the same objects give right results.

interrupts_test.py GDR [test arguments]
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from processes import processor_seconds, work  # noqa: E402

sys.argv.pop(1)
PROJECT = pathlib.Path(__file__).resolve().parents[2]

SCRIPT = """
import sys, threading
import numpy as np
import grapedr, grapedr.network
rng = np.random.default_rng(1)
x = rng.normal(size=({n}, 3))
m = np.ones(len(x))
device = grapedr.Device({device})
collatz = grapedr.assemble(open({collatz!r}).read())
gravity = grapedr.kernel("gravity")
matrix = rng.normal(size=({order}, {order}))
def particles(n):
    return grapedr.start("plummer", n)
def cloud(n):
    return {{"mass": np.full(n, 1 / n), "position": rng.normal(size=(n, 3)), "velocity": np.zeros((n, 3))}}
def small(device):
    return gravity.run({{"xi": x[:200], "eps2": np.ones(200)}}, {{"xj": x[:300], "mj": m[:300]}}, device)
def hold(device):
    threading.Thread(target=lambda: gravity.run({{"xi": x, "eps2": m}}, {{"xj": x, "mj": m}}, device), daemon=True).start()
    __import__("time").sleep(1)
{prepare}
print("begins", flush=True)
try:
    {call}
    print("ended", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
sys.stdin.readline()  # of the test, which has taken the time
{after}
print("right", flush=True)
"""

# After the interrupt: the device that was interrupted gives what a new one gives.
SAME_FORCES = "np.testing.assert_array_equal(small(device), small(grapedr.Device()))"
SAME_PRODUCT = ("np.testing.assert_array_equal(grapedr.dgemm(matrix[:9, :7], matrix[:7, :5]),"
                " grapedr.dgemm(matrix[:9, :7], matrix[:7, :5]))")
SAME_EXPERIMENTS = ("few = {'from': np.arange(1, 50)}; np.testing.assert_array_equal("
                    "collatz.run_experiments(few, 200, device=device).results,"
                    "collatz.run_experiments(few, 200).results)")
SAME_SYSTEM = ("end = run.time + 2**-6; run.evolve(end)\n"
               "other = grapedr.Nbody(particles(1024)); other.evolve(end); assert run.state_hash == other.state_hash")
SAME_RUN = ("end = run.time; assert run.end == 'stopped'\n"
            "other = grapedr.NbodyRun(particles(1024), t_end=9, on_block=lambda t, steps: t < end).run()\n"
            "assert other.time == end and run._core.state_hash_at(end) == other._core.state_hash_at(end)\n"
            "assert grapedr.NbodyRun(restart=file, t_end=end).time == end")

# name: (what is there before, the call, what must hold afterwards)
CALLS = {
    "Kernel.run": ("", "gravity.run({'xi': x, 'eps2': m}, {'xj': x, 'mj': m}, device)", SAME_FORCES),
    "Kernel.run, waiting for its turn": ("hold(device)", "small(device)", "__import__('os')._exit(print('right', flush=True) or 0)"),
    "Kernel.run_experiments": ("", "collatz.run_experiments({'from': np.full(8192, 2**50 - 1)}, 10**6, 10**6, device=device)",
                               SAME_EXPERIMENTS),
    "accel_jerk_pot": ("", "grapedr.accel_jerk_pot(x, x, m, eps=0.1, device=device)", SAME_FORCES),
    "dgemm": ("", "grapedr.dgemm(matrix, matrix)", SAME_PRODUCT),
    "dgemm, double": ("", "grapedr.dgemm(matrix, matrix, 'double', threads=1)", SAME_PRODUCT),
    "Nbody()": ("some = cloud(100000)", "grapedr.Nbody(some)", SAME_FORCES),
    "Nbody.evolve": ("run = grapedr.Nbody(particles(1024))", "run.evolve(100)", SAME_SYSTEM),
    "Nbody.energy": ("run = grapedr.Nbody(particles(32768), engine='native')", "[run.energy for _ in range(99)]", "run.time"),
    "NbodyRun()": ("some = cloud(100000)", "grapedr.NbodyRun(some, t_end=1)", SAME_FORCES),
    "NbodyRun() on the host": ("some = cloud(100000)", "grapedr.NbodyRun(some, t_end=1, engine='direct', threads=1)", SAME_FORCES),
    "NbodyRun.run": ("file = {folder!r} + '/checkpoint'; run = grapedr.NbodyRun(particles(1024), t_end=9, checkpoint=file)",
                     "run.run()", SAME_RUN),
    "compile_kernel": ("", "[grapedr.compile_kernel('sph_force_c4.cc', effort=3) for _ in range(9)]", SAME_FORCES),
    "map_tasks": ("", "grapedr.network.map_tasks('bruck', 'torus:16x16x16', 'refined', effort=50)", SAME_FORCES),
    "map_tasks by merging": ("", "[grapedr.network.map_tasks('sp', 'torus:32x32x32', 'minlink', npb_class='E') for _ in range(9)]",
                             SAME_FORCES),
    "collective": ("network = grapedr.network.Network('optical-hub-64', 2048)", "[network.collective('allgather', 8, 'posted') for _ in range(99)]",
                   SAME_FORCES),
    "validate": ("import grapedr.validation", "[grapedr.validation.validate() for _ in range(99)]", SAME_FORCES),
    "cluster_nbody": ("", "[grapedr.network.cluster_nbody('grape-dr-64', 64, 1e6) for _ in range(10**6)]", SAME_FORCES),
    "cluster_nbody of many nodes": ("", "grapedr.network.cluster_nbody('grape-dr-64', 65536, 10**6, 'copy', grow_network=True)", SAME_FORCES),
    "start": ("", "[grapedr.start('plummer', 10**6) for _ in range(99)]", SAME_FORCES),
}
NAMES = [name for name in CALLS if len(sys.argv) < 2 or not sys.argv[1].startswith("=") or sys.argv[1][1:] in name]
if len(sys.argv) > 1 and sys.argv[1].startswith("="):
    sys.argv.pop(1)


class Interrupts(unittest.TestCase):
    # Half a second of a host that does nothing else. Seconds of its processors do not depend on what else it does.
    most_seconds = 0.5
    most_seconds_of_a_busy_host = 10

    def test_end_every_long_call_soon(self):
        for name in NAMES:
            prepare, call, after = CALLS[name]
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                prepare = prepare.replace("{folder!r}", repr(folder))
                script = SCRIPT.format(n=40000, order=3000, device="", collatz=str(PROJECT / "docs/examples/collatz.vsm"),
                                       prepare=prepare, call=call, after=after)
                process = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True)
                with process:
                    self.assertEqual(process.stdout.readline(), "begins\n", process.poll() and process.stderr.read())
                    work(process, 1.0)
                    begin, used = time.monotonic(), processor_seconds(process.pid)
                    process.send_signal(signal.SIGINT)
                    told = process.stdout.readline()
                    taken = time.monotonic() - begin
                    used = processor_seconds(process.pid) - used if told else 0
                    rest, errors = process.communicate("\n")
                print(f"{name}: {taken:.2f} s, {used:.2f} s of processors", flush=True)
                self.assertEqual((told, rest), ("interrupted\n", "right\n"), errors)
                self.assertLess(used / os.cpu_count(), self.most_seconds)
                self.assertLess(taken, self.most_seconds_of_a_busy_host)


if __name__ == "__main__":
    unittest.main()
