// Integers are those of C++: each operation that reads the upper bits of a word, beside the host's compiler, with
// operands beside 2^15, 2^23, 2^31 and 2^32.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"
#include "gdr/hostlib/device.h"
#include "host_functions.h"

namespace gdr::compiler_testing::integers {
namespace {

// As kHead declares them.
struct Operand {
  int a;
  unsigned u;
  short s;
  unsigned short w;
  signed char c;
  unsigned char h;
  bool t;
  long l;
  unsigned n3 : 3;
  int m5 : 5;
  unsigned q24 : 24;
};
constexpr const char* kHead =
    "#include <gdr/kernel.h>\n#include <bit>\n#include <algorithm>\n#include <cmath>\n#include <cstdint>\n"
    "struct I { int a; unsigned u; short s; unsigned short w; signed char c; unsigned char h; bool t; long l;\n"
    "  unsigned n3 : 3; int m5 : 5; unsigned q24 : 24; };\n"
    "struct J { int b; unsigned v; short z; unsigned short x; signed char d; unsigned char k; bool f; long m;\n"
    "  unsigned o3 : 3; int p5 : 5; unsigned r24 : 24; };\n"
    "struct A { int r; }; struct L { long r; }; struct D { double r; };\n";

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"  // to bit-fields
Operand operand_of(std::int64_t value) {
  Operand made{};
  made.a = static_cast<int>(value);
  made.u = static_cast<unsigned>(value);
  made.s = static_cast<short>(value);
  made.w = static_cast<unsigned short>(value);
  made.c = static_cast<signed char>(value);
  made.h = static_cast<unsigned char>(value);
  made.t = value % 3 != 0;
  made.l = static_cast<int>(value);
  made.n3 = static_cast<unsigned>(value) & 7;
  made.m5 = static_cast<int>(((static_cast<unsigned>(value) & 31) ^ 16) - 16);
  made.q24 = static_cast<unsigned>(value) & 0xffffff;
  return made;
}

#pragma GCC diagnostic pop

std::vector<std::uint64_t> words_of(const Operand& of) {
  const auto word = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  return {word(of.a), word(of.u), word(of.s),  word(of.w),  word(of.c),  word(of.h),
          word(of.t), word(of.l), word(of.n3), word(of.m5), word(of.q24)};
}

constexpr std::array<std::int64_t, 34> kValues{
    0,          1,           -1,          2,          3,          -3,       7,        31,         127,
    128,        -128,        -129,        255,        256,        32767,    32768,    -32768,     -32769,
    65535,      65537,       8388607,     8388609,    -8388609,   16777217, 33554431, 1073741825, 2147483646,
    2147483647, -2147483647, -2147483648, 0x9e3779b9, 0x85ebca6b, 40000,    -1000003};

/// Expressions of the members of i and j: without undefined behaviour for any of kValues.
const std::vector<std::string>& expressions() {
  static const std::vector<std::string> all{
      // conversions
      "static_cast<short>(i.a)", "static_cast<short>(i.u + j.v)", "static_cast<signed char>(i.a)",
      "static_cast<unsigned char>(i.a)", "static_cast<unsigned short>(i.u - j.v)", "static_cast<unsigned short>(i.a)",
      "i.s + j.z", "i.w - j.x", "i.c * 3 + j.d", "i.h + j.k", "i.t + j.f", "i.t && !j.f", "i.t ^ j.f",
      "static_cast<int>(i.u + j.v)", "static_cast<int>(i.u << 20) >> 20", "static_cast<int>(i.u << 4) >> 4",
      // shifts
      "static_cast<int>(i.u >> 3)", "static_cast<int>((i.u + j.v) >> 1)", "static_cast<int>((i.u - j.v) >> 31)",
      "static_cast<int>(i.u - j.v) >> 5", "i.a >> (j.b & 31)", "static_cast<int>(i.u >> (j.v & 31))",
      "static_cast<int>(i.u << (j.v & 31))", "static_cast<int>(~i.u >> 28)", "-static_cast<int>(i.u >> 1)",
      // comparisons
      "i.u < j.v", "i.u + j.v < j.v", "i.u - j.v <= 5u", "i.a < j.b", "static_cast<int>(i.u + j.v) < 0",
      "static_cast<int>(i.u * 3) > j.b", "i.u == static_cast<unsigned>(j.b)", "i.u + j.v == 0",
      "(i.u ^ j.v) == 0xffffffffu", "static_cast<unsigned>(i.a) < 5u", "i.a >= 0 && i.a < 100 ? 1 : 0",
      "static_cast<int>(std::min(i.u, j.v))", "static_cast<int>(std::max(i.u - 1, j.v))", "std::min(i.a, j.b)",
      "static_cast<int>(std::min(i.u + j.v, 9u))", "std::min(std::abs(i.s - j.z), 9)", "std::abs(i.s)", "i.l < j.m",
      "i.a < j.m",
      // products
      "i.s * j.z", "i.c * j.d", "static_cast<int>(i.u * j.v)", "static_cast<int>(i.u * 0x85ebca6bu)",
      "static_cast<int>(i.u * 5u - j.v * 7u)", "i.h * j.k", "static_cast<int>(i.u * i.u + j.v)",
      "static_cast<int>((i.u ^ (i.u >> 16)) * 0xc2b2ae35u >> 8)", "static_cast<int>(i.u * 0xffffu)",
      // checked operations
      "[&] { int r; const bool o = __builtin_add_overflow(i.a, j.b, &r); return r ^ o; }()",
      "[&] { int r; const bool o = __builtin_sub_overflow(i.a, j.b, &r); return r ^ o; }()",
      "[&] { int r; const bool o = __builtin_mul_overflow(i.a, j.b, &r); return r ^ o; }()",
      "[&] { unsigned r; const bool o = __builtin_add_overflow(i.u, j.v, &r); return static_cast<int>(r ^ o); }()",
      "[&] { unsigned r; const bool o = __builtin_sub_overflow(i.u, j.v, &r); return static_cast<int>(r ^ o); }()",
      "[&] { unsigned r; const bool o = __builtin_mul_overflow(i.u, j.v, &r); return static_cast<int>(r ^ o); }()",
      "[&] { short r; const bool o = __builtin_add_overflow(i.s, j.z, &r); return r * 2 + o; }()",
      // quotients
      "i.a / 2", "i.a % 2", "i.a / 7", "i.a % 7", "i.a / -10", "i.a % 10", "static_cast<int>(i.u / 2)", "i.a / 1024",
      "i.a % 1024", "static_cast<int>(i.u / 7)", "static_cast<int>(i.u % 1000003u)",
      "static_cast<int>(i.u / (j.v | 1))", "static_cast<int>(i.u % (j.v | 1))", "i.a / ((j.z | 1) * 4 + 1)",
      "i.a % ((j.z | 1) * 4 + 1)", "i.h / (j.k + 1)", "i.s % (j.k + 1)", "static_cast<int>((i.u + j.v) / 3u)",
      "static_cast<int>(i.l / 2)", "static_cast<int>(i.l % 8)", "static_cast<int>(i.l / 4096 - j.m % 1024)",
      "static_cast<int>(static_cast<unsigned long>(i.l) % 64)",
      // bits
      "std::popcount(i.u)", "std::popcount(i.u ^ j.v)", "std::popcount(i.w)", "std::countl_zero(i.u)",
      "std::countl_zero(i.u - j.v)", "std::countr_zero(i.u)", "std::countr_zero(i.u + j.v)", "std::countl_zero(i.w)",
      "static_cast<int>(std::rotl(i.u, 13))", "static_cast<int>(std::rotr(i.u + j.v, 7))",
      "static_cast<int>(std::rotl(i.u, static_cast<int>(j.v & 31)))",
      "static_cast<int>(std::rotr(i.u, static_cast<int>(j.v & 31)))", "static_cast<int>(__builtin_bswap32(i.u))",
      "static_cast<int>(__builtin_bswap32(i.u + j.v))", "static_cast<int>(i.u & 0xfffffff0u)",
      "static_cast<int>((i.u + j.v) & 0xf0000000u) >> 3", "static_cast<int>(~i.u | j.v)", "i.u & 1 ? i.a : j.b",
      // bit-fields
      "static_cast<int>(i.n3 + j.o3)", "i.m5 + j.p5", "static_cast<int>(i.q24 - j.r24)", "i.m5 < j.p5",
      "i.n3 == j.o3 ? 4 : 2", "static_cast<int>(i.q24 * 3u)"};
  return all;
}

const std::vector<std::string>& numbers() {
  static const std::vector<std::string> all{"static_cast<double>(i.a)",
                                            "static_cast<double>(i.u)",
                                            "static_cast<double>(static_cast<unsigned>(i.a - j.z))",
                                            "static_cast<unsigned>(i.u + j.v)",
                                            "static_cast<double>(i.s) + j.x",
                                            "static_cast<double>(i.u >> 8) * 0x1p-24",
                                            "static_cast<int>(i.a * 1.0)",
                                            "static_cast<int>(i.a * 0.5)",
                                            "static_cast<int>(i.a * -0.25)",
                                            "static_cast<double>(std::lround(i.a * 0.5))",
                                            "static_cast<double>(std::lround(i.s * 0.25f))",
                                            "static_cast<double>(std::lrint(i.a * 0.5))",
                                            "static_cast<double>(std::llrint(i.c * -0.125f))",
                                            "static_cast<double>(static_cast<int>(std::lrint(i.s * 0.5f)) + j.z)",
                                            "static_cast<unsigned>(i.u * 0.5)",
                                            "static_cast<unsigned>(i.u * 1.0)",
                                            "static_cast<int>(i.s * 0.3f)",
                                            "static_cast<short>(i.c * 1.5f)",
                                            "static_cast<double>(i.l) - static_cast<double>(j.m)",
                                            "static_cast<double>(i.t)",
                                            "static_cast<double>(i.n3) / 2",
                                            "static_cast<double>(std::popcount(i.u))"};
  return all;
}

std::string name_of(char kind, std::size_t n) { return fmt::format("{}_{}", kind, n); }

/// One pair at a time: the result of each function is the value of its expression.
class Board {
 public:
  Board(const HostFunctions& host, const std::string& name) {
    compiler::CompileOptions options;
    options.effort = 1;
    options.function = name;
    const compiler::CompileResult compiled = compiler::compile_ir(host.bitcode(), "integers.bc", options);
    EXPECT_TRUE(compiled.diagnostics.empty()) << compiler::format_diagnostics(compiled);
    if (compiled.source.empty()) return;
    const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "integers.vsm");
    EXPECT_TRUE(assembled.program) << assembler::format_diagnostics(assembled) << compiled.source;
    if (!assembled.program) return;
    device_.load(*assembled.program);
    ready_ = true;
  }

