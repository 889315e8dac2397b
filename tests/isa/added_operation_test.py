"""An operation of the ALU is added in the places that isa/README.md names, and every engine, oracle, reduction and list has it.

A copy of the sources gets `uxnor`: its record, its scalar body, its batch body, its body on OpenCL devices, its rows in the
oracle and in the proof; and on the pages. What tests operations is built of the copy and run; and each place that is left
out is told by name.

    added_operation_test.py SOURCE_DIRECTORY WORK_DIRECTORY COMPILER
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

SOURCE, WORK, COMPILER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]

# file, the line before which the text is put, the text
PLACES = {
    "record": ("isa/td/gdr.td", r"  def ULZC : .*", """\
  let Reduces = 1, Neutral = AllOnes in
  def UXNOR : Operation<Alu, "uxnor", 14, 2, Bits> {
    let Meaning = "dst <- complement of a exclusive-or b, bit by bit.";
  }
"""),
    "scalar body": ("emulator/src/word/alu.cpp", r"AluResult ulzc\(.*", """\
AluResult uxnor(uint128 a, uint128 b, Width width) {
  require_operands(a, b, width);
  return result_of(~(a ^ b), width);
}

"""),
    "batch body": ("emulator/src/simd/kernels/integer_operations.h", r".*IntegerBatch ulzc\(.*", """\
inline IntegerBatch uxnor(IntegerBatch a, IntegerBatch b, Width width) { return unot(uxor(a, b, width), width); }
"""),
    "body on devices": ("emulator/src/opencl/arithmetic.cl", r"Result op_ulzc\(.*", """\
Result op_uxnor(Word x, Word y, uint is_long) {
  const Bits a = bits_of(x, is_long);
  const Bits b = bits_of(y, is_long);
  return integer(bits(~(a.high ^ b.high), ~(a.low ^ b.low)), 0, is_long);
}
"""),
    "oracle": ("tests/witness/integer_oracle.cpp", r"    \{isa::Op::ULZC, .*", """\
    {isa::Op::UXNOR,
     [](const Bits& a, const Bits& b) { return each_bit(a, b, [](bool x, bool y) { return x == y; }); }},
"""),
    "proof": ("tests/emulator/proof/prove_integers.cpp", r'    \{"ulzc", .*', """\
    {"uxnor", [](std::uint64_t a, std::uint64_t b, int) { return Defined{~(a ^ b)}; }, uxnor, {}},
"""),
    "page": ("docs/machine/arithmetic.md", r"\| `ulzc a` \|.*", """\
| `uxnor a b` | bit by bit: whether they are equal | 0 |
"""),
    "example": ("docs/machine/arithmetic.md", r"ulzc 0.*", """\
