// What cannot be compiled is told at its place, with what to do instead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "gdr/compiler/compiler.h"
#include "host_functions.h"

namespace gdr::compiler_testing {
namespace {

struct Refused {
  const char* name;
  const char* body;  // of the function, from line 6 on
  unsigned line;     // of the message
  const char* message;
};

const char* kHead =
    "#include <gdr/kernel.h>\n"
    "struct I { double x; float b; int n; };\n"
    "struct J { double x; float m; int k; };\n"
    "struct F { double sum; int count; };\n"
    "extern int table[]; float other(float); double* elsewhere();\n";

constexpr const char* kCutExtreme =
    "an integer result is compared with a number that its type may not have, and C++ cuts what is kept to the type's "
    "bits at every pair, so that the result depends on their order: declare the result with the number's type, or "
    "convert the number to the result's type before";

void PrintTo(const Refused& one, std::ostream* out) { *out << one.name; }

class Messages : public testing::TestWithParam<Refused> {};

TEST_P(Messages, NameThePlaceAndWhatToDo) {
  const Refused& one = GetParam();
  const std::string code = llvm_code(std::string(kHead) + one.body, false);
  const compiler::CompileResult result = compiler::compile_ir(code, "one.bc");
  EXPECT_EQ(result.source, "");
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].message, one.message);
  EXPECT_EQ(result.diagnostics[0].line, one.line);
}

