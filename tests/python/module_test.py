#!/usr/bin/python3
"""The module grapedr: kernels with NumPy arrays, forces, runs, products, and what it refuses.

module_test.py GDR [test arguments]
"""

import json
import math
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import grapedr
import processes

GDR = sys.argv[1]
TUTORIAL = """\
kernel tutorial
bvar long  xj  elt flt64to72
bvar short mj  elt flt64to36
var vector long xi  hlt flt64to72
var vector long sum rrn flt72to64 fadd
param scale : long = 1
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fsub xj xi $lt
  fmul $lti mj $lt
  fadd sum $lti sum
"""


def cloud(n, seed=1):
    random = np.random.default_rng(seed)
    return random.normal(size=(n, 3)), random.normal(size=(n, 3)), random.uniform(0.5, 1.5, n) / n


class Kernels(unittest.TestCase):
    def setUp(self):
        self.kernel = grapedr.assemble(TUTORIAL)

    def test_take_dictionaries_and_structured_arrays(self):
        xi, xj, mj = np.arange(5.0), np.array([1.0, 2.0, 4.0]), np.array([1.0, 0.5, 0.25])
        expected = [(mj * (xj - x)).sum() for x in xi]
        results = self.kernel.run(i={"xi": xi}, j={"xj": xj, "mj": mj})
        self.assertEqual(results.dtype, self.kernel.dtype("rrn"))
        np.testing.assert_array_equal(results["sum"], expected)  # exact in long words
        i = np.zeros(5, self.kernel.dtype("hlt"))
        i["xi"] = xi
        j = np.zeros(3, self.kernel.dtype("elt"))
        j["xj"], j["mj"] = xj, mj
        np.testing.assert_array_equal(self.kernel.run(i, j)["sum"], expected)

    def test_take_arrays_that_are_not_contiguous_and_integers(self):
        wide = np.arange(20.0).reshape(10, 2)
        results = self.kernel.run(i={"xi": wide[:, 0]}, j={"xj": np.arange(3), "mj": [1, 1, 1]})
        np.testing.assert_array_equal(results["sum"], [3 - 3 * x for x in wide[:, 0]])

    def test_one_device_runs_several_kernels(self):
        device = grapedr.Device(threads=1)
        count = grapedr.kernel("gravity")
        for _ in range(2):
            self.assertEqual(self.kernel.run({"xi": [0.0]}, {"xj": [2.0], "mj": [1.0]}, device)["sum"][0], 2)
            pot = count.run({"xi": [[0.0, 0, 0]], "eps2": [0.0]}, {"xj": [[2.0, 0, 0]], "mj": [1.0]}, device)["pot"][0]
            self.assertAlmostEqual(pot, -0.5, delta=1e-7)
        self.assertGreater(device.timing["total"], 0)
        self.assertEqual(device.timing["interactions"], 1)
        self.assertEqual(device.events, {"invalid": 0, "overflow": 0, "underflow": 0})
        self.assertEqual((device.machine, device.chips), ("model1800", 4))

    def test_show_themselves(self):
        self.assertEqual((self.kernel.name, self.kernel.loop_lines, self.kernel.parameters), ("tutorial", 3, ["scale"]))
        self.assertIn("fmul $lti mj $lt", self.kernel.listing)
        self.assertIn("3 loop lines", repr(self.kernel))
        self.assertIn("<pre>", self.kernel._repr_html_())
        self.assertNotIn("<f", self.kernel._repr_html_().replace("<pre>", ""))

    def test_definitions_and_schedule(self):
        self.assertEqual(grapedr.kernel("gravity_jerk", nearest=1).loop_lines, 57)
        text = "kernel k\nconst n = 1\nvar vector long x hlt\nvar vector long y rrn\nloop initialization\n uxor $lt $lt $lt\n upassa $lt y $lr0v\nloop body\n"
        lines = text + " repeat k = 1..n\n  nop\n end\n fadd y $lr0v y\n"
        self.assertEqual(grapedr.assemble(lines, definitions={"n": 5}).loop_lines, 6)
        self.assertEqual(grapedr.assemble(lines, definitions={"n": 5}, schedule=True).loop_lines, 2)

    def test_sources_with_errors_tell_all_of_them_with_their_places(self):
        with self.assertRaises(grapedr.AssemblyError) as caught:
            grapedr.assemble(TUTORIAL.replace("mj $lt", "mk $lt").replace("xj xi $lt", "xj xx $lt"), name="mine.vsm")
        text = str(caught.exception)
        self.assertIn("mine.vsm:11:", text)
        self.assertIn("mine.vsm:12:", text)
        self.assertIn("^", text)
        self.assertIsInstance(caught.exception, grapedr.Error)
        self.assertIsInstance(caught.exception, ValueError)

    def refuses(self, text, call, *arguments, **named):
        with self.assertRaisesRegex(grapedr.Error, text):
            call(*arguments, **named)

    def test_wrong_arrays_are_refused_with_name_and_value(self):
        good = {"xj": [1.0], "mj": [1.0]}
        run = self.kernel.run
        self.refuses(r"i: kernel tutorial has no variable 'x' there \(known: xi\)", run, {"x": [1.0]}, good)
        self.refuses(r"one length \(xj: 2, mj: 1\)", run, {"xi": [1.0]}, {"xj": [1.0, 2.0], "mj": [1.0]})
        self.refuses("there are none", run, {}, good)
        self.refuses("a number", run, {"xi": 1.0}, good)
        self.refuses(r"i\['xi'\] has shape \(1, 3\): it must be \(n\)", run, {"xi": [[1.0, 2, 3]]}, good)
        self.refuses("nan at \\(1,\\)", run, {"xi": [1.0, np.nan]}, good)
        self.refuses("complex128", run, {"xi": [1j]}, good)
        self.refuses("float64: it must be int64", grapedr.kernel("gravity_jerk").run, {"indexi": [1.5]}, good)
        self.refuses("'scalle'", run, {"xi": [1.0]}, good, scalle=2)
        self.refuses("machine|nothing", grapedr.Device, machine="nothing")
        self.refuses("engine", grapedr.Device, engine="steam")
        self.refuses("no kernel is called 'nothing' .known: count, ", grapedr.kernel, "nothing")
        self.refuses("Type II", grapedr.kernel("dgemm").run, {}, {})
        self.refuses("Type I: run", self.kernel.run_turns, turns=1)

    def test_more_records_than_a_memory_holds_are_refused(self):
        model = (pathlib.Path(__file__).parents[2] / "machines/model1800.toml").read_text(encoding="utf-8")
        small = model.replace("em_words          = { value = 33554432", "em_words          = { value = 1024")
        with tempfile.TemporaryDirectory() as folder:
            machine = pathlib.Path(folder) / "small.toml"
            machine.write_text(small, encoding="utf-8")
            device = grapedr.Device(machine=str(machine))
            holds = 4 * 1024 // 2  # four chips; a record of the kernel has two words
            fits = {"xj": np.ones(holds), "mj": np.ones(holds)}
            self.assertEqual(self.kernel.run({"xi": [0.0]}, fits, device)["sum"], [holds])
            self.refuses(
                f"j-records 0..{holds} do not fit: external memory holds {holds}, 1 too few",
                self.kernel.run, {"xi": [0.0]}, {name: np.append(array, 1.0) for name, array in fits.items()}, device,
            )
            self.assertEqual(self.kernel.run({"xi": [0.0]}, fits, device)["sum"], [holds])

    def test_of_type_ii_give_words_with_their_places_and_have_emulated_time(self):
        source = """kernel blocks
bvar vector long out[32] rrn flt72to64
var vector long x hlt
loop body
  fadd x f"0.5" x
  nop
loop termination
  repeat p = 0..31
    bm x out[p] @{p}
  end
  nop
  collect out block each
"""
        kernel = grapedr.assemble(source)
        device = grapedr.Device()
        x = np.arange(8192.0)
        for _ in range(2):  # nothing is left over from the call before
            words = kernel.run_turns(i={"x": x}, turns=3, device=device)
            np.testing.assert_array_equal(words["value"], x + 1.5)
        at = words[2048 + 128 * 3 + 4 * 7 + 2]
        self.assertEqual([int(at[name]) for name in ("turn", "chip", "block", "pe", "element")], [3, 1, 3, 7, 2])
        self.assertGreater(device.timing["total"], 0)
        self.assertIn("loop_stall", device.assumed)
        self.assertGreater(sum(line["clocks"] for line in kernel.schedule()), 0)
        self.refuses("turns is missing", kernel.run_turns, i={"x": x})
        self.refuses("turns = 0", kernel.run_turns, i={"x": x}, turns=0)
        self.refuses("run_turns", kernel.run, {"x": x}, {})

    def test_experiments_give_results_in_the_order_of_their_starts(self):
        source = """kernel halve experiment
param most : long = 1
var vector long from[2] hlt
var vector long id hlt fix64to72
var vector long x[2] rrn
var vector long same rrn fix72to64
experiment begin
  fpassa from[0] x[0]
  fpassa from[1] x[1]
  upassa id same
experiment step
  fmul x[0] fs"0.5" $lt x[0]
  fsub most $lti $ok1
experiment end
  fadd x[1] f"1" x[1]
"""
        kernel = grapedr.assemble(source)
        self.assertEqual(kernel.parameters, ["most"])
        count = 3000
        starts = {"from": np.stack([2.0 ** (np.arange(count) % 30), np.arange(count)], 1), "id": np.arange(count) * 3}
        told = []
        run = kernel.run_experiments(starts, steps=40, round=8, most=0.5, on_round=lambda *done: told.append(done))
        np.testing.assert_array_equal(run.results["same"], 3 * np.arange(count))
        np.testing.assert_array_equal(run.results["x"][:, 1], np.arange(count) + 1.0)
        np.testing.assert_array_equal(run.results["x"][:, 0], 0.5)
        np.testing.assert_array_equal(run.results["steps"], np.arange(count) % 30 + 1)
        self.assertEqual((run.unfinished, run.round_steps, told[-1]), (0, 8, (count, count)))
        self.assertEqual(len(told), run.rounds)
        again = kernel.run_experiments(starts, steps=40, refill=False, most=0.5, device=grapedr.Device(machine="model450"))
        np.testing.assert_array_equal(again.results, run.results)
        self.refuses("no parameter 'experiment_limit'", kernel.run_experiments, starts, 40, experiment_limit=3)
        self.refuses("steps = 0", kernel.run_experiments, starts, 0)
        self.refuses("round = 7 is refused", kernel.run_experiments, starts, 40, round=7)
        self.refuses("missing variable id", kernel.run_experiments, {"from": starts["from"]}, 40)
        self.refuses(r"run_experiments\(\) runs it", kernel.run, starts, {})
        self.refuses("is of Type I: run\\(\\) runs it", self.kernel.run_experiments, {}, 40)

        def cancel(done, everybody):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            kernel.run_experiments(starts, 40, most=0.5, on_round=cancel)

    def test_no_particles_are_no_error(self):
        results = self.kernel.run({"xi": np.zeros(0)}, {"xj": [1.0], "mj": [1.0]})
        self.assertEqual(results.shape, (0,))
        np.testing.assert_array_equal(self.kernel.run({"xi": [1.0]}, {"xj": [], "mj": []})["sum"], [0])

    def test_other_threads_go_on_while_a_board_computes(self):
        x, v, m = cloud(1500)
        ticks = []
        stop = threading.Event()

        def tick():
            while not stop.is_set():
                ticks.append(time.monotonic())
                stop.wait(0.001)

        thread = threading.Thread(target=tick)
        thread.start()
        device = grapedr.Device(threads=1)
        meanwhile = 0
        for _ in range(200):  # a host with much else to do may let the other thread wait for long
            begin = time.monotonic()
            grapedr.accel_jerk_pot(x, v, m, eps=0.01, device=device)
            end = time.monotonic()
            meanwhile += len([t for t in ticks if begin < t < end])
            if meanwhile > 3:
                break
        stop.set()
        thread.join()
        self.assertGreater(meanwhile, 3)


