#!/usr/bin/python3
"""One list of refusals: each odd input of a table gets the same verdict from `gdr run`, from the module, from a C program
with the kernel's stubs and from a C program whose loop Goose gives to the board. A second table has systems of particles,
for `gdr nbody`, the module and the worker for AMUSE, which has no other kernels. The verdict is "runs", "refused", "events"
(it runs and reports events of arithmetic or of conversions) or "warning" (of the assembler).

verdicts_test.py GDR PROJECT LIBRARY [test arguments]     LIBRARY: folder of libgdr, or none: no C programs
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

import grapedr

GDR, PROJECT = str(pathlib.Path(sys.argv.pop(1)).resolve()), pathlib.Path(sys.argv.pop(1)).resolve()
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(PROJECT / "python" / "examples")]
import amuse_worker  # noqa: E402
import kernel_sources  # noqa: E402
import verdict_programs  # noqa: E402

LIBRARY = sys.argv.pop(1)

SPRING = """kernel spring
bvar long  xj elt flt64to72
bvar short kj elt flt64to36
{more}var vector long xi hlt flt64to72
var vector long force rrn flt72to64 fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt force
loop body
  fsub xj xi $lt
  fmul $lti kj $lt
  fadd force $lti force
"""
KERNELS = {
    "spring": SPRING.format(more=""),
    "unused": SPRING.format(more="bvar long yj elt flt64to72\n"),
    "wrong": SPRING.format(more="").replace("fmul $lti kj $lt", "fmul $lti kj"),
    "unknown_word": SPRING.format(more="").replace("fsub xj", "fsub zj"),
    "empty": "",
    "whole": """kernel whole
bvar long nj elt fix64to72
var vector long ni hlt fix64to72
var vector long sum rrn fix72to64 uadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  uadd nj ni $lt
  uadd sum $lti sum
""",
    "narrow": """kernel narrow
bvar short nj elt fix64to36 uint8
param h : long fix64to72 int8 = 0
var vector short ni hlt fix64to36 int16
var vector short sum rrn fix36to64 uadd
var vector long own rrn fix72to64 uadd
loop initialization
  upassa h own
  uxor sum sum sum
  nop
loop body
  uadd nj ni $t
  uadd sum $ti sum
""",
    "near": "/VARI xi;\n/VARJ xj, id;\n/VARF r2, near;\nd = xj - xi;\nd2 = d * d;\n"
            "near = d2 < r2 ? id : near;\nr2 = min(r2, d2);\n",
    "slots": """kernel slots
bvar long xj     elt
bvar long number elt fix64to72 uint28
var vector long xi   hlt
var vector long near rrn fix72to64 uint28 umin
reg d $r0v
loop initialization
  # allow identity: the largest number of 64 bits is nobody
  upassa hl"007fffffffffffffff" near
loop body
  fsub xj xi d
  nop
  fmul d d $t
  ulsr $lti il"8" $lt
  uor $lti number $lt
  umin near $lti near
