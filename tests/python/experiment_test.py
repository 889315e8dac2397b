#!/usr/bin/python3
"""Kernels of experiments from Python classes: the bits of the same program in C++, the class on the host, and refusals.

experiment_test.py GDR [test arguments]
"""

from __future__ import annotations

import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import textwrap
import unittest

import numpy as np

import grapedr
from grapedr.pair import Experiment, Parameter, Result, Short, Start, State, rsqrt

MASS = 1.0


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1]


@grapedr.experiment
class Orbit(Experiment):
    """A body about a mass, until it is far away or was long on its way."""

    x0: Start[2]
    v0: Start[2]
    h: Parameter[Short] = 0.015625
    x: State[2]
    v: State[2]
    a: State[Short, 2]
    t: State
    where: Result[2]
    when: Result

    def pull(self):
        y = rsqrt(Short(dot(self.x, self.x)))
        y3 = -MASS * y * y * y
        for k in range(2):
            self.a[k] = y3 * self.x[k]

    def begin(self):
        for k in range(2):
            self.x[k] = self.x0[k]
            self.v[k] = self.v0[k]
        self.t = 0.0
        self.pull()

    def kick(self, part):
        half = 0.5 * self.h
        for k in range(2):
            self.v[k] += part * half * self.a[k]

    def step(self):
        self.kick(1)
        for k in range(2):
            self.x[k] += self.h * self.v[k]
        self.pull()
        self.kick(1)
        self.t += self.h

    def radius2(self):
        return dot(self.x, self.x)

    def done(self):
        far = self.radius2()
        return far > 9 or self.t > 3

    def end(self):
        for k in range(2):
            self.where[k] = self.x[k]
        self.when = self.t


ORBIT_IN_CPLUSPLUS = """#include <gdr/kernel.h>
struct Start { double x0[2], v0[2]; };
struct State { double x[2], v[2]; float a[2]; double t; };
struct Result { double where[2], when; };
struct P { float h; };
static double radius2(const State& s) { return s.x[0] * s.x[0] + s.x[1] * s.x[1]; }
static void pull(State& s) {
  const float y = gdr::rsqrt(radius2(s));
  const float y3 = -1.0f * y * y * y;
  for (int k = 0; k < 2; ++k) s.a[k] = static_cast<double>(y3) * s.x[k];
}
static void kick(State& s, const P& p) {
  const float half = 0.5f * p.h;
  for (int k = 0; k < 2; ++k) s.v[k] += half * s.a[k];
}
void begin(const Start& start, State& s) {
  for (int k = 0; k < 2; ++k) s.x[k] = start.x0[k], s.v[k] = start.v0[k];
  s.t = 0;
  pull(s);
}
void step(State& s, const P& p) {
  kick(s, p);
  for (int k = 0; k < 2; ++k) s.x[k] += static_cast<double>(p.h) * s.v[k];
  pull(s);
  kick(s, p);
  s.t += p.h;
}
bool done(const State& s) { return radius2(s) > 9 || s.t > 3; }
void end(const State& s, Result& r) {
  for (int k = 0; k < 2; ++k) r.where[k] = s.x[k];
  r.when = s.t;
}
"""


@grapedr.experiment
class Choices(Experiment):
    """Branches, also with methods that change members inside."""

    x0: Start
    x: State
    n: State
    r: Result

    def add(self, much):
        self.x += much
        self.n += 1

    def begin(self):
        self.x = self.x0
        self.n = 0
        if self.x < 0:
            self.add(100)

    def step(self):
        if self.x > 10:
            self.add(-8)
        elif self.x < 5:
            self.x = self.x + 1
        else:
            self.x *= 1.5
            self.add(0)

    def end(self):
        self.r = self.x if self.n > 2 else -self.x


@grapedr.experiment
class Ends:
    a: Start
    x: State[2]
    r: Result[2]

    @staticmethod
    def twice(y):
        return y + y

    def begin(self):
        self.x[-1] = self.a
        self.x[0] = self.x[-1]

    def step(self):
        self.x[-2] = self.twice(self.x[-2])

    def end(self):
        for k in range(2):
            self.r[k - 2] = self.x[k - 2]


class Halving:
    a: Start
    x: State
    r: Result

    def begin(self):
        self.x = self.a

    def step(self):
        self.x *= 0.5

    def end(self):
        self.r = self.x


@grapedr.experiment
class Always(Halving):
    def done(self):
        return True


@grapedr.experiment
class Never(Halving):
    def done(self):
        return False


@grapedr.experiment
class Sometimes(Halving):
    def done(self):
        return False or (self.x < 1 and True)