class Forces(unittest.TestCase):
    def test_are_those_of_double_sums(self):
        x, v, m = cloud(200)
        eps = 0.05
        acc, jerk, pot = grapedr.accel_jerk_pot(x, v, m, eps=eps)
        d = x[None, :] - x[:, None]
        u = v[None, :] - v[:, None]
        s2 = (d**2).sum(-1) + eps**2
        du = (d * u).sum(-1)
        np.fill_diagonal(s2, np.inf)
        exact = (m[None, :, None] * d / s2[..., None] ** 1.5).sum(1)
        exact_jerk = (m[None, :, None] * (u / s2[..., None] ** 1.5 - 3 * du[..., None] * d / s2[..., None] ** 2.5)).sum(1)
        scale = np.linalg.norm(exact, axis=1)
        self.assertLess(np.linalg.norm(acc - exact, axis=1).max() / scale.max(), 1e-6)
        self.assertLess(np.abs(jerk - exact_jerk).max() / np.abs(exact_jerk).max(), 1e-5)
        np.testing.assert_allclose(pot, -(m[None, :] / np.sqrt(s2)).sum(1), rtol=1e-6)

    def test_have_the_same_bits_on_every_engine(self):
        x, v, m = cloud(20)
        simd = grapedr.accel_jerk_pot(x, v, m, eps=0.01)
        reference = grapedr.accel_jerk_pot(x, v, m, eps=0.01, device=grapedr.Device(engine="reference"))
        for one, other in zip(simd, reference):
            np.testing.assert_array_equal(one, other)

    def test_refuse_wrong_shapes(self):
        x, v, m = cloud(4)
        with self.assertRaisesRegex(grapedr.Error, r"x has shape \(4, 2\)"):
            grapedr.accel_jerk_pot(x[:, :2], v, m)
        with self.assertRaisesRegex(grapedr.Error, r"m has shape \(3,\): it must be \(4,\)"):
            grapedr.accel_jerk_pot(x, v, m[:3])

    def test_refuse_what_is_not_finite_with_its_place(self):
        for bad in (np.nan, np.inf, -np.inf):
            for name in ("x", "v", "m"):
                arrays = dict(zip("xvm", cloud(4)))
                place = (2, 1) if name != "m" else (2,)
                arrays[name][place] = bad
                with self.assertRaisesRegex(grapedr.Error, rf"^{name} is {bad} at {re.escape(str(place))}"):
                    grapedr.accel_jerk_pot(**arrays)
        for eps in (-1.0, np.nan, np.inf):
            with self.assertRaisesRegex(grapedr.Error, f"eps = {eps} is refused"):
                grapedr.accel_jerk_pot(*cloud(4), eps=eps)

    def test_take_arrays_that_are_not_contiguous(self):
        x, v, m = cloud(16)
        expected = grapedr.accel_jerk_pot(x, v, m, eps=0.01)
        wide = np.zeros((16, 14))
        wide[:, :6:2], wide[:, 7:13:2], wide[:, 13] = x, v, m
        for arrays in [(wide[:, :6:2], wide[:, 7:13:2], wide[:, 13]), (np.asfortranarray(x), v[::-1][::-1], m.tolist())]:
            for one, other in zip(grapedr.accel_jerk_pot(*arrays, eps=0.01), expected):
                np.testing.assert_array_equal(one, other)

    def test_take_arrays_that_change_while_a_board_computes(self):
        x, v, m = cloud(600)
        expected = grapedr.accel_jerk_pot(x, v, m, eps=0.01)
        found = []
        thread = threading.Thread(target=lambda: found.extend(grapedr.accel_jerk_pot(x, v, m, eps=0.01)))
        thread.start()
        while thread.is_alive():
            frame = sys._current_frames().get(thread.ident)
            if frame is not None and "j_records" in frame.f_locals:  # both kinds of records are made
                break
        for array in (x, v, m):
            array[:] = np.nan
        thread.join()
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)


