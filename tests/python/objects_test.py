#!/usr/bin/python3
"""Objects that were made without their __init__: of every class of the module, by __new__, in a subclass that does not call
it, as copies of such objects, and given to other calls. Each is refused, and none ends the process.

objects_test.py GDR [test arguments]
"""

import pickle
import subprocess
import sys
import unittest

import grapedr
import grapedr._core
import grapedr._models

sys.argv.pop(1)
MODULES = (grapedr._core, grapedr._models)
CLASSES = [(module.__name__, name) for module in MODULES for name, value in vars(module).items()
           if isinstance(value, type) and not issubclass(value, BaseException)]

# What each half-made object meets. Arguments never matter: the object comes first.
SCRIPT = """
import copy, pickle, importlib
import grapedr, grapedr._core, grapedr._models
def classes():
    for module in (grapedr._core, grapedr._models):
        for name, value in vars(module).items():
            if isinstance(value, type) and not issubclass(value, BaseException):
                yield value
one = getattr(importlib.import_module({module!r}), {name!r})
class Silent(one):
    def __init__(self):
        for name in OWN:
            refused(self, name)
OWN = [name for name, value in vars(one).items()
       if (not name.startswith("__") or name == "__getstate__") and not isinstance(value, staticmethod)]
def refused(half, name):
    told = []
    for arguments in [(None,) * count for count in range(9)] + [(half,), (0,) * 4, ({{}},) * 5]:
        try:
            found = getattr(half, name)
            found = found(*arguments)
        except (TypeError, grapedr.Error) as error:
            told.append(str(error))
            continue
        raise SystemExit(f"{{name}} gave {{found!r}}")
    assert any("never initialised" in each for each in told), told
half = one.__new__(one)
for name in OWN:
    refused(half, name)
try:
    Silent()
    assert False, "a subclass without super().__init__()"
except TypeError:
    pass
def again(make, *arguments):
    try:
        return make(*arguments)
    except (TypeError, grapedr.Error, pickle.PicklingError):
        return None
for copied in (again(copy.copy, half), again(copy.deepcopy, half), again(pickle.dumps, half)):
    assert copied is None, copied
class Bare(one):
    def __init__(self): pass
try:
    Bare()
    assert False, "a subclass without super().__init__()"
except TypeError:
    pass
repr(half), hash(half), half == half
# As an argument of every other class and function.
for other in classes():
    whole = grapedr._core.assemble("kernel k\\nloop body\\n  nop\\n", "k", {{}}, False) if other.__name__ == "Program" else None
    for arguments in ((half,), (half, half), ({{}}, half), (half,) * 3, (half,) * 5, (half,) * 7):
        again(other, *arguments)
board = grapedr._core.Device(grapedr.Device()._options)
for call in (board.load, board.run, board.run_turns, board.run_experiments, grapedr._core.dgemm, grapedr._models.map_tasks,
             grapedr._core.Nbody, grapedr._core.NbodyRun):
    for arguments in ((half,), (half,) * 4, (half, {{}}, [], [], None), ([[1.0]], [[1.0]], "paper", half), ({{}}, half),
                      (half, "torus:2x2", "xyz", "cost", 1, 1, 1.0), ([1.0], [[0.0] * 3], [[0.0] * 3], 0.1, 0.1, "gravity_jerk", half)):
        assert again(call, *arguments) is None, call
print("survived")
"""


class HalfMadeObjects(unittest.TestCase):
    def test_are_refused(self):
        self.assertGreaterEqual(len(CLASSES), 7)
        for module, name in CLASSES:
            with self.subTest(f"{module}.{name}"):
                script = SCRIPT.format(module=module, name=name)
                done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120)
                self.assertEqual((done.returncode, done.stdout), (0, "survived\n"), done.stderr)

    def test_say_what_is_wrong(self):
        with self.assertRaisesRegex(TypeError, r"this grapedr\._core\.Device was never initialised: it must be made by"):
            grapedr._core.Device.load(grapedr._core.Device.__new__(grapedr._core.Device), None)

    def test_refuse_pickles_that_are_none(self):
        one = grapedr.kernel("gravity")._program
        _, arguments, state, *_ = one.__reduce_ex__(2)
        made = pickle.loads(pickle.dumps(one))
        self.assertEqual(made.listing, one.listing)
        half = arguments[0].__new__(arguments[0])
        for wrong in ((), state[:2], (b"", *state[1:]), (state[0][:100], *state[1:]), (*state, 1), (b"no program", "", "", True)):
            with self.subTest(len(wrong)), self.assertRaises(grapedr.Error):
                half.__setstate__(wrong)
        for wrong in (None, ("text", 1, 2, 3), 5):
            with self.subTest(wrong), self.assertRaises(TypeError):
                half.__setstate__(wrong)
        with self.assertRaisesRegex(TypeError, "never initialised"):
            half.kernel


if __name__ == "__main__":
    unittest.main()