INSTANTIATE_TEST_SUITE_P(
    Sources, Messages,
    testing::Values(
        Refused{
            "LoopOverData",
            "void f(const I& i, const J& j, F& f) {\n  double s = i.x;\n  for (int n = 0; n < j.k; ++n)\n    s = s "
            "* s + j.x;\n  f.sum += s;\n}\n",
            8,
            "a loop whose number of turns is not fixed: nothing limits 'n' to a constant: end the loop by a count as "
            "well, as in `n < 8 &&`, or limit its end, as by std::min(end, 8)"},
        Refused{
            "UnknownFunction", "void f(const I& i, const J& j, F& f) {\n  f.sum += other(j.m) * i.x;\n}\n", 7,
            "function 'other' is called, which the machine does not have; known are sqrt, cbrt, hypot, fabs, fmin, "
            "fmax, fdim, fma, fmod, remainder, remquo, modf, frexp, ldexp, logb, ilogb, copysign, exp, exp2, exp10, "
            "expm1, log, log2, log10, log1p, pow, sin, cos, sincos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, "
            "asinh, acosh, atanh, erf, erfc, tgamma, lgamma, floor, ceil, trunc, round, rint, lround, lrint and "
            "those of gdr/kernel.h"},
        Refused{
            "TableOfTheHost", "void f(const I& i, const J& j, F& f) {\n  f.sum += table[j.k] * i.x;\n}\n", 7,
            "variable 'table' is outside of the records: PEs have no memory of the host; pass it in the parameters, "
            "or declare it const if it never changes"},
        Refused{"TableThatIsTooLong",
                "static const double large[300] = {1, 2};\nvoid f(const I& i, const J& j, F& f) {\n"
                "  f.sum += large[j.k] * i.x;\n}\n",
                8,
                "array 'large' of line 6 has 300 entries for an index that is known only when the kernel runs: one of "
                "up to 128 is chosen by comparisons, two operations each; compute the value, or take fewer entries"},
        Refused{
            "VariableOfTheHostIsWritten",
            "void f(const I& i, const J& j, F& f) {\n  static int calls = 0;\n  f.sum += i.x * ++calls;\n}\n", 8,
            "variable 'calls' of line 7 is outside of the records: PEs have no memory of the host; make it a result"},
        Refused{"ResultThatIsOverwrittenAtAnIndexOfData",
                "struct H { double bins[4]; };\nvoid f(const I& i, const J& j, H& f) {\n  f.bins[j.k] = i.x;\n}\n", 8,
                "an element is written at an index that is known only when the kernel runs: use constants, or loops "
                "with a fixed number of turns that clang unrolls, or change one result by += there; choose between "
                "results by if, not by a reference"},
        Refused{
            "Neighbours", "void f(const I& i, const J& j, F& f) {\n  f.sum += std::nextafter(i.x, j.x);\n}\n", 7,
            "function 'nextafter' is called: words have more bits than the host's numbers, and so other neighbours; "
            "add a part of the number, as in x + x * 1e-15"},
        Refused{"Assertion",
                "#include <cassert>\nvoid f(const I& i, const J& j, F& f) {\n  assert(j.m > 0);\n  f.sum += i.x;\n}\n",
                8,
                "function '__assert_fail' is called: PEs cannot end a program: compile without assertions, by -D "
                "NDEBUG"},
        Refused{"PointerChased", "void f(const I& i, const J& j, F& f) {\n  f.sum += *elsewhere() * i.x * j.m;\n}\n", 7,
                "a pointer is followed: PEs see the fields of their records alone"},
        Refused{"OverwrittenResult", "void f(const I& i, const J& j, F& f) {\n  f.sum = i.x * j.m;\n}\n", 7,
                "a result must be accumulated: f.x += ..., f.x -= ..., f.x = fmin(f.x, ...) or fmax; integers also |=, "
                "&=, ^=, "
                "min and max; and under a condition"},
        Refused{"TwoReductions",
                "void f(const I& i, const J& j, F& f) {\n  f.sum += i.x;\n  f.sum = std::fmin(f.sum, j.x);\n}\n", 8,
                "a result is reduced in two ways: by fmin here and by fadd before"},
        Refused{"NoChangeBeforeAChange",
                "void f(const I& i, const J& j, F& f) {\n  f.sum = f.sum * i.x;\n  f.sum = std::fmin(f.sum, j.x);\n}\n",
                7,
                "a result must be accumulated: f.x += ..., f.x -= ..., f.x = fmin(f.x, ...) or fmax; integers also |=, "
                "&=, ^=, "
                "min and max; and under a condition"},
        Refused{"BoolThatDependsOnTheOrder",
                "struct B { bool any; };\nvoid f(const I& i, const J& j, B& b) {\n  b.any ^= j.k + i.n;\n}\n", 8,
                "a result must be accumulated: f.x += ..., f.x -= ..., f.x = fmin(f.x, ...) or fmax; integers also |=, "
                "&=, ^=, "
                "min and max; and under a condition"},
        Refused{"QuotientByZero", "void f(const I& i, const J&, F& f) {\n  f.count += i.n % 0;\n}\n", 7,
                "a value is read that C++ leaves open, as that of a quotient by 0 or of a shift by too many bits"},
        Refused{"Assembly", "void f(const I& i, const J&, F& f) {\n  asm(\"nop\"); f.sum += i.x;\n}\n", 7,
                "asm holds instructions of the host, which PEs do not have"},
        Refused{"LargeParticle",
                "struct B {\n  double a[63];\n  float b[3];\n};\nvoid f(const B& i, const J& j, F& f) {\n  f.sum += "
                "i.a[0] * j.x;\n}\n",
                8,
                "member 'b' does not fit: i-data and results take 528 short words of the local memory of a PE, 16 more "
                "than the 512 it has: a double or long takes 8 of them, two for each of 4 i-particles, every other "
                "member 4"},
        Refused{"LargePartner",
                "struct B {\n  double x;\n  double a[400], b[100];\n};\nvoid f(const I& i, const B& j, F& f) {\n  "
                "f.sum += i.x * j.x;\n}\n",
                8,
                "member 'b' does not fit: two j-particles and the parameters take 1002 words of the broadcast memory "
                "of a block, 106 more than the 896 that it has for them"},
        Refused{
            "LargeProduct",
            "struct L { long n; };\nvoid f(const L& i, const L& j, F& f) {\n  f.count += i.n * j.n > 0 ? 1 : 0;\n}\n",
            8, "products of 64-bit integers are made only of factors below 2^32: convert them from int"},
        Refused{"LeastOfMoreBits",
                "#include <algorithm>\nstruct L { long n; };\nvoid f(const I& i, const L& j, F& f) {\n  f.count = "
                "std::min<long>(f.count, j.n);\n}\n",
                9, kCutExtreme},
        Refused{"GreatestOfMoreBits",
                "struct S { short m; };\nvoid f(const I& i, const J& j, S& f) {\n  if (j.k > f.m) f.m = "
                "j.k;\n}\n",
                8, kCutExtreme},
        Refused{
            "LargeQuotient",
            "struct L { long n; };\nvoid f(const L& i, const L& j, F& f) {\n  f.count += i.n / j.n > 3 ? 1 : 0;\n}\n",
            8,
            "quotients of 64-bit integers are made only of numbers below 2^44 or by powers of two: convert them from "
            "int"},
        Refused{"BitsOfANumber",
                "void f(const I& i, const J& j, F& f) {\n  f.count += __builtin_bit_cast(int, j.m + i.b) > i.n ? 1 : "
                "0;\n}\n",
                7, "the bits of a number are no number here: convert by static_cast, and ask for a sign by x < 0"},
        Refused{"BitsInMemory",
                "void f(const I& i, const J& j, F& f) {\n  f.count += __builtin_bit_cast(int, j.m);\n}\n", 7,
                "the bits of a number are no number here: convert by static_cast, and ask for a sign by x < 0"},
        Refused{"NoPairFunction", "double f(const I& i) { return i.x; }\n", 0,
                "no pair function is in it: a pair function is void NAME(const I &, const J &, F &) or, with "
                "parameters, void NAME(const I &, const J &, F &, const P &); I, J, F and P are structures; "
                "experiments are "
                "void begin(const Start &, State &), void step(State &), bool done(const State &), which may be left "
                "out, and void end(const State &, Result &); each may have const P & as its last argument. Clang "
                "leaves out "
                "what nothing calls: functions that are static or inline, in unnamed namespaces or in classes, "
                "templates and lambdas. The pair function must be a plain function"},
        Refused{"Complex",
                "#include <complex>\nstruct B { std::complex<float> z; };\nvoid f(const B& i, const J& "
                "j, F& f) { f.sum += i.z.real() * j.m; }\n",
                7, "member 'z' is a std::complex<float>: take two members, the real and the imaginary part"},
        Refused{"Several",
                "void f(const I& i, const J&, F& f) { f.sum += i.x; }\nvoid g(const I& i, const J&, F& f) { f.sum += "
                "i.x; }\n",
                0, "several pair functions are in it: f, g; choose one with --function NAME"},
        Refused{
            "LongDoubleMember",
            "struct B { long double c; double x; };\nvoid f(const B& i, const J& j, F& f) { f.sum += i.x * j.m; }\n", 6,
            "member 'c' is no word: records hold float, double, integers of 8, 16, 32 and 64 bits, bool, bit-fields, "
            "enumerations, and arrays of up to 512 of them"},
        Refused{"NothingDone", "void f(const I&, const J&, F&) {}\n", 6, "the function changes no result"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Messages, OfFunctionsThatClangLeavesOutSayWhich) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  for (const char* function : {"static void f(const I& i, const J& j, F& f) { f.sum += i.x * j.m; }\n",
                               "inline void f(const I& i, const J& j, F& f) { f.sum += i.x * j.m; }\n",
                               "auto f = [](const I& i, const J& j, F& f) { f.sum += i.x * j.m; };\n"}) {
    const std::string code = llvm_code(std::string(kHead) + function, false);
    const compiler::CompileResult result = compiler::compile_ir(code, "one.cc");
    ASSERT_EQ(result.diagnostics.size(), 1u);
    EXPECT_THAT(result.diagnostics[0].message, testing::HasSubstr("functions that are static or inline, in unnamed"));
    EXPECT_THAT(result.diagnostics[0].message, testing::HasSubstr("templates and lambdas"));
  }
}

TEST(Messages, NameEachVariableOfTheHostOnce) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const std::string function =
      "double last[3];\nint counter;\nextern double scale;\nvoid f(const I& i, const J& j, F& f) {\n  counter++;\n"
      "  last[1] = i.x;\n  f.sum += counter * last[1] * scale + scale;\n  counter += 2;\n}\n";
  const compiler::CompileResult result =
      compiler::compile_ir(llvm_code(std::string(kHead) + function, false), "one.cc");
  std::vector<std::string> told;
  for (const compiler::Diagnostic& one : result.diagnostics) told.push_back(one.message);
  constexpr const char* kOutside = " is outside of the records: PEs have no memory of the host; ";
  EXPECT_THAT(told, testing::ElementsAre(std::string("variable 'counter' of line 7") + kOutside + "make it a result",
                                         std::string("variable 'last' of line 6") + kOutside + "make it a result",
                                         std::string("variable 'scale'") + kOutside +
                                             "pass it in the parameters, or declare it const if it never changes"));
}