""",
    "weighted": "/VARI xi;\n/VARJ xj;\n/VARF f;\n/VARC h;\nf += h * (xj - xi);\n",
    "constant": "/VARI xi;\n/VARJ xj;\n/VARF f;\n/VARC h = 2.0;\nf += h * (xj - xi);\n",
    "undeclared": "/VARI xi;\n/VARJ xj;\n/VARF f;\nf += h * (xj - xi);\n",
    "halves": kernel_sources.HALVES,
    "collatz": (PROJECT / "docs/examples/collatz.vsm").read_text(encoding="utf-8"),
}
I, J = {"xi": [0.0, 1.0]}, {"xj": [1.0, 2.0], "kj": [1.0, 0.5]}
PAIR = {"xj": [1.0, 2.0]}
X = {"x": [1.0] * 128}
# Numbers that share a word with a key, from 0 to 2^28 - 1.
IDS = [("the ends of ids", "runs", [0, 2**28 - 1]), ("one id twice", "runs", [7, 7]),
       *((f"id {id}", "refused", [5, id]) for id in (-1, 2**28, 2**31 - 1, -(2**31), 2**32, 2**53, 2**63 - 1))]
STARTS = {"from": [3, 7]}

# (name, verdict, kernel, i, j, what differs): parameters, turns, steps, round, machine, engine, boards, clock.
CASES = [
    ("all is well", "runs", "spring", I, J, {}),
    ("whole numbers for real ones", "runs", "spring", {"xi": [0, 1]}, J, {}),
    ("one i-particle", "runs", "spring", {"xi": [0.5]}, J, {}),
    ("one j-particle", "runs", "spring", I, {"xj": [1.0], "kj": [1.0]}, {}),
    ("i without its variable", "refused", "spring", {}, J, {}),
    ("j without a variable", "refused", "spring", I, {"xj": [1.0, 2.0]}, {}),
    ("j without the other variable", "refused", "spring", I, {"kj": [1.0, 2.0]}, {}),
    ("j without any", "refused", "spring", I, {}, {}),
    ("an unknown variable of i", "refused", "spring", I | {"yi": [0.0, 0.0]}, J, {}),
    ("an unknown variable of j", "refused", "spring", I, J | {"mj": [0.0, 0.0]}, {}),
    ("a misspelt variable", "refused", "spring", {"xl": [0.0, 1.0]}, J, {}),
    ("i and j exchanged", "refused", "spring", {"xj": [0.0, 1.0]}, {"xi": [1.0, 2.0], "kj": [1.0, 1.0]}, {}),
    ("columns of two lengths", "refused", "spring", I, {"xj": [1.0, 2.0], "kj": [1.0]}, {}),
    ("NaN in i", "refused", "spring", {"xi": [0.0, np.nan]}, J, {}),
    ("NaN in j", "refused", "spring", I, {"xj": [np.nan, 2.0], "kj": [1.0, 0.5]}, {}),
    ("NaN in a short word", "refused", "spring", I, {"xj": [1.0, 2.0], "kj": [1.0, np.nan]}, {}),
    ("infinity in i", "events", "spring", {"xi": [np.inf, 1.0]}, {"xj": [np.inf, 2.0], "kj": [1.0, 0.5]}, {}),
    ("an overflow", "events", "spring", {"xi": [-1.7e308, 1.0]}, {"xj": [1.7e308, 2.0], "kj": [8.0, 0.5]}, {}),
    ("a number above short words", "runs", "spring", I, {"xj": [1.0, 2.0], "kj": [1e300, 0.5]}, {}),
    ("text", "refused", "spring", {"xi": ["a", "b"]}, J, {}),
    ("numbers in words", "refused", "spring", {"xi": ["one", "two"]}, J, {}),
    ("negative zero", "runs", "spring", {"xi": [-0.0, 1.0]}, J, {}),
    ("the largest double", "runs", "spring", {"xi": [1.7976931348623157e308, 1.0]}, {"xj": [1.0], "kj": [1.0]}, {}),
    ("the least normal double", "runs", "spring", {"xi": [2.2250738585072014e-308, 1.0]}, J, {}),
    ("whole numbers", "runs", "whole", {"ni": [1, 2]}, {"nj": [3, -4]}, {}),
    ("a fraction for a whole number", "refused", "whole", {"ni": [1.5, 2.0]}, {"nj": [3, 4]}, {}),
    ("a fraction among j", "refused", "whole", {"ni": [1, 2]}, {"nj": [3.25, 4.0]}, {}),
    ("the largest whole number", "events", "whole", {"ni": [2**63 - 1, 0]}, {"nj": [0, 0]}, {}),
    ("a whole number above", "refused", "whole", {"ni": np.array([2**63, 0], np.uint64)}, {"nj": [0, 0]}, {}),
    ("the least whole number", "events", "whole", {"ni": [-(2**63), 0]}, {"nj": [0, 0]}, {}),
    ("the ends of narrow integers", "runs", "narrow", {"ni": [-(2**15), 2**15 - 1]}, {"nj": [0, 255]}, {"h": -128}),
    ("below a narrow integer", "refused", "narrow", {"ni": [-(2**15) - 1]}, {"nj": [0]}, {"h": 0}),
    ("above a narrow integer", "refused", "narrow", {"ni": [2**15]}, {"nj": [0]}, {"h": 0}),
    ("a sign for a natural number", "refused", "narrow", {"ni": [0]}, {"nj": [-1]}, {"h": 0}),
    ("above a natural number", "refused", "narrow", {"ni": [0]}, {"nj": [256]}, {"h": 0}),
    ("a parameter above its integer", "refused", "narrow", {"ni": [0]}, {"nj": [0]}, {"h": 128}),
    ("an unused variable", "warning", "unused", I, J | {"yj": [0.0, 0.0]}, {}),
    ("an operand too few", "refused", "wrong", I, J, {}),
    ("a name that is not declared", "refused", "unknown_word", I, J, {}),
    ("an empty source", "refused", "empty", I, J, {}),
    ("a parameter", "runs", "weighted", I, PAIR, {"h": 2.0}),
    ("a parameter left out", "refused", "weighted", I, PAIR, {}),
    ("an unknown parameter", "refused", "weighted", I, PAIR, {"h": 2.0, "g": 1.0}),
    ("a parameter of a kernel without", "refused", "spring", I, J, {"h": 2.0}),
    ("a constant", "runs", "constant", I, PAIR, {}),
    ("a name of no value in a function", "refused", "undeclared", I, PAIR, {}),
    ("turns", "runs", "halves", X, None, {"turns": 2}),
    ("turns left out", "refused", "halves", X, None, {}),
    ("no turns", "refused", "halves", X, None, {"turns": 0}),
    ("fewer turns than none", "refused", "halves", X, None, {"turns": -1}),
    ("turns of another kernel", "refused", "spring", I, J, {"turns": 1}),
    ("j of a kernel without", "refused", "halves", X, J, {"turns": 1}),
    ("experiments", "runs", "collatz", STARTS, None, {"steps": 100}),
    ("experiments without steps", "refused", "collatz", STARTS, None, {}),
    ("experiments of no steps", "refused", "collatz", STARTS, None, {"steps": 0}),
    ("rounds that do not divide the steps", "refused", "collatz", STARTS, None, {"steps": 100, "round": 33}),
    ("experiments with j", "refused", "collatz", STARTS, J, {"steps": 100}),
    ("steps of another kernel", "refused", "spring", I, J, {"steps": 100}),
    ("fractions for starts of whole numbers", "refused", "collatz", {"from": [3.5]}, None, {"steps": 100}),
    ("another machine", "runs", "spring", I, J, {"machine": "model450"}),
    ("an unknown machine", "refused", "spring", I, J, {"machine": "model4500"}),
    ("another engine", "runs", "spring", I, J, {"engine": "reference"}),
    ("two engines", "runs", "spring", I, J, {"engine": "lockstep:reference,simd"}),
    ("an unknown engine", "refused", "spring", I, J, {"engine": "smid"}),
    ("engine direct, which runs no kernel", "refused", "spring", I, J, {"engine": "direct"}),
    ("two boards", "runs", "spring", I, J, {"boards": 2}),
    ("no boards", "refused", "spring", I, J, {"boards": 0}),
    ("too many boards", "refused", "spring", I, J, {"boards": 65}),
    ("another clock", "runs", "spring", I, J, {"clock": 333.0}),
    ("no clock", "refused", "spring", I, J, {"clock": 0.0}),
    ("a clock below 0", "refused", "spring", I, J, {"clock": -333.0}),
    ("too many threads", "refused", "spring", I, J, {"threads": 2000}),
    ("fewer threads than none", "refused", "spring", I, J, {"threads": -1}),
    ("all threads", "runs", "spring", I, J, {"threads": 0}),
    ("one thread", "runs", "spring", I, J, {"threads": 1}),
    ("the most threads", "runs", "spring", I, J, {"threads": 1024}),
    ("a thread and a half", "refused", "spring", I, J, {"threads": 1.5}),
    ("threads in words", "refused", "spring", I, J, {"threads": "all"}),
    ("a board and a half", "refused", "spring", I, J, {"boards": 1.5}),
    ("boards in words", "refused", "spring", I, J, {"boards": "two"}),
    ("fewer boards than none", "refused", "spring", I, J, {"boards": -1}),
    ("the slowest clock", "runs", "spring", I, J, {"clock": 1.0}),
    ("the fastest clock", "runs", "spring", I, J, {"clock": 10000.0}),
    ("a clock beyond", "refused", "spring", I, J, {"clock": 1e9}),
    ("a clock below", "refused", "spring", I, J, {"clock": 0.5}),
    ("a clock that is no number", "refused", "spring", I, J, {"clock": float("nan")}),
    ("an endless clock", "refused", "spring", I, J, {"clock": float("inf")}),
    ("a clock in words", "refused", "spring", I, J, {"clock": "fast"}),
    ("doubles of the host", "runs", "spring", I, J, {"engine": "native"}),
    ("one engine in lockstep", "refused", "spring", I, J, {"engine": "lockstep:simd"}),
    ("an unknown engine in lockstep", "refused", "spring", I, J, {"engine": "lockstep:simd,smid"}),
    ("an unknown device", "refused", "spring", I, J, {"engine": "opencl:NOSUCH"}),
    ("an engine in capitals", "refused", "spring", I, J, {"engine": "SIMD"}),
    ("a machine whose file is missing", "refused", "spring", I, J, {"machine": "missing.toml"}),
    ("a host for a machine", "refused", "spring", I, J, {"machine": "core-i7-920"}),
    ("a cluster for a machine", "refused", "spring", I, J, {"machine": "grape-dr-64"}),
    ("a machine in capitals", "refused", "spring", I, J, {"machine": "MODEL1800"}),
    ("minus infinity", "events", "spring", {"xi": [-np.inf, 1.0]}, {"xj": [-np.inf, 2.0], "kj": [1.0, 0.5]}, {}),
    ("a denormal double", "events", "spring", {"xi": [5e-324, 1.0]}, J, {}),
    ("the smallest differences", "runs", "spring", {"xi": [1.0]}, {"xj": [1.0000000000000002], "kj": [1.0]}, {}),
    ("zeros alone", "runs", "spring", {"xi": [0.0]}, {"xj": [0.0], "kj": [0.0]}, {}),
    ("more i-particles than a run takes", "runs", "spring", {"xi": [0.5] * 300}, J, {}),
    *((f"{name} of a function", verdict, "near", I, {"xj": [1.0, 2.0], "id": [int(float(id)) for id in ids]}, {})
      for name, verdict, ids in IDS[:-1]),
    *((f"{name} of a number", verdict, "slots", I, {"xj": [1.0, 2.0], "number": ids}, {}) for name, verdict, ids in IDS),
    ("half an id", "refused", "near", I, {"xj": [1.0, 2.0], "id": [5, 2.5]}, {}),
    ("a sum of infinities", "events", "spring", {"xi": [0.0]}, {"xj": [np.inf, -np.inf], "kj": [1.0, 1.0]}, {}),
]



def can_be_told_by_stubs(name, i, j, options):
    """False where C has no way to say it: a field that is left out is 0, an array of records has one length, a double
    becomes an integer without a word, a parameter has the default of init, rounds are the library's."""
    lengths = {len(column) for column in (j or {}).values()}
    return not (len(lengths) > 1 or not i or j == {} or name in ("j without a variable", "j without the other variable")
                or name.startswith(("a fraction", "fractions")) or name == "a parameter left out" or "round" in options
                or name == "a whole number above")