class Products(unittest.TestCase):
    def test_are_the_boards(self):
        random = np.random.default_rng(3)
        a, b = random.normal(size=(30, 40)), random.normal(size=(40, 7))
        for precision, bound in [("paper", 2.0**-47), ("double", 2.0**-51)]:
            c = grapedr.dgemm(a, b, precision)
            self.assertEqual(c.shape, (30, 7))
            self.assertLess((np.abs(c - a @ b) / (np.abs(a) @ np.abs(b))).max(), bound)
        np.testing.assert_array_equal(grapedr.dgemm(a.T.copy().T, b[:, ::-1])[:, ::-1], grapedr.dgemm(a, b))
        with self.assertRaisesRegex(grapedr.Error, "as many rows as a has columns"):
            grapedr.dgemm(a, a)

    def test_keep_what_is_below_the_boards_range(self):
        cases = [
            (np.full((2, 2), 1e-310), np.full((2, 2), 1e300)),
            (np.full((1, 2), 1e-170), np.full((2, 1), 1e-140)),
            (np.array([[1e-300, 1.0], [2.0, 1e300]]), np.array([[3.0, 1e-300], [1e-310, 5.0]])),
        ]
        for a, b in cases:
            exact = np.array([[math.fsum(x * y for x, y in zip(row, column)) for column in b.T] for row in a])
            for precision in ["paper", "double"]:
                np.testing.assert_allclose(grapedr.dgemm(a, b, precision), exact, rtol=2.0**-46, atol=5e-324)

    def test_are_refused_in_other_precisions(self):
        a, b = np.ones((30, 40)), np.ones((40, 7))
        with self.assertRaisesRegex(grapedr.Error, "half"):
            grapedr.dgemm(a, b, "half")