TEST(Messages, OfCodeWithoutDebugInformationSayHowToCompile) {
  const char* code = "define void @f(ptr %0, ptr %1, ptr %2) {\n  ret void\n}\n";
  const compiler::CompileResult result = compiler::compile_ir(code, "bare.ll");
  ASSERT_EQ(result.diagnostics.size(), 1U);
  EXPECT_EQ(compiler::format_diagnostics(result),
            "bare.ll: error: no function with debug information is in it: compile with clang -O2 -g, names and records "
            "are taken "
            "from there\n");
}

TEST(Messages, OfTextThatIsNoCodeNameItsLine) {
  const compiler::CompileResult result = compiler::compile_ir("define void\nnothing", "bad.ll");
  ASSERT_EQ(result.diagnostics.size(), 1U);
  EXPECT_EQ(result.diagnostics[0].line, 2U);
  EXPECT_TRUE(result.diagnostics[0].message.starts_with("no LLVM IR: ")) << result.diagnostics[0].message;
}

/// A function whose return stands in the scope, and at the place, that these notes describe.
std::string described_by(const std::string& scope, const std::string& place) {
  return "define void @f() !dbg !1 {\n  ret void, !dbg !4\n}\n"
         "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!5}\n"
         "!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: FullDebug)\n"
         "!1 = distinct !DISubprogram(name: \"f\", file: !2, unit: !0, spFlags: DISPFlagDefinition)\n"
         "!2 = !DIFile(filename: \"a.cc\", directory: \".\")\n!3 = " +
         scope + "\n!4 = " + place + "\n!5 = !{i32 2, !\"Debug Info Version\", i32 3}\n";
}

TEST(Messages, OfScopesInsideThemselvesComeBeforeLlvmFollowsThem) {
  const std::string inside_itself =
      "bad.ll: error: no valid LLVM IR: a scope of its debug information lies inside itself\n";
  const auto told = [](const std::string& scope, const std::string& place) {
    return compiler::format_diagnostics(compiler::compile_ir(described_by(scope, place), "bad.ll"));
  };
  const std::string block = "distinct !DILexicalBlock(scope: !1, file: !2, line: 1)";
  EXPECT_EQ(told("distinct !DILexicalBlock(scope: !3, file: !2, line: 1)", "!DILocation(line: 1, scope: !3)"),
            inside_itself);
  EXPECT_EQ(told(block, "distinct !DILocation(line: 1, scope: !3, inlinedAt: !4)"), inside_itself);
  const std::string good = told(block, "!DILocation(line: 1, scope: !3)");
  EXPECT_FALSE(good.empty());
  EXPECT_EQ(good.find("no valid LLVM IR"), std::string::npos) << good;
}

}  // namespace
}  // namespace gdr::compiler_testing