def can_be_told_by_goose(name, kernel, i, j, options):
    """False for kernels that are no loops over pairs, for arrays that the loop does not read, and for warnings of
    assembly; and where C converts a double to an integer without a word."""
    if kernel in ("halves", "collatz", "unused", "narrow", "slots") or "turns" in options or "steps" in options:
        return False
    lengths = {len(column) for column in (j or {}).values()}
    return not (len(lengths) > 1 or not i or not j or name.startswith(("a fraction", "half an id", "an unknown variable", "i and j exch"))
                or name in ("an unknown parameter", "a parameter of a kernel without", "a whole number above"))
OF_DEVICE = {"machine": "machine", "engine": "engine", "boards": "boards", "clock": "clock_mhz", "threads": "threads"}


def csv(columns):
    """As a person would write it: a short column leaves its cell out."""
    rows = max((len(column) for column in columns.values()), default=0)
    lines = [",".join(columns)]
    for row in range(rows):
        lines.append(",".join(str(column[row]) for column in columns.values() if row < len(column)))
    return "\n".join(lines) + "\n"


class Verdicts(unittest.TestCase):
    def setUp(self):
        self.kept = tempfile.TemporaryDirectory()
        self.addCleanup(self.kept.cleanup)
        self.folder = pathlib.Path(self.kept.name)

    def file(self, kernel):
        file = self.folder / (f"{kernel}.lsump" if "/VAR" in KERNELS[kernel] else f"{kernel}.vsm")
        file.write_text(KERNELS[kernel], encoding="utf-8")
        return file

    def of_program(self, kernel, i, j, options):
        words = ["run", str(self.file(kernel))]
        for name, columns in (("i", i), ("j", j)):
            if columns is not None:
                (self.folder / f"{name}.csv").write_text(csv(columns), encoding="utf-8")
                words += [f"--{name}", str(self.folder / f"{name}.csv")]
        for name, value in options.items():
            ours = name in OF_DEVICE or name in ("turns", "steps", "round")
            words += [f"--{name}={value}"] if ours else ["--param", f"{name}={value}"]
        done = subprocess.run([GDR, *words], capture_output=True, text=True, check=False, timeout=120)
        if done.returncode != 0:
            return "refused", done.stderr
        if re.search(r"\d+ (floating-point event|event of conversions|events of conversions)", done.stderr):
            return "events", done.stderr
        return ("warning" if "warning:" in done.stderr else "runs"), done.stderr

    def of_module(self, kernel, i, j, options):
        device = {OF_DEVICE[name]: value for name, value in options.items() if name in OF_DEVICE}
        counts = {name: value for name, value in options.items() if name in ("turns", "steps", "round")}
        parameters = {name: value for name, value in options.items() if name not in OF_DEVICE and name not in counts}
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                file = self.file(kernel)
                own = grapedr.assemble(KERNELS[kernel]) if file.suffix == ".vsm" else grapedr.compile_kernel(file)
                board = grapedr.Device(**device)
                if "steps" in counts or kernel == "collatz" and "turns" not in counts:
                    given = {"j": j} if j is not None else {}
                    own.run_experiments(i, device=board, **counts, **given, **parameters)
                elif "turns" in counts or kernel == "halves":
                    own.run_turns(i, j, device=board, **counts, **parameters)
                else:
                    own.run(i, j, device=board, **parameters)
            except (grapedr.Error, TypeError) as error:
                return "refused", str(error)
        kinds = {each.category for each in told}
        name = "events" if grapedr.EventWarning in kinds else "warning" if grapedr.AssemblyWarning in kinds else "runs"
        return name, "; ".join(str(each.message) for each in told)

    @staticmethod
    def of_programs(programs, name, kernel, i, j, options):
        """By the face's name, where the face can be told."""
        verdicts = {}
        if can_be_told_by_stubs(name, i, j, options):
            verdicts["stub"] = programs.of_stub(kernel, KERNELS[kernel], i, j, options)
        if can_be_told_by_goose(name, kernel, i, j, options):
            verdicts["Goose"] = programs.of_goose(kernel, i, j, options)
        return verdicts

    @unittest.skipIf(LIBRARY == "none", "built without libgdr or without Goose")
    def test_c_programs_say_the_same(self):
        programs = verdict_programs.Programs(GDR, LIBRARY, [str(PROJECT / "hostlib" / "include")], self.folder)
        told = {"stub": 0, "Goose": 0, "both": 0}
        for name, verdict, kernel, i, j, options in CASES:
            verdicts = self.of_programs(programs, name, kernel, i, j, options)
            for face, (said, why) in verdicts.items():
                with self.subTest(name, face=face):
                    self.assertEqual(said, verdict, why)
                    told[face] += 1
                    if verdict == "refused":
                        self.assertTrue(why)
            told["both"] += len(verdicts) == 2
        print(f"of {len(CASES)} inputs stubs were told {told['stub']}, Goose {told['Goose']}, both {told['both']}")
        self.assertGreaterEqual(told["both"], 60)

    def test_program_and_module_say_the_same(self):
        self.assertGreater(len(CASES), 60)
        for name, verdict, kernel, i, j, options in CASES:
            with self.subTest(name):
                program, module = self.of_program(kernel, i, j, options), self.of_module(kernel, i, j, options)
                self.assertEqual((program[0], module[0]), (verdict, verdict), f"{program[1]}\n{module[1]}")
                if verdict == "refused":
                    self.assertTrue(program[1] and module[1])


