#!/usr/bin/python3
"""Kernels from Python functions: what they compute, and what is refused with its place.

pair_test.py GDR [test arguments]
"""

from __future__ import annotations

import pathlib
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
                f += (xi - xj) ** 2

        self.refused(define, "pair_test.py:", "error: a kernel has no such expression", "f += (xi - xj) ** 2", "^")

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
                if xi < xj:
                    f += xi

        self.refused(define, "a kernel has assignments", "if xi < xj:")

    def test_name_functions_without_a_source(self):
        self.refused(lambda: grapedr.kernel(len), "source")
        self.refused(lambda: grapedr.kernel(eval("lambda xi: xi")), "<lambda>")

    def test_name_a_wrong_effort(self):
        self.refused(lambda: grapedr.PairKernel(gravity.__wrapped__, effort=4), "effort = 4", "1 to 3")

    def test_name_functions_of_kernels_outside_them(self):
        self.refused(lambda: rsqrt(2.0), "rsqrt() is known inside")


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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
