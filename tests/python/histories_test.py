#!/usr/bin/python3
"""A grapedr.Device that was used gives what a fresh one gives; threads that share one get results of their own.

histories_test.py HISTORY_STEPS FOLDER_OF_HISTORIES_PY [test arguments]
"""

import concurrent.futures
import sys
import threading
import unittest

import numpy as np

import grapedr

HISTORY_STEPS = sys.argv[1]
sys.path.insert(0, sys.argv[2])
import histories  # noqa: E402

SCALED = """\
kernel scaled
bvar long  xj  elt flt64to72
bvar short mj  elt flt64to36
var vector long xi  hlt flt64to72
var vector long sum rrn flt72to64 fadd
param scale : short flt64to36 = 1
param shift : long flt64to72 = 0.5
var vector short s
var vector long b
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
  bm scale s
  bm shift b
loop body
  fsub xj xi $lt
  fadd $lti b $lt
  fmul $lt s $lt
  fmul $lt mj $lt
  fadd sum $lt sum
"""
KERNELS = [grapedr.kernel("gravity"), grapedr.assemble(SCALED), grapedr.kernel("gravity_jerk")]
# It has no results, which a device refuses.
REFUSED = grapedr.assemble("kernel refused\nbvar long xj elt flt64to72\nvar vector long xi hlt flt64to72\n"
                           "loop body\n  fadd xi xj $t  # allow unused\n")


def records(kernel, transfer, n, random):
    table = np.zeros(n, kernel.dtype(transfer))
    for name in table.dtype.names:
        column = table[name]
        if column.dtype.kind == "i":
            column[...] = np.arange(1, n + 1) + (10000 if transfer == "hlt" else 0)
        else:
            column[...] = random.uniform(1e-3 if name.startswith(("m", "eps")) else -2, 2, column.shape)
    return table


def same(a, b):
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


class Player:
    def __init__(self, seed):
        machine = "model1800" if seed % 4 == 0 else "model450"
        self.options = {"machine": machine, "boards": 2 if seed % 4 == 1 else 1, "threads": 1 + seed % 2}
        self.devices = [grapedr.Device(**self.options), grapedr.Device(**self.options)]
        self.kernels = [KERNELS[seed % len(KERNELS)], KERNELS[(seed // 3) % len(KERNELS)]]

    def step(self, action, step):
        which, choice = step["object"], step["choice"]
        device, kernel = self.devices[which], self.kernels[which]
        random = np.random.default_rng(step["data"])
        if action == "other_kernel":
            self.kernels[which] = KERNELS[choice % len(KERNELS)]
        elif action == "mistake":
            self.err(device, kernel, choice, random)
        elif action in ("run", "parameter"):
            i, j = records(kernel, "hlt", max(step["ni"], 1), random), records(kernel, "elt", step["nj"], random)
            given = {name: random.uniform(-1, 1) for name in kernel.parameters if random.random() < 0.3}
            got = kernel.run(i, j, device, **given)
            expected = kernel.run(i, j, grapedr.Device(**self.options), **given)
            if not same(got, expected):
                raise AssertionError(f"{kernel.name} differs with {given}")

    @staticmethod
    def err(device, kernel, choice, random):
        i, j = records(kernel, "hlt", 5, random), records(kernel, "elt", 70, random)
        calls = [
            lambda: kernel.run(i, {"none": [1.0]}, device),
            lambda: kernel.run(i, j, device, none=1.0),
            lambda: kernel.run(i, j, device, **{name: 0.25 for name in kernel.parameters}, none=1.0),
            lambda: REFUSED.run({"xi": [1.0]}, {"xj": [1.0]}, device),
        ]
        try:
            calls[choice % len(calls)]()
        except grapedr.Error:
            return
        raise AssertionError("nothing was refused")


class UsedDevices(histories.Histories):
    def test_give_what_fresh_ones_give(self):
        self.play(HISTORY_STEPS, 12, Player)

    def test_forget_the_parameters_of_the_call_before(self):
        device, kernel = grapedr.Device(), KERNELS[1]
        random = np.random.default_rng(1)
        i, j = records(kernel, "hlt", 3, random), records(kernel, "elt", 70, random)
        plain = kernel.run(i, j, device)
        self.assertFalse(same(kernel.run(i, j, device, shift=3), plain))
        self.assertTrue(same(kernel.run(i, j, device), plain))
        with self.assertRaises(grapedr.Error):
            kernel.run(i, j, device, scale=2, none=1)
        self.assertTrue(same(kernel.run(i, j, device), plain))

    def test_run_again_after_a_kernel_that_was_refused(self):
        device = grapedr.Device()
        i, j = {"xi": [0.0]}, {"xj": [1.0], "mj": [1.0]}
        plain = KERNELS[1].run(i, j, device)
        with self.assertRaises(grapedr.Error):
            REFUSED.run(i, {"xj": [1.0]}, device)
        self.assertNotIn("kernel", repr(device))
        self.assertTrue(same(KERNELS[1].run(i, j, device), plain))


class SharedDevices(unittest.TestCase):
    def test_give_each_thread_its_own_results(self):
        device = grapedr.Device()

        def call(number):
            random = np.random.default_rng(number)
            kernel = KERNELS[number % 2]
            i, j = records(kernel, "hlt", 150, random), records(kernel, "elt", 300 + number, random)
            parameters = {"scale": number / 8} if number % 4 == 1 else {}
            result = kernel.run(i, j, device, **parameters)
            self.assertGreaterEqual(device.timing["interactions"], 0)
            self.assertEqual(len(device.events), 3)
            return result

        expected = [call(number) for number in range(8)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            got = list(pool.map(call, list(range(8)) * 10))
        wrong = [n for n, result in enumerate(got) if not same(result, expected[n % 8])]
        self.assertEqual(wrong, [])

    def test_refuse_a_second_integration_of_the_same_particles(self):
        for make in (lambda: grapedr.Nbody(grapedr.start("plummer", 64), threads=1),
                     lambda: grapedr.NbodyRun(start="plummer", n=64, t_end=4, threads=1)):
            system = make()
            integrate = (lambda: system.evolve(4)) if isinstance(system, grapedr.Nbody) else (lambda: list(system))
            refused, ended = [], threading.Event()

            def again():
                while not ended.is_set() and not refused:
                    try:
                        integrate()
                    except grapedr.Error as error:
                        refused.append(str(error))

            other = threading.Thread(target=again)
            other.start()
            mine = []
            try:
                integrate()
            except grapedr.Error as error:
                mine.append(str(error))
            finally:
                ended.set()
                other.join()
            for message in refused + mine:
                self.assertIn("an integration of these particles is under way", message)

    def test_show_the_particles_between_two_blocks_to_other_threads(self):
        system = grapedr.Nbody(grapedr.start("plummer", 64), threads=1)
        thread = threading.Thread(target=lambda: system.evolve(1 / 16))
        thread.start()
        while thread.is_alive():
            self.assertEqual(system.particles["position"].shape, (64, 3))
            self.assertGreaterEqual(system.steps, 0)
        thread.join()
        alone = grapedr.Nbody(grapedr.start("plummer", 64), threads=1)
        alone.evolve(1 / 16)
        self.assertEqual(system.state_hash, alone.state_hash)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
