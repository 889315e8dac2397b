#!/usr/bin/python3
"""The functions of kernels, on the board and on the host, in kernels and in experiments, in helpers too.

functions_test.py GDR [test arguments]
"""

import importlib.util
import math
import pathlib
import re
import sys
import tempfile
import unittest

import numpy as np

import grapedr
import grapedr.pair

sys.argv.pop(1)

HEAD = "import math\nimport numpy as np\nimport grapedr\nfrom grapedr.pair import I, J, Long, Result, Start, State\n\n"
# By the host's C library, for x above 0; y has any sign.
EXPECTED = {
    "sqrt": lambda x, y: math.sqrt(x),
    "rsqrt": lambda x, y: 1 / math.sqrt(x),
    "reciprocal": lambda x, y: 1 / x,
    "powm32": lambda x, y: math.pow(x, -1.5),
    "power_m12": lambda x, y: math.pow(x, -0.5),
    "power_m32": lambda x, y: math.pow(x, -1.5),
    "exp": lambda x, y: math.exp(x),
    "exp2": lambda x, y: math.pow(2, x),
    "log": lambda x, y: math.log(x),
    "log2": lambda x, y: math.log2(x),
    "sin": lambda x, y: math.sin(x),
    "cos": lambda x, y: math.cos(x),
    "abs": lambda x, y: x,
    "rint": lambda x, y: round(x),
    "min": lambda x, y: x if x < y else y,
    "max": lambda x, y: x if x > y else y,
    "fmin": lambda x, y: x if x < y else y,
    "fmax": lambda x, y: x if x > y else y,
    "fabs": lambda x, y: x,
    "copysign": lambda x, y: x if y > 0 else -x,
    "long": lambda x, y: x,
    "short": lambda x, y: x,
}
OF_TWO = ("min", "max", "fmin", "fmax", "copysign")
KNOWN_TO_PYTHON = ("abs", "min", "max")
X = np.array([0.3, 1.2, 2.7, 3.4])
Y = np.array([-0.8, 2.0, 1.1, -5.0])


def call_of(name, x="x", y="y"):
    return f"{name}({x}, {y})" if name in OF_TWO else f"{name}({x})"


