#!/usr/bin/python3
"""Kernels from Python functions: what they compute, and what is refused with its place.

pair_test.py GDR [test arguments]
"""

from __future__ import annotations

import copy
import math
import pathlib
import pickle
import sys
import tempfile
import unittest

import numpy as np

import grapedr
from grapedr.pair import I, J, Long, Parameter, Result, Short, rsqrt


@grapedr.kernel
def gravity(xi: I[3], eps2: I, xj: J[3], mj: J[Short], acc: Result[3], pot: Result):
    """Forces of pairs."""
    dx = xj[0] - xi[0]
    dy = xj[1] - xi[1]
    dz = xj[2] - xi[2]
    r2: Long = eps2 + Long(dx) * dx + Long(dy) * dy + Long(dz) * dz
    y = rsqrt(Short(r2))
    my: Long = Long(y) * mj
    my3 = my * (y * y)
    pot -= my
    acc[0] += Long(my3) * dx
    acc[1] += Long(my3) * dy
    acc[2] += Long(my3) * dz


def pairs(n=21, seed=1):
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, 3))
    return x, random.uniform(0.5, 1, n), x[None] - x[:, None]


class Functions(unittest.TestCase):
    def test_compute_what_they_say(self):
        x, m, d = pairs()
        results = gravity.run(i={"xi": x, "eps2": np.full(len(x), 0.01)}, j={"xj": x, "mj": m})
        r2 = (d**2).sum(-1) + 0.01
        np.testing.assert_allclose(results["acc"], (m[:, None] * d * r2[..., None] ** -1.5).sum(1), rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(results["pot"], -(m * r2**-0.5).sum(1), rtol=1e-6)

    def test_literals_under_conditions_keep_their_digits(self):
        @grapedr.kernel
        def literals(x: I, y: J, whole: Result, part: Result, product: Result):
            u: Long = 3 * x
            v: Long = 0.1 if y > 0 else 0.7
            if y > 0:
                u += 2147483647
                whole += 2147483647
            part += v
            product += Long(u) * y

        x, y = [3.0, 5.0], [1.0, -1.0, 2.0]
        got, expected = literals.run({"x": x}, {"y": y}), literals.on_host({"x": x}, {"y": y})
        self.assertEqual(got["whole"].tolist(), [2 * 2147483647.0] * 2)
        self.assertEqual(got["product"].tolist(), expected["product"].tolist())
        np.testing.assert_allclose(got["part"], expected["part"], rtol=1e-15)

    def test_have_source_lines_and_the_functions_name(self):
        self.assertEqual(gravity.name, "gravity")
        self.assertEqual(gravity.__name__, "gravity")
        self.assertEqual(gravity.__doc__, "Forces of pairs.")
        self.assertEqual(gravity.lines, 27)
        self.assertEqual(grapedr.assemble(gravity.source).loop_lines, gravity.lines)
        self.assertIsInstance(gravity, grapedr.Kernel)

    def test_loops_conditions_and_parameters_compute(self):
        @grapedr.kernel
        def counted(xi: I[3], xj: J[3], inside: Result, most: Result, h2: Parameter, weight: Parameter = 2.0):
            r2: Long = 0.0
            for k in range(3):
                d: Long = xj[k] - xi[k]
                r2 = r2 + d * d
            inside += weight if r2 < h2 and not r2 == 0.0 else 0.0
            most = max(most, r2)

        x, _, d = pairs()
        r2 = (d**2).sum(-1)
        results = counted.run(i={"xi": x}, j={"xj": x}, h2=1.5)
        np.testing.assert_array_equal(results["inside"], 2 * ((r2 < 1.5) & (r2 > 0)).sum(1))
        np.testing.assert_allclose(results["most"], r2.max(1), rtol=1e-6)


class Refusals(unittest.TestCase):
    def refused(self, define, *words):
        with self.assertRaises(grapedr.Error) as caught:
            define()
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_name_expression_and_place(self):
        def define():
            @grapedr.kernel
            def power(xi: I, xj: J, f: Result):
                f += [xi, xj][0]

        self.refused(define, "pair_test.py:", "error: a kernel has no such expression", "f += [xi, xj][0]", "^")

    def test_name_what_the_compiler_refuses_at_its_place(self):
        def define():
            @grapedr.kernel
            def unknown(xi: I, xj: J, f: Result):
                f += gamma(xi - xj)  # noqa: F821

        self.refused(define, "pair_test.py:", "'gamma' is not known", "f += gamma(xi - xj)")

    def test_name_a_missing_or_a_wrong_hint(self):
        def without():
            @grapedr.kernel
            def f(xi: I, xj, f: Result):
                f += xi - xj

        def with_float():
            @grapedr.kernel
            def f(xi: float, xj: J, f: Result):
                f += xi - xj

        self.refused(without, "'xj' needs a type hint")
        self.refused(with_float, "'xi' needs a type hint")
        self.refused(lambda: I[0], "I[0] is refused", "1 to 64")
        self.refused(lambda: J["x"], "J['x'] is refused")

    def test_name_a_default_that_is_none_of_a_parameter(self):
        def define():
            @grapedr.kernel
            def f(xi: I, xj: J, f: Result = 1.0):
                f += xi - xj

        self.refused(define, "'f' may not have this default")

    def test_name_statements_that_are_no_kernel(self):
        def define():
            @grapedr.kernel
            def f(xi: I, xj: J, f: Result):
                while xi < xj:
                    f += xi

        self.refused(define, "a kernel has assignments", "while xi < xj:")

    def test_name_what_if_powers_and_helpers_may_not_be(self):
        def least():
            @grapedr.kernel
            def f(xi: I, xj: J, f: Result):
                if xi < xj:
                    f = min(f, xj)

        def product():
            @grapedr.kernel
            def f(xi: I, xj: J, f: Result):
                f *= xi - xj

        def power():
            @grapedr.kernel
            def f(xi: I, xj: J, f: Result):
                f += (xi - xj) ** 0.3

        def arguments():
            @grapedr.kernel
            def f(xi: I, xj: J, f: Result):
                f += square(xi, xj)

        def text():
            @grapedr.kernel
            def f(xi: I, xj: J, f: Result):
                f += xi * __name__

        self.refused(least, "write f = min(f, ... if ... else ...)")
        self.refused(product, "a result is a sum: it takes += and -=")
        self.refused(power, "the exponent must be whole and from 1 to 16", "-1.5, -0.5, 0.5, 1.5")
        self.refused(arguments, "square(): too many positional arguments")
        self.refused(text, "error: '__name__' is not declared")

    def test_name_functions_without_a_source(self):
        self.refused(lambda: grapedr.kernel(len), "source")
        self.refused(lambda: grapedr.kernel(eval("lambda xi: xi")), "<lambda>")

    def test_name_a_wrong_effort(self):
        self.refused(lambda: grapedr.PairKernel(gravity.__wrapped__, effort=4), "effort = 4", "1 to 3")

    def test_name_a_parameter_without_default_that_is_left_out(self):
        @grapedr.kernel
        def weighted(xi: I, xj: J, f: Result, h: Parameter):
            f += h * (xj - xi)

        self.refused(lambda: weighted.run(i={"xi": [0.0]}, j={"xj": [1.0]}), "parameter h is missing")

    def test_name_a_parameter_that_is_nan_with_a_default_and_without(self):
        @grapedr.kernel(effort=1)
        def weighted(xi: I, xj: J, f: Result, h: Parameter, w: Parameter = 2.0):
            f += w * h * (xj - xi)

        i, j = {"xi": [0.0]}, {"xj": [1.0]}
        for of in (weighted.run, weighted.on_host, weighted.precision):
            self.refused(lambda: of(i, j, h=float("nan"), w=1.0), "h is nan: it must be a number, which may be infinite")
            self.refused(lambda: of(i, j, h=1.0, w=float("nan")), "w is nan: it must be a number, which may be infinite")


SOFTENING = 0.25
WEIGHTS = (2.0, 3.0)


def square(x):
    return x * x


def distance2(a: Long, b: Long):
    """Of two numbers, through a variable and another helper."""
    d: Long = a - b
    return square(d) + SOFTENING


class Language(unittest.TestCase):
    """What of Python a kernel's function may have, against the same function on the host."""

    def same(self, kernel, i, j, rtol=1e-6, **parameters):
        computed = kernel.run(i, j, **parameters)
        on_host = kernel.on_host(i, j, **parameters)
        for name in computed.dtype.names:
            np.testing.assert_allclose(computed[name], on_host[name], rtol=rtol, atol=1e-7, err_msg=name)
        return on_host

    def setUp(self):
        random = np.random.default_rng(3)
        self.i = {"xi": random.normal(size=9)}
        self.j = {"xj": random.normal(size=17)}

    def test_powers(self):
        @grapedr.kernel
        def powers(xi: I, xj: J, a: Result, b: Result, c: Result, d: Result):
            r2: Long = (xj - xi) ** 2 + 0.5
            a += r2**3
            b += r2**-1.5
            c += r2**0.5
            d += r2**-2

        self.same(powers, self.i, self.j)

    def test_chained_comparisons_and_words_for_conditions(self):
        @grapedr.kernel
        def between(xi: I, xj: J, a: Result, b: Result):
            a += 1.0 if -0.5 < xj - xi <= 0.75 else 0.0
            b += 1.0 if xi < 0 or not xj < 0.25 else 0.0

        counted = self.same(between, self.i, self.j)
        d = self.j["xj"][None] - self.i["xi"][:, None]
        np.testing.assert_array_equal(counted["a"], ((-0.5 < d) & (d <= 0.75)).sum(1))

    def test_branches(self):
        @grapedr.kernel
        def branches(xi: I, xj: J, near: Result, far: Result, both: Result):
            d: Long = xj - xi
            weight: Long = 1.0
            if d < 0:
                d = -d
                sign: Long = -1.0
            else:
                sign = 1.0
            if d < 0.5:
                near += d
                if xi > 0:
                    weight = 2.0
            elif d < 1.5:
                far += d * 0.5
                weight *= 3.0
            else:
                far -= d
            both += sign * weight

        self.same(branches, self.i, self.j)

    def test_numbers_of_the_module_and_of_functions_around(self):
        factor = 1.5

        @grapedr.kernel
        def constants(xi: I, xj: J, a: Result):
            a += factor * SOFTENING * (xj - xi) + WEIGHTS[1] + math.pi

        got = self.same(constants, self.i, self.j)
        d = self.j["xj"][None] - self.i["xi"][:, None]
        np.testing.assert_allclose(got["a"], (1.5 * 0.25 * d + 3 + np.pi).sum(1))

    def test_helpers(self):
        @grapedr.kernel
        def helped(xi: I, xj: J, a: Result, b: Result):
            a += distance2(xi, xj)
            b += square(x=distance2(xj, b=xi))

        got = self.same(helped, self.i, self.j)
        d = self.j["xj"][None] - self.i["xi"][:, None]
        np.testing.assert_allclose(got["a"], (d**2 + 0.25).sum(1))

    def test_comparisons_of_constants_choose_statements(self):
        @grapedr.kernel(effort=1)
        def chosen(xi: I, xj: J, a: Result, b: Result, c: Result):
            s: Long = xj - xi
            for k in range(3):
                if k <= 1:
                    t: Long = s * s
                    s += t
            a += s
            if SOFTENING == 1:
                b += 5
            elif SOFTENING < 1 and xi < 0.5:
                b += s
            v: Long = xi if SOFTENING >= SOFTENING + 1 else -3
            c += v if not (SOFTENING < 2 < 3) else v + xj

        got = self.same(chosen, self.i, self.j)
        np.testing.assert_allclose(got["c"], (self.j["xj"] - 3).sum(), rtol=1e-7)

    def test_defaults_of_parameters_can_be_changed_at_each_call(self):
        @grapedr.kernel
        def weighted(xi: I, xj: J, a: Result, weight: Parameter = 2.0):
            a += weight * (xj - xi)

        usual = weighted.run(self.i, self.j)["a"]
        other = weighted.run(self.i, self.j, weight=3.0)["a"]
        np.testing.assert_allclose(other, 1.5 * usual, rtol=1e-12)
        np.testing.assert_array_equal(weighted.run(self.i, self.j)["a"], usual)
        np.testing.assert_array_equal(weighted.run(self.i, self.j, weight=2)["a"], usual)

    def test_effort_is_an_argument_of_the_decorator(self):
        @grapedr.kernel(effort=1)
        def quick(xi: I, xj: J, a: Result):
            a += xj - xi

        self.assertIsInstance(quick, grapedr.PairKernel)
        with self.assertRaisesRegex(grapedr.Error, "colour is refused"):
            grapedr.kernel(colour=1)


class OnTheHost(unittest.TestCase):
    def test_a_kernel_is_called_as_the_function_that_it_was(self):
        acc, pot = gravity(np.zeros(3), 0.25, [3.0, 0.0, 4.0], mj=2.0)
        np.testing.assert_allclose(pot, -2 / 25.25**0.5)
        np.testing.assert_allclose(acc, 2 * np.array([3, 0, 4]) / 25.25**1.5)
        self.assertIs(gravity.function, gravity.__wrapped__)
        with self.assertRaisesRegex(TypeError, "misses mj"):
            gravity(np.zeros(3), 0.25, [3.0, 0.0, 4.0])
        with self.assertRaisesRegex(TypeError, "no argument 'pot'"):
            gravity(np.zeros(3), 0.25, np.zeros(3), 1.0, pot=0.0)
        with self.assertRaisesRegex(grapedr.Error, r"xi has shape \(2,\): it must be \(3,\)"):
            gravity(np.zeros(2), 0.25, np.zeros(3), 1.0)

    def test_all_pairs_give_what_the_board_gives(self):
        x, m, _ = pairs()
        i, j = {"xi": x, "eps2": np.full(len(x), 0.01)}, {"xj": x, "mj": m}
        board, host = gravity.run(i, j), gravity.on_host(i, j)
        self.assertEqual(board.dtype, host.dtype)
        np.testing.assert_allclose(board["pot"], host["pot"], rtol=1e-6)
        np.testing.assert_allclose(board["acc"], host["acc"], rtol=1e-5, atol=1e-5)

    def test_without_j_results_are_those_of_the_board(self):
        @grapedr.kernel(effort=1)
        def extremes(xi: I, xj: J, least: Result, most: Result[2], sum: Result[2]):
            least = min(least, xj - xi)
            for k in range(2):
                most[k] = max(most[k], k * xj - xi)
                sum[k] += xj - xi

        i, j = {"xi": [1.0, 2.0]}, {"xj": []}
        board, host = extremes.run(i, j), extremes.on_host(i, j)
        for name, value in (("least", np.inf), ("most", -np.inf), ("sum", 0.0)):
            np.testing.assert_array_equal(board[name], value)
            np.testing.assert_array_equal(host[name], value)

    def test_functions_of_kernels_compute(self):
        self.assertEqual((rsqrt(4.0), rsqrt(0.0)), (0.5, 0.0))


class Precision(unittest.TestCase):
    def test_names_the_operations_that_cost_accuracy(self):
        x, m, _ = pairs()
        report = gravity.precision({"xi": x, "eps2": np.full(len(x), 0.01)}, {"xj": x, "mj": m})
        self.assertEqual({each.result for each in report.as_written}, {"acc", "pot"})
        self.assertTrue(all(1e-9 < each.rms < 1e-5 for each in report.as_written), report.as_written)
        self.assertEqual(report.lines, gravity.lines)
        short = [each for each in report.operations if each.width == "short"]
        self.assertTrue(short)
        lines = pathlib.Path(__file__).read_text(encoding="utf-8").splitlines()
        for each in report.operations:
            self.assertIn("pair_test.py", each.file)
            self.assertTrue(each.operation in ("input", "sum") or "=" in lines[each.line - 1], each)
        self.assertIn("loop lines", str(report))
        self.assertIn("<table>", report._repr_html_())


class Copies(unittest.TestCase):
    def test_kernels_are_copied_and_pickled(self):
        x, m, _ = pairs()
        i, j = {"xi": x, "eps2": np.full(len(x), 0.01)}, {"xj": x, "mj": m}
        self.assertIs(copy.deepcopy(gravity), gravity)
        again = pickle.loads(pickle.dumps(gravity))
        np.testing.assert_array_equal(again.run(i, j), gravity.run(i, j))
        shipped = grapedr.kernel("gravity")
        again = pickle.loads(pickle.dumps(shipped))
        self.assertEqual((again.name, again.listing), ("gravity", shipped.listing))
        np.testing.assert_array_equal(again.run(i, j), shipped.run(i, j))

    def test_a_kernel_of_another_module_is_pickled_by_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "own_kernels.py").write_text(
                "import grapedr\nfrom grapedr.pair import I, J, Result\n@grapedr.kernel\n"
                "def lengths(xi: I, xj: J, f: Result):\n    f += xj - xi\n", encoding="utf-8")
            sys.path.insert(0, folder)
            try:
                import own_kernels

                self.assertIs(pickle.loads(pickle.dumps(own_kernels.lengths)), own_kernels.lengths)
            finally:
                sys.path.remove(folder)

    def test_results_are_copied_and_pickled(self):
        results = gravity.run({"xi": np.zeros((1, 3)), "eps2": [1.0]}, {"xj": np.ones((1, 3)), "mj": [1.0]})
        run = grapedr.NbodyRun(start="plummer", n=16, t_end=0.125)
        output = list(run)[-1]
        profile = run.profile()
        for copied in (copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
            np.testing.assert_array_equal(copied(results), results)
            self.assertEqual(copied(output).state_hash, output.state_hash)
            self.assertEqual(copied(profile).verdict, profile.verdict)


class Files(unittest.TestCase):
    """Pair functions in C++."""

    def test_are_compiled_by_name_and_from_a_file(self):
        x, m, d = pairs()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "weights.cc")
            file.write_text(
                "struct I { double x; };\nstruct J { double x; float m; };\nstruct F { double sum; };\n"
                "void weights(const I& i, const J& j, F& f) { if (j.x > i.x) f.sum += FACTOR * j.m; }\n"
            )
            kernel = grapedr.compile_kernel(file, effort=1, definitions={"FACTOR": "2"})
        self.assertEqual((kernel.name, kernel.dtype("rrn").names), ("weights", ("sum",)))
        sums = kernel.run(i={"xi": x[:, 0]}, j={"xj": x[:, 0], "m": m})["sum"]
        np.testing.assert_allclose(sums, 2 * (d[..., 0] > 0) @ np.float32(m), rtol=1e-6)
        shipped = grapedr.compile_kernel("gravity.cc", effort=1)
        results = shipped.run(i={"xi": x, "eps2": np.full(len(x), 0.01)}, j={"xj": x, "mj": m})
        r2 = (d**2).sum(-1) + 0.01
        np.testing.assert_allclose(results["pot"], -(m * r2**-0.5).sum(1), rtol=1e-6)

    def test_with_two_records_at_once_keep_every_bit(self):
        x, m, _ = pairs()
        kernels = [grapedr.compile_kernel("gravity.cc", effort=effort) for effort in (1, 3)]
        self.assertLess(kernels[1].loop_lines, kernels[0].loop_lines)
        one, two = (k.run(i={"xi": x, "eps2": np.full(len(x), 0.01)}, j={"xj": x, "mj": m}) for k in kernels)
        self.assertEqual(one.tobytes(), two.tobytes())

    def test_are_refused_with_place_and_value(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "wrong.cc")
            file.write_text(
                "struct I { double x; };\nstruct J { double x; };\nstruct F { double f; };\n"
                "void wrong(const I& i, const J& j, F& f) {\n  f.f = j.x - i.x;\n}\n"
            )
            with self.assertRaisesRegex(grapedr.AssemblyError, r"wrong\.cc:5:\d+: error: "):
                grapedr.compile_kernel(file)
        for call, message in (
            (lambda: grapedr.compile_kernel("gravity.cc", effort=4), "effort = 4 is refused: it must be 1 to 3"),
            (lambda: grapedr.compile_kernel("gravity.vsm"), "gravity.vsm: a pair function is in C++"),
            (lambda: grapedr.compile_kernel("nowhere.cc"), "nowhere.cc: cannot be read"),
        ):
            with self.assertRaises(grapedr.Error) as caught:
                call()
            self.assertIn(message, str(caught.exception))


@grapedr.kernel
def powers(a: I, b: J, f: Result, g: Result, h: Result, k: Result):
    f += (a * b) ** -0.5
    g += (a * b) ** -1.5
    h += Long(a * b) ** -1.5
    k += Short(a * b) ** -1.5


class PowersOfRoots(unittest.TestCase):
    def test_have_the_width_of_their_base(self):
        draw = np.random.default_rng(5)
        a, b = draw.uniform(0.5, 3, size=20), draw.uniform(0.5, 3, size=30)
        results = powers.run({"a": a}, {"b": b})
        products = a[:, None] * b
        for name, power, least, most in (("f", -0.5, 0, 1e-13), ("g", -1.5, 0, 1e-13), ("h", -1.5, 0, 1e-13), ("k", -1.5, 1e-11, 1e-6)):
            error = np.abs(results[name] / (products**power).sum(1) - 1).max()
            self.assertTrue(least <= error <= most, f"{name}: {error}")
        zero = powers.run({"a": [0.0]}, {"b": [1.0]})
        self.assertEqual([zero[name][0] for name in "fghk"], [0.0, 0.0, 0.0, 0.0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
