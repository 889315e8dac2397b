// Records whose members have any names, or meet in any way: what comes out assembles and computes the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <ostream>

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"
#include "gdr/hostlib/device.h"
#include "host_functions.h"

namespace gdr::compiler_testing {
namespace {

using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Record {
  const char* name;
  const char* source;
  std::vector<double> i;
  std::vector<double> j;
  std::vector<double> results;
  std::size_t records = 1;  // of j
};

void PrintTo(const Record& one, std::ostream* out) { *out << one.name; }

class Records : public testing::TestWithParam<Record> {};

std::vector<std::uint64_t> words(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> made;
  for (const double number : numbers) made.push_back(std::bit_cast<std::uint64_t>(number));
  return made;
}

TEST_P(Records, AssembleAndComputeTheSame) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  compiler::CompileOptions options;
  options.effort = 1;
  const compiler::CompileResult compiled = compiler::compile_ir(llvm_code(GetParam().source, false), "one.bc", options);
  ASSERT_TRUE(compiled.diagnostics.empty()) << compiler::format_diagnostics(compiled);
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "one.vsm");
  ASSERT_EQ(assembler::format_diagnostics(assembled), "") << compiled.source;
  Device device;
  device.load(*assembled.program);
  device.write_j(0, words(GetParam().j));
  EXPECT_EQ(device.run(words(GetParam().i), GetParam().records), words(GetParam().results)) << compiled.source;
}

#define COMPARES                                                                       \
  "struct F { double a, b, c, d, e, g, h; };\n"                                        \
  "void f(const I& i, const J& j, F& f) {\n"                                           \
  "  f.a += j.y == INFINITY ? 1 : 0;\n  f.b += j.y != INFINITY ? 1 : 0;\n"             \
  "  f.c += std::isinf(j.y) ? 1 : 0;\n  f.d += std::isfinite(j.y) ? 1 : 0;\n"          \
  "  f.e += std::fabs(j.y) == HUGE_VAL ? 1 : 0;\n  f.g += -j.y == INFINITY ? 1 : 0;\n" \
  "  f.h += j.y == -INFINITY && i.x < 9 ? 1 : 0;\n}\n"

Record compares_with_infinities(const char* name, const char* source) {
  return {name, source, {8}, {kInfinity, -kInfinity, 0, 1.5, -kInfinity, 1e300}, {1, 5, 3, 3, 3, 2, 2}, 6};
}