class Functions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.made = 0

    def module(self, text):
        self.made += 1
        file = self.folder / f"functions_{self.made}.py"
        file.write_text(HEAD + text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(file.stem, file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def test_are_those_that_the_compiler_names(self):
        with self.assertRaises(grapedr.AssemblyError) as caught:
            self.module("@grapedr.kernel\ndef k(x: I, y: J, f: Result):\n    f += unheard_of(x)\n")
        named = re.search(r"known are (.*)", str(caught.exception))[1]
        self.assertEqual(set(re.findall(r"\w+", named)) - {"and"}, set(EXPECTED))
        self.assertEqual({name for name in grapedr.pair.__all__ if name.islower()},
                         set(EXPECTED) - {*KNOWN_TO_PYTHON, "long", "short"})

    def test_compute_the_same_in_kernels_and_on_the_host(self):
        names = list(EXPECTED)
        for of in (names[n : n + 6] for n in range(0, len(names), 6)):
            for helper in ("", "helper_"):  # called by the kernel, and by a function that the kernel calls
                text = "".join(f"def helper_{name}(x, y):\n    return {call_of(name)}\n\n" for name in of)
                arguments = ", ".join(f"f_{name}: Result" for name in of)
                text += f"@grapedr.kernel\ndef k(x: I, y: J, {arguments}):\n"
                text += "".join(f"    f_{name} += {f'helper_{name}(x, y)' if helper else call_of(name)}\n" for name in of)
                kernel = self.module(text).k
                board, host = kernel.run({"x": X}, {"y": Y}), kernel.on_host({"x": X}, {"y": Y})
                for name in of:
                    with self.subTest(name, helper=helper):
                        expected = [sum(EXPECTED[name](x, y) for y in Y) for x in X]
                        np.testing.assert_allclose(host[f"f_{name}"], expected, rtol=1e-12, atol=1e-12)
                        np.testing.assert_allclose(board[f"f_{name}"], expected, rtol=1e-5, atol=1e-5)

    def test_compute_the_same_in_experiments_and_on_the_host(self):
        names = list(EXPECTED)
        for of in (names[n : n + 6] for n in range(0, len(names), 6)):
            text = "".join(f"def helper_{name}(x, y):\n    return {call_of(name)}\n\n" for name in of)
            text += "@grapedr.experiment\nclass E:\n    x0: Start\n    y0: Start\n    x: State\n    y: State\n"
            text += "".join(f"    s_{name}: State\n    f_{name}: Result\n" for name in of)
            text += "    @staticmethod\n    def plain(x, y):\n        return " + call_of(of[0]) + "\n"
            text += "    def begin(self):\n        self.x = self.x0\n        self.y = self.y0\n" + "".join(f"        self.s_{name} = 0\n" for name in of)
            text += "    def step(self):\n"
            for name in of:
                text += f"        self.s_{name} += {call_of(name, 'self.x', 'self.y')} + helper_{name}(self.x, self.y)\n"
            text += f"        self.s_{of[0]} += self.plain(self.x, self.y)\n"
            text += "    def end(self):\n" + "".join(f"        self.f_{name} = self.s_{name}\n" for name in of)
            kernel = self.module(text).E
            starts = {"x0": X, "y0": Y}
            board, host = kernel.run_experiments(starts, steps=2).results, kernel.on_host(starts, steps=2)
            one = kernel(x0=1.2, y0=2.0)
            self.assertIsInstance(one, kernel.host_class)
            one.begin()
            one.step()
            for name in of:
                with self.subTest(name):
                    times = 3 if name == of[0] else 2
                    expected = np.array([times * EXPECTED[name](x, y) for x, y in zip(X, Y)])
                    np.testing.assert_allclose(host[f"f_{name}"], 2 * expected, rtol=1e-12)
                    np.testing.assert_allclose(board[f"f_{name}"], 2 * expected, rtol=1e-5)
                    self.assertAlmostEqual(getattr(one, f"s_{name}"), expected[1], places=12)

    def test_may_be_imported_and_named_otherwise_by_a_module(self):
        text = "from grapedr import pair\nfrom grapedr.pair import rint, sqrt\n\n"
        text += "@grapedr.kernel\ndef k(x: I, y: J, f: Result):\n    f += rint(x) + sqrt(x) + pair.exp2(x) + np.log(x) + math.cos(x)\n"
        kernel = self.module(text).k
        expected = [len(Y) * (round(x) + math.sqrt(x) + 2**x + math.log(x) + math.cos(x)) for x in X]
        np.testing.assert_allclose(kernel.on_host({"x": X}, {"y": Y})["f"], expected, rtol=1e-12)
        np.testing.assert_allclose(kernel.run({"x": X}, {"y": Y})["f"], expected, rtol=1e-5)

    def test_of_a_module_are_those_that_it_has(self):
        for call, why in (("math.rint(x)", "math has no function 'rint'"), ("math.rsqrt(x)", "math has no function 'rsqrt'"),
                          ("np.powm32(x)", "numpy has no function 'powm32'")):
            with self.subTest(call), self.assertRaisesRegex(grapedr.AssemblyError, rf"functions_\d+.py:8:10: error: {why}: "):
                self.module(f"@grapedr.kernel\ndef k(x: I, y: J, f: Result):\n    f += {call}\n")

    def test_of_an_own_module_mean_what_they_mean_there(self):
        text = "import types\n\ndef doubled(x):\n    return 2 * x\n\nmine = types.SimpleNamespace(sin=doubled)\n\n"
        text += "@grapedr.kernel\ndef k(x: I, y: J, f: Result):\n    f += mine.sin(x)\n"
        kernel = self.module(text).k
        np.testing.assert_allclose(kernel.run({"x": X}, {"y": Y})["f"], 2 * len(Y) * X, rtol=1e-6)
        np.testing.assert_allclose(kernel.on_host({"x": X}, {"y": Y})["f"], 2 * len(Y) * X, rtol=1e-12)

    def test_of_helpers_without_a_module_are_helpers(self):
        text = "def twice(x):\n    return fabs(2 * x)\n\ntwice.__module__ = None\n\n"
        text += "@grapedr.kernel\ndef k(x: I, y: J, f: Result):\n    f += twice(x)\n"
        kernel = self.module(text).k
        np.testing.assert_allclose(kernel.run({"x": X}, {"y": Y})["f"], 2 * len(Y) * X, rtol=1e-6)
        np.testing.assert_allclose(kernel.on_host({"x": X}, {"y": Y})["f"], 2 * len(Y) * X, rtol=1e-12)

    def test_give_doubles_of_numpy_whose_division_by_0_is_infinite(self):
        text = "@grapedr.kernel\ndef k(x: I, y: J, f: Result, g: Result, h: Result):\n"
        text += "    f += 1 / copysign(x, y)\n    g += 1 / Long(x)\n    h += rsqrt(x) + reciprocal(x) + power_m32(x)\n"
        kernel = self.module(text).k
        host = kernel.on_host({"x": [0.0]}, {"y": [1.0]})
        self.assertEqual((host["f"][0], host["g"][0], host["h"][0]), (math.inf, math.inf, 0))


if __name__ == "__main__":
    unittest.main()