# A process that has the pickled kernel, and no module with its class.
ELSEWHERE = """
import pathlib, pickle, sys
import numpy as np
import grapedr
folder = pathlib.Path(sys.argv[1])
orbit = pickle.loads((folder / "orbit.pickle").read_bytes())
given = {name: np.load(folder / (name + ".npy")) for name in ("x0", "v0")}
print(type(orbit).__name__, orbit.__name__, orbit.lines == grapedr.assemble(orbit.source).loop_lines)
print(orbit.run_experiments(given, 9).results.tobytes().hex())
try:
    orbit.on_host(given, 9)
except grapedr.Error as error:
    print("refused" if "the class of Orbit is not known here" in str(error) else error)
"""


def path_of_grapedr():
    return os.environ | {"PYTHONPATH": str(pathlib.Path(grapedr.__file__).parents[1])}


def starts(n):
    random = np.random.default_rng(n)
    angle = random.uniform(0, 2 * np.pi, n)
    return {"x0": np.stack([np.cos(angle), np.sin(angle)], 1), "v0": random.normal(size=(n, 2))}


class Experiments(unittest.TestCase):
    def test_have_the_bits_of_cplusplus_in_every_round_and_thread(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "orbit.cc")
            file.write_text(ORBIT_IN_CPLUSPLUS)
            try:
                of_cplusplus = grapedr.compile_kernel(file)
            except grapedr.AssemblyError:
                raise
            except grapedr.Error as error:
                self.skipTest(str(error))
        given = starts(2500)
        expected = of_cplusplus.run_experiments(given, steps=400, h=0.015625).results
        self.assertGreater(len(set(expected["steps"])), 20)
        self.assertTrue(expected["finished"].all())
        for options in ({}, {"refill": False}, {"round": 25}, {"round": 400, "refill": False}):
            run = Orbit.run_experiments(given, steps=400, **options)
            self.assertEqual(run.results.tobytes(), expected.tobytes(), options)
        for threads in range(1, 5):
            for refill in (True, False):
                device = grapedr.Device(machine="model450", threads=threads)
                run = Orbit.run_experiments(given, steps=400, refill=refill, device=device)
                self.assertEqual(run.results.tobytes(), expected.tobytes(), (threads, refill))

    def test_are_near_the_class_on_the_host(self):
        given = starts(12)
        for parameters in ({}, {"h": 0.03125}):
            board = Orbit.run_experiments(given, steps=50, **parameters).results
            host = Orbit.on_host(given, steps=50, **parameters)
            np.testing.assert_array_equal(board["steps"], host["steps"])
            np.testing.assert_array_equal(board["finished"], host["finished"])
            np.testing.assert_array_equal(board["when"], host["when"])
            np.testing.assert_allclose(board["where"], host["where"], rtol=0, atol=1e-3)
        self.assertLess(host["finished"].sum(), 12)  # 50 steps are too few for some

    def test_take_branches_as_the_host_does(self):
        given = {"x0": np.arange(-20.0, 20.0)}
        for steps in (1, 2, 7, 20):
            board = Choices.run_experiments(given, steps=steps)
            host = Choices.on_host(given, steps=steps)
            self.assertEqual(board.results.tobytes(), host.tobytes(), steps)
            self.assertEqual((board.unfinished, set(host["steps"])), (0, {steps}))  # there is no done()

    def test_are_objects_of_their_class_on_the_host(self):
        one = Orbit(x0=[1.0, 0.0], v0=[0.0, 1.0], h=0.5)
        self.assertIsInstance(one, Orbit.host_class)
        one.begin()
        np.testing.assert_allclose(one.a, [-1, 0])
        one.step()
        self.assertEqual(one.t, 0.5)
        self.assertFalse(one.done())
        one.end()
        np.testing.assert_array_equal(one.where, one.x)
        for values, message in (
            ({"x0": [1.0, 0.0]}, r"Orbit\(\) misses 'v0'"),
            ({"x0": [1.0, 0.0], "v0": 1.0}, r"Orbit\(\): v0 has shape \(\): it must be \(2,\)"),
            ({"x": [1.0, 0.0]}, r"Orbit\(\) has no start and no parameter 'x'"),
        ):
            with self.assertRaisesRegex(grapedr.Error, message):
                Orbit(**values)

    def test_have_source_lines_and_the_name_of_their_class(self):
        self.assertEqual((Orbit.name, Orbit.__name__, Orbit.parameters), ("Orbit", "Orbit", ["h"]))
        self.assertIn("until it is far away", Orbit.__doc__)
        self.assertEqual(grapedr.assemble(Orbit.source).loop_lines, Orbit.lines)
        self.assertTrue(Orbit.source.startswith("# From functions begin, step, done and end in Orbit"))

    def test_travel_to_other_processes(self):
        self.assertIs(pickle.loads(pickle.dumps(Orbit)), Orbit)
        given = starts(3)
        expected = Orbit.run_experiments(given, 9).results
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "orbit.pickle").write_bytes(pickle.dumps(Orbit))
            np.save(pathlib.Path(folder, "x0.npy"), given["x0"])
            np.save(pathlib.Path(folder, "v0.npy"), given["v0"])
            done = subprocess.run([sys.executable, "-B", "-c", ELSEWHERE, folder], capture_output=True, text=True, env=path_of_grapedr())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.split(), ["ExperimentKernel", "Orbit", "True", expected.tobytes().hex(), "refused"])

    def test_count_from_the_end_of_members_and_call_static_methods(self):
        given = {"a": [1.0, 5.0]}
        board = Ends.run_experiments(given, 4).results
        self.assertEqual(board.tobytes(), Ends.on_host(given, 4).tobytes())
        np.testing.assert_array_equal(board["r"], [[16, 1], [80, 5]])

    def test_may_be_done_always_or_never(self):
        given = {"a": [1.0, 5.0]}
        for kernel, steps, finished in ((Always, [1, 1], 1), (Never, [3, 3], 0), (Sometimes, [1, 3], 1)):
            board = kernel.run_experiments(given, 3).results
            self.assertEqual(board.tobytes(), kernel.on_host(given, 3).tobytes(), kernel)
            self.assertEqual(board["steps"].tolist(), steps, kernel)
            self.assertEqual(board["finished"].tolist(), [finished, finished], kernel)

    def test_refuse_nan_on_host_and_board_alike(self):
        for call in (
            lambda: Orbit.run_experiments(starts(2), 1, h=float("nan")),
            lambda: Orbit.on_host(starts(2), 1, h=float("nan")),
            lambda: Orbit(x0=[1, 0], v0=[0, 1], h=float("nan")),
        ):
            with self.assertRaisesRegex(grapedr.Error, "h is nan: it must be a number, which may be infinite"):
                call()
        for value, message in (("x", "x0 has type <U1: it must hold real"), (None, "x0 has type object"), (float("nan"), "x0 is nan")):
            with self.assertRaisesRegex(grapedr.Error, message):
                Orbit(x0=[value, value] if value != value else value, v0=[0, 1])
        for call in (Orbit.run_experiments, Orbit.on_host):
            with self.assertRaisesRegex(grapedr.Error, "starts is of type list"):
                call([1.0], 1)

    def test_have_parameters_that_a_call_must_give(self):
        @grapedr.experiment(effort=1)
        class Growth:
            x0: Start
            by: Parameter
            x: State
            r: Result

            def begin(self):
                self.x = self.x0

            def step(self):
                self.x *= self.by

            def end(self):
                self.r = self.x

        np.testing.assert_array_equal(Growth.run_experiments({"x0": [1.0, 3.0]}, 3, by=2).results["r"], [8, 24])
        with self.assertRaisesRegex(grapedr.Error, "by"):
            Growth.run_experiments({"x0": [1.0]}, 3)
        with self.assertRaisesRegex(grapedr.Error, r"run_experiments\(\) runs it"):
            Growth.run({"x0": [1.0]}, {})
        with self.assertRaisesRegex(grapedr.Error, r"Growth\(\) misses 'by'"):
            Growth.on_host({"x0": [1.0]}, 3)

    def test_without_decorator_say_so(self):
        with self.assertRaisesRegex(grapedr.Error, "@grapedr.experiment before the class"):
            Orbit.host_class.run_experiments({}, 1)