uxnor 0f0f0f0f0 00000000f -> f0f0f0f00 negative
"""),
}
TARGETS = ("isa_tests", "assembler_tests", "emulator_tests", "proof_alu")


def run(*command, **keywords):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **keywords)


class AddedOperationTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.copy, cls.build = WORK / "source", WORK / "build"
        shutil.rmtree(WORK, ignore_errors=True)
        ignored = shutil.ignore_patterns("build", ".git", "shared", "__pycache__")
        shutil.copytree(SOURCE, cls.copy, ignore=ignored)
        for place in PLACES:
            cls.add(place)
        # Compiling is most of what this test costs: little optimisation, few sources, two instruction sets.
        left_out = [f"-DGDR_{part}=OFF" for part in ("SIMGRID", "SCOTCH", "HDF5", "RSVG", "PYTHON", "BUILD_BENCH")]
        configured = run("cmake", "-S", cls.copy, "-B", cls.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                         "-DCMAKE_CXX_FLAGS_DEBUG=-O1", f"-DCMAKE_CXX_COMPILER={COMPILER}", "-DCMAKE_UNITY_BUILD=ON",
                         "-DCMAKE_UNITY_BUILD_BATCH_SIZE=64", "-DGDR_PRECOMPILE_HEADERS=ON", "-DGDR_NATIVE_ISA=ON",
                         "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON", *left_out)
        if configured.returncode != 0:
            raise AssertionError(configured.stdout + configured.stderr)
        built = cls.make(*TARGETS)
        if built.returncode != 0:
            raise AssertionError(built.stdout[-8000:])

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)

    @classmethod
    def make(cls, *targets):
        return run("cmake", "--build", cls.build, "-j", os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "2"), "--target",
                   *targets)

    @classmethod
    def add(cls, place):
        name, before, text = PLACES[place]
        file = cls.copy / name
        lines = file.read_text().splitlines(keepends=True)
        at = [n for n, line in enumerate(lines) if re.fullmatch(before, line.rstrip())]
        if len(at) != 1:
            raise AssertionError(f"{name} has {len(at)} lines like {before}")
        lines.insert(at[0], text)
        file.write_text("".join(lines))

    @classmethod
    def leave_out(cls, place):
        name, _, text = PLACES[place]
        file = cls.copy / name
        file.write_text(file.read_text().replace(text, ""))

    def passes(self, program, test_filter, at_least):
        result = run(self.build / "bin" / program, f"--gtest_filter={test_filter}")
        self.assertEqual(result.returncode, 0, result.stdout[-4000:] + result.stderr[-4000:])
        self.assertGreaterEqual(result.stdout.count("[       OK ]"), at_least, result.stdout)

    def test_assembler_and_printer_know_it(self):
        self.passes("isa_tests", "*", 1)
        self.passes("assembler_tests", "*UXNOR*", 1)
        self.passes("assembler_tests", "Explanations*", 1)

    def test_the_scalar_body_is_what_the_oracle_says(self):
        self.passes("emulator_tests", "*/Alu.*/uxnor", 2)

    def test_the_vector_engine_computes_it(self):
        self.passes("emulator_tests", "*ComputesWhatTheScalarFunctionsDo*", 1)

    def test_devices_compute_it(self):
        self.passes("emulator_tests", "*OpenClArithmetic*/uxnor", 1)

    def test_the_proof_covers_it(self):
        record = WORK / "alu.txt"
        written = run(self.build / "bin/proof_alu", record, "--write")
        if written.returncode == 77:
            self.skipTest("the proof needs AVX2")
        self.assertEqual(written.returncode, 0, written.stdout + written.stderr)
        self.assertRegex(record.read_text(), r"(?m)^uxnor +short interpreter +64 +0$")
        self.assertRegex(record.read_text(), r"(?m)^uxnor +long +interpreter +4194304 +0$")

    def test_the_page_has_an_example_of_it(self):
        self.passes("emulator_tests", "ArithmeticDocument.*", 1)

    def test_tree_and_host_reduce_by_it(self):
        self.passes("emulator_tests", "*/Reduction.*/uxnor", 3)

    def test_all_engines_run_random_programs_with_it(self):
        self.passes("emulator_tests", "Sets/RandomProgram.*/0:Sets/RandomProgram.*/1", 2)

    def test_places_left_out_are_told_by_name(self):
        for place, target in (("scalar body", "emulator_tests"), ("batch body", "gdr_emulator"),
                              ("body on devices", "emulator_tests"), ("proof", "proof_alu"), ("oracle", "*/Alu.*"),
                              ("page", "ArithmeticDocument.*"), ("example", "ArithmeticDocument.*")):
            self.leave_out(place)
            try:
                if "*" in target:
                    self.assertEqual(self.make("emulator_tests").returncode, 0)
                    result = run(self.build / "bin/emulator_tests", f"--gtest_filter={target}")
                else:
                    result = self.make(target)
                self.assertNotEqual(result.returncode, 0, f"nobody misses the {place}")
                self.assertIn("uxnor", result.stdout + result.stderr, place)
            finally:
                self.add(place)
        built = self.make(*TARGETS)  # for the other tests
        self.assertEqual(built.returncode, 0, built.stdout[-8000:])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