class Runs(unittest.TestCase):
    def test_are_those_of_gdr_nbody(self):
        command = [GDR, "nbody", "--plummer", "64", "--t-end", "0.25", "--json", "-"]
        report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        run = grapedr.Nbody(grapedr.start("plummer", 64))
        times = [run.time for run in run.outputs(0.25, 0.1)]
        self.assertEqual(times, [0.1, 0.2, 0.25])
        self.assertEqual(run.state_hash, report["state_hash"])
        self.assertEqual(run.steps, report["steps"])
        self.assertEqual(run.particles["position"].shape, (64, 3))
        self.assertAlmostEqual(run.energy, -0.25, delta=0.01)
        self.assertGreater(run.timing["total"], 0)

    def test_start_models_have_their_energy(self):
        two = grapedr.start("pythagorean")
        np.testing.assert_array_equal(two["mass"], [3, 4, 5])
        self.assertRaises(grapedr.Error, grapedr.start, "cube", 10)

    def test_end_on_interrupts(self):
        script = (
            "import grapedr, sys\n"
            "run = grapedr.Nbody(grapedr.start('plummer', 512))\n"
            "print('running', flush=True)\n"
            "try:\n    run.evolve(100)\nexcept KeyboardInterrupt:\n    sys.exit(7)\n"
        )
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "running\n")
        processes.work(process, 0.2)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 7)
        process.stdout.close()

    def test_refuse_particles_that_are_none(self):
        particles = grapedr.start("plummer", 8)
        particles["mass"][3] = np.nan
        self.assertRaises(grapedr.Error, grapedr.Nbody, particles)
        particles["mass"] = particles["mass"][:4]
        self.assertRaises(grapedr.Error, grapedr.Nbody, particles)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