INSTANTIATE_TEST_SUITE_P(
    Sources, Records,
    testing::Values(
        Record{"MemberOfStructureAndMemberOfItsName",
               "struct V { double x; };\nstruct I { V at; double at_x; };\nstruct J { double m; };\n"
               "struct F { double sum; };\nvoid f(const I& i, const J& j, F& f) { f.sum += i.at.x - i.at_x + j.m; }\n",
               {8, 3},
               {1},
               {6}},
        compares_with_infinities("ComparesWithInfinitiesOfDoubles",
                                 "#include <cmath>\nstruct I { double x; };\nstruct J { double y; };\n" COMPARES),
        compares_with_infinities("ComparesWithInfinitiesOfFloats",
                                 "#include <cmath>\nstruct I { float x; };\nstruct J { float y; };\n" COMPARES),
        Record{"NameMadeOfAnothersName",
               "struct I { double x; };\nstruct J { double x; double xi; };\nstruct F { double sum; };\n"
               "void f(const I& i, const J& j, F& f) { f.sum += i.x - j.x + j.xi; }\n",
               {8},
               {3, 1},
               {6}},
        Record{"NameMadeForTheVectorOfAnArray",
               "struct I { double m; };\nstruct J { double x[3]; double x_xyz; };\nstruct F { double sum[3]; };\n"
               "void f(const I& i, const J& j, F& f) {\n"
               "  for (int k = 0; k < 3; ++k) f.sum[k] += (j.x[k] + j.x[k]) * i.m + j.x_xyz;\n}\n",
               {2},
               {1, 2, 3, 5},
               {9, 13, 17}},
        Record{"LettersOfOtherAlphabets",
               "struct I { double größe; };\nstruct J { double grüße; };\nstruct F { double summe; };\n"
               "void größte(const I& i, const J& j, F& f) { const double länge = i.größe * 2; f.summe += länge - "
               "j.grüße; }\n",
               {8},
               {3},
               {13}},
        Record{"WordsOfTheLanguage",
               "struct I { double vlen; double elt; };\nstruct J { double fadd; double vector; };\n"
               "struct F { double loop; };\n"
               "void umin(const I& i, const J& j, F& f) { f.loop += i.vlen - i.elt + j.fadd - j.vector; }\n",
               {8, 1},
               {3, 4},
               {6}},
        Record{"ArrayTimesANumberOfTheSameRecord",
               "struct I { double m; };\nstruct J { float x[3]; float m; };\nstruct F { double sum[3]; };\n"
               "void f(const I& i, const J& j, F& f) {\n"
               "  for (int k = 0; k < 3; ++k) { const float p = j.x[k] * j.m; f.sum[k] += i.m * p; }\n}\n",
               {2},
               {1, 2, 3, 5},
               {10, 20, 30}},
        Record{
            "ArrayTimesAnElementOfAnotherOne",
            "struct I { double m; };\nstruct J { float x[3]; float w[3]; float end; };\nstruct F { double sum[3]; };\n"
            "void f(const I& i, const J& j, F& f) {\n"
            "  for (int k = 0; k < 3; ++k) { const float p = j.x[k] * j.w[0]; f.sum[k] += i.m * p; }\n}\n",
            {2},
            {1, 2, 3, 5, 100, 1000, 0},
            {10, 20, 30}},
        Record{"LongArrayTimesArray",
               "struct I { double m; };\nstruct J { double x[3]; double w[3]; double last; };\n"
               "struct F { double sum[3]; };\nvoid f(const I& i, const J& j, F& f) {\n"
               "  for (int k = 0; k < 3; ++k) { const float p = j.x[k] - j.w[k]; f.sum[k] += i.m * p; }\n"
               "  f.sum[0] += j.last;\n}\n",
               {2},
               {1, 2, 3, 5, 7, 11, 0},
               {-8, -10, -16}},
        Record{
            "ArrayTimesArray",
            "struct I { double m; };\nstruct J { float x[3]; float w[3]; float end; };\nstruct F { double sum[3]; };\n"
            "void f(const I& i, const J& j, F& f) {\n"
            "  for (int k = 0; k < 3; ++k) { const float p = j.x[k] * j.w[k]; f.sum[k] += i.m * p; }\n}\n",
            {2},
            {1, 2, 3, 5, 7, 11, 0},
            {10, 28, 66}}),
    [](const auto& one) { return std::string(one.param.name); });

/// The first message about a function with an array of three results whose body is this; the program if there is none.
std::string with_array(const std::string& type, const std::string& body) {
  const std::string source = "#include <cmath>\nstruct I { " + type + " a; };\nstruct J { " + type +
                             " b; };\nstruct F { " + type + " n[3]; };\nvoid f(const I& i, const J& j, F& f) { " +
                             body + " }\n";
  const compiler::CompileResult compiled = compiler::compile_ir(llvm_code(source, false), "array.bc");
  return compiled.diagnostics.empty() ? compiled.source : compiled.diagnostics.front().message;
}

TEST(StandardArrays, KeepTheNamesOfTheirMembers) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const compiler::CompileResult compiled = compiler::compile_ir(
      llvm_code("#include <array>\nstruct I { std::array<double, 2> x; std::array<std::array<float, 2>, 2> m; };\n"
                "struct J { std::array<double, 2> x; };\nstruct F { std::array<double, 2> f; };\n"
                "void k(const I& i, const J& j, F& f) {\n"
                "  for (int c = 0; c < 2; ++c) f.f[c] += (i.x[c] - j.x[c]) * i.m[c][1] + i.m[c][0];\n}\n",
                false),
      "one.bc");
  ASSERT_TRUE(compiled.diagnostics.empty()) << compiler::format_diagnostics(compiled);
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "one.vsm");
  ASSERT_EQ(assembler::format_diagnostics(assembled), "") << compiled.source;
  for (const char* declared : {" xi[2] hlt", " m[4] hlt", " xj[2] elt", " f[2] rrn"})
    EXPECT_THAT(compiled.source, HasSubstr(declared));
  Device device;
  device.load(*assembled.program);
  device.write_j(0, words({1, 2}));
  EXPECT_EQ(device.run(words({3, 5, 0.5, 2, 0.25, 4}), 1), words({4.5, 12.25}));
}

