// Kernels in LSUMP's language: the bits of the same kernels in C++, and messages at their places.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <ostream>
#include <random>

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"
#include "gdr/hostlib/device.h"
#include "gdr/hostlib/experiments.h"
#include "host_functions.h"

namespace gdr::compiler_testing {
namespace {

struct Same {
  const char* name;
  const char* cplusplus;
  const char* lsump;
};

void PrintTo(const Same& one, std::ostream* out) { *out << one.name; }

/// Loads the kernel and gives all its parameters this value. False if it does not compile.
bool load(Device& device, const compiler::CompileResult& compiled, double parameters) {
  EXPECT_TRUE(compiled.diagnostics.empty()) << compiler::format_diagnostics(compiled);
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "kernel.vsm");
  if (!assembled.program) {
    ADD_FAILURE() << assembler::format_diagnostics(assembled);
    return false;
  }
  device.load(*assembled.program);
  for (const isa::Parameter& parameter : assembled.program->parameters) {
    device.set_parameter(parameter.name, parameters);
  }
  return true;
}

std::vector<std::uint64_t> run(const compiler::CompileResult& compiled) {
  Device device;
  if (!load(device, compiled, 0.375)) return {};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> number(0.125, 1);
  const auto records = [&](std::size_t count, std::size_t width) {
    std::vector<std::uint64_t> fields(count * width);
    for (std::uint64_t& field : fields) field = std::bit_cast<std::uint64_t>(number(random));
    return fields;
  };
  device.write_j(0, records(70, device.fields(isa::Transfer::elt)));
  return device.run(records(40, device.fields(isa::Transfer::hlt)), 70);
}

class Lsump : public testing::TestWithParam<Same> {};

TEST_P(Lsump, HasTheBitsOfCplusplus) {
  compiler::CompileOptions options;
  options.effort = 1;
  const std::string source = std::string("#include <gdr/kernel.h>\n") + GetParam().cplusplus;
  const compiler::CompileResult expected = compiler::compile_ir(llvm_code(source, false), "same.bc", options);
  const compiler::CompileResult got = compiler::compile_lsump(GetParam().lsump, "same.lsump", options);
  const auto words = run(expected);
  EXPECT_FALSE(words.empty());
  EXPECT_EQ(run(got), words);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Lsump,
    testing::Values(
        Same{"Gravity",
             "struct I { double x[3], eps2; }; struct J { double x[3]; float m; }; struct F { double a[3], pot; };\n"
             "void same(const I& i, const J& j, F& f) {\n  float d[3]; double r2 = i.eps2;\n"
             "  for (int k = 0; k < 3; ++k) { d[k] = j.x[k] - i.x[k]; r2 += double(d[k]) * d[k]; }\n"
             "  const float y = gdr::rsqrt(r2); const double my = double(y) * j.m; const float my3 = my * (y * y);\n"
             "  f.pot -= my; for (int k = 0; k < 3; ++k) f.a[k] += double(my3) * d[k];\n}\n",
             "# as SC '07 writes it\n/VARI xi, yi, zi, eps2;\n/VARJ xj, yj, zj\n/VARJ short mj;\n/VARF ax, ay, az, "
             "pot;\n"
             "dx = xj - xi; dy = yj - yi; dz = zj - zi;\n"
             "long r2 = eps2 + long(dx) * dx + long(dy) * dy + long(dz) * dz;\ny = rsqrt(short(r2));\n"
             "long my = long(y) * mj;\nmy3 = my * (y * y);\npot -= my;\n"
             "ax += long(my3) * dx; ay += long(my3) * dy; az += long(my3) * dz;\n"},
        Same{"ArraysAndParameters",
             "struct I { float x[2]; }; struct J { float y[2]; }; struct F { float s[2]; double t; };\n"
             "struct P { float g, h; };\n"
             "void same(const I& i, const J& j, F& f, const P& p) {\n"
             "  const float a = i.x[0] * j.y[1] - i.x[1] * j.y[0] / p.g;\n"
             "  f.s[0] += a * 1.5f; f.s[1] -= std::sqrt(std::fabs(a)) + p.h; f.t += double(a) * a;\n}\n",
             "VARI short x[2]; VARJ short y[2]; VARF short s[2]; VARF t; VARC short g, h; VARC k = 1.5;\n"
             "a = x[0] * y[1] - x[1] * y[0] / g; // the determinant, nearly\n"
             "s[0] += a * k; s[1] -= sqrt(abs(a)) + h; t += long(a) * a;\n"},
        Same{"Choices",
             "struct I { double x; }; struct J { double y; float m; }; struct F { double s, low, high; };\n"
             "void same(const I& i, const J& j, F& f) {\n  const float d = j.y - i.x;\n"
             "  if (d > 0 && !(d >= 0.5f || j.m == 1)) f.s += j.m;\n"
             "  const float e = d < 0.25f ? std::exp(d) : -j.m;\n"
             "  f.low = std::fmin(f.low, e); f.high = std::fmax(f.high, double(e));\n}\n",
             "VARI x; VARJ y; VARJ short m; VARF s, low, high;\nd = y - x;\n"
             "s += d > 0 && !(d >= 0.5 || m == 1) ? m : 0;\ne = d < 0.25 ? exp(d) : -m;\n"
             "low = min(low, e); /* the least */ high = max(high, e);\n"},
        Same{"ChoicesOfLiterals",  // which fill a long word
             "struct I { double x; }; struct J { double y; }; struct F { double s, t, u, v, w; };\n"
             "void same(const I& i, const J& j, F& f) {\n  const bool a = i.x < j.y;\n"
             "  if (a) f.s += 2147483647;\n  f.t -= a ? 0.1 : 0.3;\n"
             "  const double u = i.x + (a ? 0.7 : 2);\n  f.u += u * -(a ? 0.1 : 1);\n"
             "  f.v += (a ? 0.1 : 0.3) * i.x;\n  f.w += a ? 0.1 : i.x < 0.5 ? 4 : 3;\n}\n",
             "VARI x; VARJ y; VARF s, t, u, v, w;\ns += x < y ? 2147483647 : 0;\nt -= x < y ? 0.1 : 0.3;\n"
             "long sum = x + (x < y ? 0.7 : 2);\nu += sum * -(x < y ? 0.1 : 1);\n"
             "v += (x < y ? 0.1 : 0.3) * x;\nw += x < y ? 0.1 : (x < 0.5 ? 4 : 3);\n"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(LsumpKernels, AreNamedAfterTheirFile) {
  const compiler::CompileResult result =
      compiler::compile_lsump("VARI x; VARJ y; VARF f; f += x * y;", "some/dot-product.lsump");
  EXPECT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
  EXPECT_EQ(result.kernel, "dot_product");
}

TEST(LsumpKernels, MayBeginWithAByteOrderMark) {
  const std::string text = "VARI x; VARJ y; VARF f;\nf += x * y;";
  const compiler::CompileResult plain = compiler::compile_lsump(text, "k.lsump");
  const compiler::CompileResult marked = compiler::compile_lsump("\xEF\xBB\xBF" + text, "k.lsump");
  EXPECT_TRUE(marked.diagnostics.empty()) << compiler::format_diagnostics(marked);
  EXPECT_EQ(marked.source, plain.source);
}

TEST(LsumpKernels, SayNothingThatFollowsFromARefusedValue) {
  const compiler::CompileResult result = compiler::compile_lsump(
      "VARI x; VARJ y; VARF f;\nv = 2 < 3 ? x : y;\nw = v + 1;\nf += w * v;\nf += z;", "k.lsump");
  EXPECT_EQ(compiler::format_diagnostics(result),
            "k.lsump:2:5: error: two constants are compared\n"
            "k.lsump:5:6: error: 'z' is not declared, and no value was given to it\n");
}

TEST(LsumpKernels, RaiseToMinusThreeHalves) {
  compiler::CompileOptions options;
  options.effort = 1;
  const auto of = [&](const char* value) {
    return run(
        compiler::compile_lsump(std::string("VARI short x; VARJ y; VARF f; f += ") + value + ";", "k.lsump", options));
  };
  EXPECT_EQ(of("powm32(x)"), of("rsqrt(x) * rsqrt(x) * rsqrt(x)"));
}

struct SameExperiment {
  const char* cplusplus =
      "struct Start { double a; float b[2]; }; struct State { double x; float y[2], n; };\n"
      "struct Result { double r; float s; }; struct P { double most; };\n"
      "void begin(const Start& i, State& s) { s.x = i.a; s.y[0] = i.b[1]; s.y[1] = i.b[0]; s.n = 0; }\n"
      "void step(State& s) {\n  const float old = s.y[0];\n  s.y[0] = s.y[1]; s.y[1] = old;\n"
      "  s.x += double(s.y[0]) * s.y[1]; s.n += 1; if (s.n > 2) s.x -= old;\n}\n"
      "bool done(const State& s, const P& p) { return s.x > p.most || s.n >= 30; }\n"
      "void end(const State& s, Result& f) { f.r = s.x; f.s = s.y[0] + s.n; }\n";
  const char* lsump =
      "VARI a; VARI short b[2]; VARS x; VARS short y[2], n; VARF r; VARF short s; VARC most;\n"
      "/BEGIN; x = a; y[0] = b[1]; y[1] = b[0]; n = 0;\n"
      "/STEP; old = y[0]; y[0] = y[1]; y[1] = old; x += long(y[0]) * y[1]; n += 1; x -= n > 2 ? old : 0;\n"
      "/DONE x > most || n >= 30;\n/END; r = x; s = y[0] + n;\n";
};

hostlib::ExperimentResults run_experiments(const compiler::CompileResult& compiled) {
  Device device;
  if (!load(device, compiled, 3)) return {};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> number(0.125, 1);
  std::vector<std::uint64_t> starts(3 * 50);
  for (std::uint64_t& field : starts) field = std::bit_cast<std::uint64_t>(number(random));
  return hostlib::run_experiments(device, starts, {.most_steps = 40, .round_steps = 10});
}

TEST(LsumpExperiments, HaveTheBitsOfCplusplus) {
  compiler::CompileOptions options;
  options.effort = 1;
  const std::string source = std::string("#include <gdr/kernel.h>\n") + SameExperiment{}.cplusplus;
  const hostlib::ExperimentResults expected =
      run_experiments(compiler::compile_ir(llvm_code(source, false), "same.bc", options));
  const hostlib::ExperimentResults got =
      run_experiments(compiler::compile_lsump(SameExperiment{}.lsump, "same.lsump", options));
  EXPECT_EQ(expected.unfinished(), 0U);
  EXPECT_FALSE(expected.fields.empty());
  EXPECT_EQ(got.fields, expected.fields);
  EXPECT_EQ(got.steps, expected.steps);
}

// A condition that nothing can fulfil is a condition: the experiments are not done after the most steps.
TEST(LsumpExperiments, AreNotDoneByAConditionThatIsNeverTrue) {
  compiler::CompileOptions options;
  options.effort = 1;
  const std::string begin = "#include <gdr/kernel.h>\n" + std::string(SameExperiment{}.cplusplus);
  const std::size_t condition = begin.find("return s.x > p.most");
  ASSERT_NE(condition, std::string::npos);
  for (const char* never : {"return false;", "return (int(s.n) & 1) > 1;"}) {
    std::string source = begin;
    source.replace(condition, source.find(';', condition) + 1 - condition, never);
    const hostlib::ExperimentResults got =
        run_experiments(compiler::compile_ir(llvm_code(source, false), "never.bc", options));
    EXPECT_FALSE(got.steps.empty()) << never;
    EXPECT_EQ(got.unfinished(), got.steps.size()) << never;
    EXPECT_EQ(std::count(got.steps.begin(), got.steps.end(), 40U), std::ptrdiff_t(got.steps.size())) << never;
  }
}

struct RefusedText {
  const char* name;
  const char* text;
  unsigned line;
  unsigned column;
  const char* message;
};

void PrintTo(const RefusedText& one, std::ostream* out) { *out << one.name; }

class LsumpMessages : public testing::TestWithParam<RefusedText> {};

TEST_P(LsumpMessages, NameThePlace) {
  const compiler::CompileResult result = compiler::compile_lsump(GetParam().text, "wrong.lsump");
  EXPECT_EQ(result.source, "");
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].message, GetParam().message);
  EXPECT_EQ(result.diagnostics[0].line, GetParam().line);
  EXPECT_EQ(result.diagnostics[0].column, GetParam().column);
}

INSTANTIATE_TEST_SUITE_P(
    Sources, LsumpMessages,
    testing::Values(
        RefusedText{"NoSemicolon", "VARI x; VARF f;\nf += x\nf += 1;", 3, 1, "';' is expected"},
        RefusedText{"NoParenthesis", "VARI x; VARF f; f += (x;", 1, 24, "')' is expected"},
        RefusedText{"NoExpression", "VARI x; VARF f; f += ;", 1, 22, "an expression is expected"},
        RefusedText{"NoName", "VARI 3;", 1, 6, "a name is expected"},
        RefusedText{"NoStatement", "VARI x; + 3;", 1, 9, "a statement is expected"},
        RefusedText{"Unknown", "VARI x; VARF f;\nf += x * y;", 2, 10,
                    "'y' is not declared, and no value was given to it"},
        RefusedText{"UnknownFunction", "VARI x; VARF f; f += tan(x);", 1, 22,
                    "function 'tan' is not known; known are sqrt, rsqrt, reciprocal, powm32, power_m12, power_m32, "
                    "exp, exp2, log, log2, sin, cos, "
                    "abs, rint, min, max, fmin, fmax, fabs, copysign, long and short"},
        RefusedText{"Arguments", "VARI x; VARF f; f += min(x);", 1, 22, "'min' takes 2 arguments, not 1"},
        RefusedText{"Twice", "VARI x; VARJ x; VARF f;", 1, 14, "'x' is declared twice"},
        RefusedText{"DataWritten", "VARI x; VARF f; x = 3;", 1, 17,
                    "'x' is data: results are declared by VARF, and other names are variables"},
        RefusedText{"ResultAssigned", "VARI x; VARF f; f = x;", 1, 17,
                    "a result must be accumulated: f += ..., f -= ..., f = min(f, ...) or max(f, ...)"},
        RefusedText{"NothingDone", "VARI x; VARF f; a = x;", 1, 1,
                    "no result is changed: results are declared by VARF"},
        RefusedText{"TruthAsNumber", "VARI x; VARF f; f += x < 1;", 1, 22,
                    "a condition stands where a number is expected: choose by condition ? a : b"},
        RefusedText{"NumberAsTruth", "VARI x; VARF f; f += x ? 1 : 2;", 1, 22,
                    "a condition is expected here: a comparison, or several with &&, || and !"},
        RefusedText{"IndexOutside", "VARI x[3]; VARF f; f += x[3];", 1, 25, "index 3 of 'x' is outside 0..2"},
        RefusedText{"IndexMissing", "VARI x[3]; VARF f; f += x;", 1, 25, "'x' has 3 elements: name one, as x[0]"},
        RefusedText{"NoArray", "VARI x; VARF f; f += x[0];", 1, 22, "'x' is no array"},
        RefusedText{"ValueOfData", "VARI x = 3; VARF f;", 1, 6, "'x' has a value: constants are declared by VARC"},
        RefusedText{"WidthTwice", "VARI x; VARF f; long a = x; short a = x; f += a;", 1, 29,
                    "'a' has its width already"},
        RefusedText{"NoValueYet", "VARI x; VARF f; a += x;", 1, 17,
                    "'a' has no value yet; results are declared by VARF"},
        RefusedText{"SectionOfNoKind", "VARI a; VARS x; VARF r;\n/END r = x;", 2, 1,
                    "/END stands here: sections are /BEGIN, /STEP and /END in this order"},
        RefusedText{"NoSections", "VARI a; VARS x; VARF r;", 1, 1,
                    "experiments have sections /BEGIN, /STEP and /END in this order"},
        RefusedText{"BeforeSections", "VARI a; VARS x; VARF r; b = 1; /BEGIN x = a; /STEP x += 1; /END r = x;", 1, 25,
                    "a statement stands before /BEGIN, the first section of an experiment"},
        RefusedText{"JOfExperiment", "VARJ b; VARI a; VARS x; VARF r; /BEGIN x = a; /STEP x += 1; /END r = x;", 1, 1,
                    "experiments have no j-data: VARI declares starts, VARS the state, VARF results"},
        RefusedText{"StartReadInStep", "VARI a; VARS x; VARF r; /BEGIN x = a;\n/STEP x += a; /END r = x;", 2, 12,
                    "'a' is a start: only /BEGIN reads it"},
        RefusedText{"ResultReadInStep", "VARI a; VARS x; VARF r; /BEGIN x = a;\n/STEP x += r; /END r = x;", 2, 12,
                    "'r' is a result and has no value here"},
        RefusedText{"ResultAddedToNothing", "VARI a; VARS x; VARF r; /BEGIN x = a;\n/STEP x += 1; /END r += x;", 2, 20,
                    "'r' is a result and has no value here"},
        RefusedText{"StateInEnd", "VARI a; VARS x; VARF r; /BEGIN x = a;\n/STEP x += 1; /END x = 1; r = x;", 2, 20,
                    "'x' cannot be assigned to here: /BEGIN and /STEP change the state, /END makes results"},
        RefusedText{"VariableOfOtherSection", "VARI a; VARS x; VARF r; /BEGIN b = a; x = b;\n/STEP x += b; /END r = x;",
                    2, 12, "'b' is not declared, and no value was given to it"},
        RefusedText{"DoneInBegin", "VARI a; VARS x; VARF r; /BEGIN x = a; /DONE x < 1; /STEP x += 1; /END r = x;", 1,
                    39, "the condition by which an experiment is done stands once, in section /STEP"},
        RefusedText{"DoneIsNumber", "VARI a; VARS x; VARF r; /BEGIN x = a;\n/STEP x += 1; /DONE x; /END r = x;", 2, 21,
                    "a condition is expected here: a comparison, or several with &&, || and !"},
        RefusedText{"StateWithoutValue", "VARI a; VARS x, y; VARF r;\n/BEGIN x = a;\n/STEP x += y; /END r = x;", 3, 12,
                    "'y' of the state is read, but 'begin' gives it no value"},
        RefusedText{"ReservedMember",
                    "VARI a; VARS long long; VARF r;\n/BEGIN long = a; /STEP long += 1; /END r = long;", 1, 19,
                    "'long' is a reserved word of LSUMP's language: a variable needs another name"},
        RefusedText{"ReservedVariable", "VARI x; VARF f;\nVARS = x; f += x;", 2, 1,
                    "'VARS' is a reserved word of LSUMP's language: a variable needs another name"},
        RefusedText{"ForeignLetter", "VARI x; VARF f;\n\xc3\xa4 = x; f += x;", 2, 1,
                    "a name has letters a to z and A to Z, digits and underlines"},
        RefusedText{"StepsAsResult", "VARI a; VARS x; VARF steps; /BEGIN x = a; /STEP x += 1;\n/END steps = x;", 2, 1,
                    "'steps' is a column of every experiment's results: give this result another name"},
        RefusedText{"NoFiniteNumber", "VARI x; VARF f; f += x * (1 / 0);", 1, 27, "the constant is no finite number"}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace gdr::compiler_testing