A, B = [1, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 1, 0]  # m x y z vx vy vz
ROUND = {"t_end": 0.125}
# (name, verdict, particles, what differs): eps, eta, t_end.
SYSTEMS = [
    ("two particles", "runs", [A, B], {}),
    ("one particle", "runs", [A], {}),
    ("a test particle", "runs", [[0, *A[1:]], B], {}),
    ("no mass at all", "runs", [[0, *A[1:]], [0, *B[1:]]], {}),
    ("two particles in one place", "runs", [A, A], {}),
    ("two particles in one place without softening", "runs", [A, A], {"eps": 0}),
    ("a negative mass", "refused", [A, [-1, *B[1:]]], {}),
    ("a mass that is NaN", "refused", [A, [np.nan, *B[1:]]], {}),
    ("an endless mass", "refused", [A, [np.inf, *B[1:]]], {}),
    ("a place that is NaN", "refused", [A, [1, np.nan, *B[2:]]], {}),
    ("an endless place", "refused", [A, [1, -np.inf, *B[2:]]], {}),
    ("a velocity that is NaN", "refused", [A, [*B[:6], np.nan]], {}),
    ("an endless velocity", "refused", [A, [*B[:6], np.inf]], {}),
    ("a mass in words", "refused", [A, ["one", *B[1:]]], {}),
    ("a place in words", "refused", [A, [1, "far", *B[2:]]], {}),
    ("a force beyond doubles", "refused", [A, [1e300, *B[1:]]], {}),
    ("a place beyond the board", "refused", [A, [1, 1e300, *B[2:]]], {}),
    ("a tiny mass", "runs", [A, [1e-300, *B[1:]]], {}),
    ("a denormal place", "runs", [A, [1, 1e-320, *B[2:]]], {}),
    ("negative zeros", "runs", [A, [1, 1, -0.0, -0.0, -0.0, 1, -0.0]], {}),
    ("no softening", "runs", [A, B], {"eps": 0}),
    ("a tiny softening", "runs", [A, B], {"eps": 1e-300}),
    ("a softening that is NaN", "refused", [A, B], {"eps": np.nan}),
    ("an endless softening", "refused", [A, B], {"eps": np.inf}),
    ("a softening in words", "refused", [A, B], {"eps": "little"}),
    ("a negative softening", "refused", [A, B], {"eps": -0.01}),
    ("a small eta", "runs", [A, B], {"eta": 0.02}),
    ("eta 0", "refused", [A, B], {"eta": 0.0}),
    ("a negative eta", "refused", [A, B], {"eta": -0.1}),
    ("an eta that is NaN", "refused", [A, B], {"eta": np.nan}),
    ("an endless eta", "refused", [A, B], {"eta": np.inf}),
    ("an eta in words", "refused", [A, B], {"eta": "fine"}),
    ("the end at the start", "runs", [A, B], {"t_end": 0}),
    ("the end before the start", "refused", [A, B], {"t_end": -1}),
    ("an end that is NaN", "refused", [A, B], {"t_end": np.nan}),
    ("an endless run", "refused", [A, B], {"t_end": np.inf}),
    ("an end beyond the largest time", "refused", [A, B], {"t_end": 1e10}),
    ("an end in words", "refused", [A, B], {"t_end": "late"}),
]