TEST(ArraysOfResults, HaveOneReduction) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  EXPECT_THAT(
      with_array("int", "f.n[0] += i.a + j.b; f.n[1] |= j.b;"),
      HasSubstr("an array of results has one reduction: n[0] is reduced by uadd, n[1] by uor; give them members"));
  EXPECT_THAT(with_array("double", "f.n[0] += i.a + j.b; f.n[1] = std::fmax(f.n[1], j.b);"), HasSubstr("n[1] by fmax"));
  EXPECT_THAT(with_array("double", "f.n[2] = std::fmax(f.n[2], i.a + j.b);"),
              HasSubstr("n[2] is reduced by fmax, n[0] is changed by no path"));
  EXPECT_THAT(with_array("int", "f.n[1] |= i.a + j.b; f.n[2] &= j.b;"), HasSubstr("n[2] by uand"));
}

TEST(ArraysOfResults, WithWordsThatNothingChangesAreReducedAsTheOthers) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  EXPECT_THAT(with_array("int", "f.n[1] |= i.a + j.b;"), HasSubstr("to64 uor  #"));
  EXPECT_THAT(with_array("int", "f.n[2] += i.a + j.b;"), HasSubstr("to64 uadd  #"));
  EXPECT_THAT(with_array("double", "f.n[2] -= i.a + j.b;"), HasSubstr("to64 fadd  #"));
  EXPECT_THAT(with_array("double", "for (int k = 0; k < 3; ++k) f.n[k] = std::fmin(f.n[k], i.a + k * j.b);"),
              HasSubstr("to64 fmin\n"));
}

TEST(MembersOfShortTypes, AreDeclaredWithTheIntegersOfTheirTypes) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const compiler::CompileResult compiled = compiler::compile_ir(
      llvm_code("struct I { short s; bool t; long l; unsigned long m; int n[2]; };\n"
                "struct J { unsigned char c; unsigned u; int b : 5; unsigned w : 3; };\n"
                "struct P { unsigned short h; float r; };\nstruct F { long sum; };\n"
                "void f(const I& i, const J& j, F& f, const P& p) {\n"
                "  f.sum += i.s + i.t + i.l + i.m + i.n[0] + i.n[1] + j.c + j.u + j.b + j.w + p.h + (int)p.r;\n}\n",
                false),
      "short.bc");
  ASSERT_TRUE(compiled.diagnostics.empty()) << compiler::format_diagnostics(compiled);
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "short.vsm");
  ASSERT_EQ(assembler::format_diagnostics(assembled), "") << compiled.source;
  std::string integers;
  for (const isa::Variable& variable : assembled.program->variables) {
    if (variable.transfer != isa::Transfer::none) integers += variable.name + " " + name_of(variable.integer) + "\n";
  }
  for (const isa::Parameter& one : assembled.program->parameters)
    integers += one.name + " " + name_of(one.integer) + "\n";
  EXPECT_EQ(integers,
            "s int16\nt uint1\nl int64\nm uint63\nn int32\nc uint8\nu uint32\nb int5\nw uint3\nsum int64\nh uint16\nr "
            "int64\n")
      << compiled.source;
}

TEST(BitsOfShorterResults, AreThoseOfTheirTypes) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const compiler::CompileResult compiled = compiler::compile_ir(
      llvm_code("struct I { int a; };\nstruct J { int b; };\n"
                "struct F { unsigned char c; short s; signed char z; unsigned short w; unsigned u; };\n"
                "void f(const I& i, const J& j, F& f) {\n  f.c |= i.a * j.b;\n  f.s ^= i.a * j.b;\n"
                "  f.z ^= i.a * j.b;\n  f.w &= i.a * j.b;\n  f.u |= i.a * j.b;\n}\n",
                false),
      "bits.bc");
  ASSERT_TRUE(compiled.diagnostics.empty()) << compiler::format_diagnostics(compiled);
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "bits.vsm");
  ASSERT_EQ(assembler::format_diagnostics(assembled), "") << compiled.source;
  Device device;
  device.load(*assembled.program);
  for (const std::int64_t a : {70000, -300, 127, -70001}) {
    device.write_j(0, std::vector<std::uint64_t>{1});
    const std::vector<std::uint64_t> expected{static_cast<unsigned char>(a),
                                              static_cast<std::uint64_t>(static_cast<short>(a)),
                                              static_cast<std::uint64_t>(static_cast<signed char>(a)),
                                              static_cast<unsigned short>(a), static_cast<unsigned>(a)};
    EXPECT_EQ(device.run(std::vector<std::uint64_t>{static_cast<std::uint64_t>(a)}, 1), expected) << a;
  }
}

}  // namespace
}  // namespace gdr::compiler_testing