class Refused(unittest.TestCase):
    def refuses(self, message, members, begin="self.x = self.a", step="self.x *= 0.5", end="self.r = self.x", more=""):
        text = "import grapedr\nfrom grapedr.pair import Long, Parameter, Result, Short, Start, State\n\n"
        text += "@grapedr.experiment\nclass Wrong:\n" + textwrap.indent(textwrap.dedent(members), "    ")
        for name, body in (("begin", begin), ("step", step), ("end", end)):
            if body:
                text += f"    def {name}(self):\n" + textwrap.indent(body, "        ") + "\n"
        text += textwrap.indent(textwrap.dedent(more), "    ")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "wrong.py")
            file.write_text(text)
            space = {"__name__": "wrong", "__file__": str(file)}
            with self.assertRaisesRegex(grapedr.Error, message):
                exec(compile(text, str(file), "exec", dont_inherit=True), space)

    def test_with_the_place_and_the_reason(self):
        good = "a: Start\nx: State\nr: Result\n"
        self.refuses("it has no method end", good, end="")
        self.refuses("Wrong.x needs another type hint", "a: Start\nx: float\nr: Result\n")
        self.refuses("only a Parameter has one", "a: Start\nx: State = 1.0\nr: Result\n")
        self.refuses("two underlines", "a: Start\nx: State\ny__z: State\nr: Result\n")
        self.refuses("'long' is a reserved word", "a: Start\nx: State\nlong: State\nr: Result\n", begin="self.long = self.a")
        self.refuses("Wrong.VARI is refused: 'VARI' is a reserved word", good + "VARI: Parameter\n")
        self.refuses("Wrong.\u00e4 is refused: a name has letters", good + "\u00e4: Parameter\n")
        self.refuses("Wrong.step is refused: it is the name of a method", good + "step: State\n")
        self.refuses(r"Wrong.round is refused: run_experiments\(\) has", good + "round: Parameter\n")
        self.refuses("Wrong is refused: in its type hints, name 'Stat' is not defined", good + "y: 'Stat'\n")
        self.refuses("Wrong.p may not have the value nan", good + "p: Parameter = float('nan')\n")
        self.refuses("Wrong.p may not have the value 1000", good + "p: Parameter = 10**400\n")
        for name in ("steps", "finished"):
            members = f"a: Start\nx: State\n{name}: Result\n"
            self.refuses(f"error: '{name}' is a column of every experiment's results", members, end=f"self.{name} = self.x")
        hint = r"wrong.py:\d+:\d+: error: 'self.y' is no member with a type hint"
        self.refuses(hint, good, begin="self.x = self.a\nself.y = 0.0")
        self.refuses(hint, good + "y = 2.0\n", step="self.x *= self.y")
        self.refuses(hint, good, step="self.x *= self.y[0]")
        self.refuses("'self.half' is a method: call it", good, step="self.x *= self.half", more="def half(self):\n    return 0.5\n")
        self.refuses(r"'self.begin\(\)' is refused: the run calls it", good, step="self.begin()")
        of_class = "@classmethod\ndef half(cls):\n    return 0.5\n"
        self.refuses(r"'self.half\(\)' is no method that a kernel calls", good, step="self.x *= self.half()", more=of_class)
        self.refuses("but it is a static method", good, more="@staticmethod\ndef done(self):\n    return True\n")
        pairs = "a: Start\nx: State[2]\nr: Result\n"
        self.refuses("index -3 of 'x' is outside -2..1", pairs, begin="self.x[-3] = self.a", step="pass", end="self.r = self.x[0]")
        self.refuses("Wrong.p is refused: 'p' is an array", good + "p: Parameter[2]\n", step="self.x *= self.p[0]")
        self.refuses("a condition stands where a number is expected", good, step="self.x = True")
        self.refuses(r"Wrong.__init__ is refused", good, more="def __init__(self):\n    pass\n")
        self.refuses(r"wrong.py:\d+:\d+: error: 'a' is a start: only begin\(\) reads it", good, step="self.x = self.a")
        self.refuses("'r' is a result and has no value here", good, step="self.x = self.r")
        self.refuses(r"'r' cannot be assigned to here: begin\(\) and step\(\) change the state", good, step="self.r = self.x")
        self.refuses("'x' of the state is read, but 'begin' gives it no value", good, begin="pass")
        self.refuses("'end' gives result 'r' no value", good, end="pass")
        self.refuses(r"'x' cannot be assigned to in done\(\)", good, more="def done(self):\n    self.x = 1\n    return self.x < 1\n")
        self.refuses(r"done\(\) must end with return", good, more="def done(self):\n    pass\n")
        self.refuses("a condition is expected here", good, more="def done(self):\n    return self.x\n")
        self.refuses("self must be its only argument", good, more="def done(self, x):\n    return x < 1\n")
        self.refuses("the width of 'x' stands where it is declared", good, step="self.x: Short = self.x")
        self.refuses("constants and parameters are single numbers", good + "p: Parameter[2]\n")
        self.refuses("helpers call each other at most 8 deep", good, step="self.again()", more="def again(self):\n    self.again()\n")
        self.refuses("no such expression", good, step="self.x = 'y'")
        with self.assertRaisesRegex(grapedr.Error, "stands before a class"):
            grapedr.experiment(starts)
        with self.assertRaisesRegex(grapedr.Error, "effort = 4 is refused"):
            grapedr.experiment(Orbit.host_class, effort=4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