class Held:
    """A value that a function of AMUSE's interface gives."""

    value = None


class Systems(unittest.TestCase):
    """The same for systems of particles, of `gdr nbody`, both integrators of the module, and the worker for AMUSE."""

    def of_program(self, particles, options):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "system.txt"
            file.write_text("".join(" ".join(map(str, row)) + "\n" for row in particles), encoding="utf-8")
            words = [f"--{name.replace('_', '-')}={value}" for name, value in (ROUND | options).items()]
            done = subprocess.run([GDR, "nbody", "--in", file, *words], capture_output=True, text=True, check=False, timeout=120)
        return "refused" if done.returncode else "runs", done.stderr

    def of_module(self, particles, options):
        settings = ROUND | options
        own = {"mass": [row[0] for row in particles], "position": [row[1:4] for row in particles],
               "velocity": [row[4:] for row in particles]}
        told = []
        for both in (lambda: grapedr.NbodyRun(own, **settings).run(),
                     lambda: grapedr.Nbody(own, **{k: v for k, v in settings.items() if k != "t_end"}).evolve(settings["t_end"])):
            try:
                both()
                told.append(("runs", ""))
            except (grapedr.Error, TypeError) as error:
                told.append(("refused", str(error)))
        self.assertEqual(told[0][0], told[1][0], told)
        return told[0]

    @staticmethod
    def of_worker(particles, options):
        settings, code = ROUND | options, amuse_worker.GrapedrGravity()
        steps = []
        if "eps" in settings:
            eps = settings["eps"]
            steps.append(lambda: code.set_eps2(epsilon_squared=eps if isinstance(eps, str) else np.copysign(eps**2, eps)))
        if "eta" in settings:
            steps.append(lambda: code.set_timestep_parameter(timestep_parameter=settings["eta"]))
        steps.append(code.commit_parameters)
        for row in particles:
            named = dict(zip(("mass", "x", "y", "z", "vx", "vy", "vz"), row))
            steps.append(lambda named=named: code.new_particle(index_of_the_particle=Held(), **named))
        steps += [code.commit_particles, lambda: code.evolve_model(time=settings["t_end"])]
        for step in steps:
            if step() != 0:
                return "refused", code.message
        return "runs", ""

    def test_are_told_the_same_by_all_faces(self):
        for name, verdict, particles, options in SYSTEMS:
            with self.subTest(name):
                told = {face: call(particles, options) for face, call in
                        (("program", self.of_program), ("module", self.of_module), ("AMUSE", self.of_worker))}
                self.assertEqual({face: said for face, (said, _) in told.items()}, dict.fromkeys(told, verdict), told)
                if verdict == "refused":
                    self.assertTrue(all(why for _, why in told.values()), told)

    def test_a_worker_lives_on(self):
        code = amuse_worker.GrapedrGravity()
        for wrong in (None, "one", [1, 2], np.ma.masked, 1j, object()):
            with self.subTest(repr(wrong)):
                status = code.new_particle(index_of_the_particle=Held(), mass=wrong, x=0, y=0, z=0, vx=0, vy=0, vz=0)
                self.assertEqual(status, -1)
                self.assertIn("particle is refused", code.message)
        self.assertEqual(code.get_mass(index_of_the_particle=[], mass=Held()), -1)
        self.assertEqual(code.get_number_of_particles(number_of_particles=Held()), 0)


if __name__ == "__main__":
    unittest.main()