  [[nodiscard]] bool is_ready() const { return ready_; }

  std::vector<std::uint64_t> run(const std::vector<std::uint64_t>& i, const Operand& j) {
    device_.write_j(0, words_of(j));
    return device_.run(i, 1);
  }

 private:
  Device device_;
  bool ready_ = false;
};

template <class Result>
void check(const HostFunctions& host, char kind, std::size_t n, const std::string& expression) {
  SCOPED_TRACE(expression);
  struct F {
    Result r;
  };
  using Pair = void (*)(const Operand&, const Operand&, F&);
  const std::string name = name_of(kind, n);
  const auto pair = *static_cast<Pair*>(host.symbol("host_" + name));
  Board board(host, name);
  if (!board.is_ready()) return;
  std::vector<std::uint64_t> i;
  for (const std::int64_t value : kValues) {
    const auto words = words_of(operand_of(value));
    i.insert(i.end(), words.begin(), words.end());
  }
  int wrong = 0;
  for (const std::int64_t value : kValues) {
    const Operand j = operand_of(value);
    const auto got = board.run(i, j);
    for (std::size_t at = 0; at < kValues.size() && wrong < 3; ++at) {
      F expected{};
      pair(operand_of(kValues[at]), j, expected);
      Result result{};
      if constexpr (std::is_floating_point_v<Result>) {
        result = std::bit_cast<double>(got[at]);
      } else {
        result = static_cast<Result>(got[at]);
      }
      EXPECT_EQ(result, expected.r) << "of " << kValues[at] << " and " << value;
      wrong += result == expected.r ? 0 : 1;
    }
  }
}

std::string source_of(char kind, const char* result, const std::vector<std::string>& all) {
  std::string source;
  for (std::size_t n = 0; n < all.size(); ++n) {
    const std::string name = name_of(kind, n);
    source += fmt::format(
        "void {0}(const I& i, const J& j, {1}& f) {{ f.r += {2}; }}\n"
        "using Pair_{0} = void (*)(const I&, const J&, {1}&);\nextern \"C\" Pair_{0} host_{0};\nPair_{0} host_{0} = "
        "{0};\n",
        name, result, all[n]);
  }
  return source;
}

TEST(Integers, HaveInShortWordsTheBitsOfTheHost) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const HostFunctions host(kHead + source_of('a', "A", expressions()), HostCompiler::plain);
  for (std::size_t n = 0; n < expressions().size(); ++n) check<int>(host, 'a', n, expressions()[n]);
}

TEST(Integers, HaveInLongWordsTheBitsOfTheHost) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const HostFunctions host(kHead + source_of('l', "L", expressions()), HostCompiler::plain);
  for (std::size_t n = 0; n < expressions().size(); ++n) check<long>(host, 'l', n, expressions()[n]);
}

TEST(Integers, BecomeNumbersAndBack) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const HostFunctions host(kHead + source_of('d', "D", numbers()), HostCompiler::plain);
  for (std::size_t n = 0; n < numbers().size(); ++n) check<double>(host, 'd', n, numbers()[n]);
}

}  // namespace
}  // namespace gdr::compiler_testing::integers
