#!/usr/bin/python3
"""A process ends as it should while daemon threads compute in the module: with its own status, and without a word.

exit_test.py GDR [test arguments]
"""

import subprocess
import sys
import unittest

sys.argv.pop(1)

SCRIPT = """
import sys, threading, time
import numpy as np
import grapedr, grapedr.network, grapedr.validation
rng = np.random.default_rng(1)
x = rng.normal(size=(300, 3))
m = np.ones(len(x))
gravity = grapedr.kernel("gravity")
def forever(call):
    begun.set()
    while True:
        call()
def block(t, steps):
    return True
begun = threading.Event()
threading.Thread(target=forever, args=(lambda: {call},), daemon=True).start()
begun.wait()
time.sleep({seconds})
print("bye", flush=True)
sys.exit(3)
"""

# Each takes the lock in another place: as a call ends, between blocks, for a callback, beside a thread that computes.
CALLS = {
    "accel_jerk_pot": "grapedr.accel_jerk_pot(x, 0 * x, m)",
    "on_progress": "gravity.run({'xi': x, 'eps2': m}, {'xj': x, 'mj': m}, on_progress=lambda done, all: None)",
    "Nbody.evolve": "grapedr.Nbody(grapedr.start('plummer', 64)).evolve(100)",
    "NbodyRun": "grapedr.NbodyRun(start='plummer', n=64, t_end=100, on_block=block).run()",
    "NbodyRun on the host": "grapedr.NbodyRun(start='plummer', n=64, t_end=100, engine='direct', on_block=block).run()",
    "start": "grapedr.start('plummer', 1000)",
    "dgemm": "grapedr.dgemm(x, x.T)",
    "map_tasks": "grapedr.network.map_tasks('cg', 'torus:4x4', effort=0.01)",
    "validate": "grapedr.validation.validate()",
    "Network": "grapedr.network.Network('optical-hub-64').collective('allgather', 8)",
}


class Exit(unittest.TestCase):
    def test_daemon_threads_in_calls_do_not_disturb_it(self):
        for name, call in CALLS.items():
            for seconds in (0.2, 0.31):  # at different places of the call
                with self.subTest(name, seconds=seconds):
                    script = SCRIPT.format(call=call, seconds=seconds)
                    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "bye\n", ""))


if __name__ == "__main__":
    unittest.main()
