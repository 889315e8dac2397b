#include "pair_bodies.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <string_view>

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"
#include "gdr/hostlib/device.h"
#include "host_functions.h"

namespace gdr::compiler_testing {

const char* const kPairRecords =
    "#include <gdr/kernel.h>\n#include <algorithm>\n#include <array>\n#include <cmath>\n#include <iterator>\n"
    "#include <numeric>\n#include <optional>\n#include <utility>\nstruct Three { int a, b, c; };\n"
    "struct I { float x[3]; int n; unsigned u; Three t; };\n"
    "struct J { float y[3]; int k, l; unsigned v; Three t; };\n"
    "struct F { double s; int c; unsigned most; short least; };\nusing Pair = void (*)(const I&, const J&, F&);\n"
    "static constexpr float edges[16] = {-4, -3, -2.5, -2, -1, 0, 0.5, 1, 1.5, 2, 2.5, 2.75, 3, 3.25, 3.5, 4};\n"
    "static constexpr int counts[4] = {1, 2, 4, 6};\n";

std::string pair_source(const PairBody& body) {
  return fmt::format(
      "void {0}(const I& i, const J& j, F& f) {{\n{1}\n}}\nextern \"C\" Pair host_{0};\nPair host_{0} = {0};\n",
      body.name, body.text);
}

namespace {

constexpr std::size_t kI = 12;
constexpr std::size_t kJ = 40;
constexpr std::size_t kResults = 4;

// As kPairRecords declares them. Sums of quarters are exact.
struct Three {
  int a, b, c;
};
struct I {
  float x[3];
  int n;
  unsigned u;
  Three t;
};
struct J {
  float y[3];
  int k, l;
  unsigned v;
  Three t;
};
struct F {
  double s = 0;
  int c = 0;
  unsigned most = 0;
  short least = 0x7fff;
};
using Pair = void (*)(const I&, const J&, F&);

struct Data {
  std::vector<I> i;
  std::vector<J> j;

  Data() {
    std::mt19937_64 random(1);
    const auto quarter = [&] { return 0.25F * static_cast<float>(std::uniform_int_distribution(-16, 16)(random)); };
    const auto whole = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
    const auto natural = [&](int high) { return static_cast<unsigned>(whole(0, high)); };
    for (std::size_t n = 0; n < kI; ++n)
      i.push_back({{quarter(), quarter(), quarter()}, whole(-9, 9), natural(100), {}});
    for (std::size_t n = 0; n < kJ; ++n)
      j.push_back({{quarter(), quarter(), quarter()}, whole(-9, 9), whole(-3, 12), natural(100), {}});
    for (I& one : i) one.t = {whole(-9, 9), whole(-1 << 20, 1 << 20), whole(0, 5)};
    for (J& one : j) one.t = {whole(-9, 9), whole(-1 << 20, 1 << 20), whole(0, 5)};
  }
};

std::uint64_t integer(int value) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)); }

std::vector<std::uint64_t> on_board(const isa::Program& program, const Data& data) {
  std::vector<std::uint64_t> i;
  std::vector<std::uint64_t> j;
  for (const I& one : data.i) {
    i.insert(i.end(), {bits(one.x[0]), bits(one.x[1]), bits(one.x[2]), integer(one.n), std::uint64_t{one.u},
                       integer(one.t.a), integer(one.t.b), integer(one.t.c)});
  }
  for (const J& one : data.j) {
    j.insert(j.end(), {bits(one.y[0]), bits(one.y[1]), bits(one.y[2]), integer(one.k), integer(one.l),
                       std::uint64_t{one.v}, integer(one.t.a), integer(one.t.b), integer(one.t.c)});
  }
  Device device;
  device.load(program);
  device.write_j(0, j);
  return device.run(i, kJ);
}

}  // namespace

void expect_exact(const std::vector<PairBody>& bodies, unsigned most_lines) {
  std::string source = kPairRecords;
  for (const PairBody& body : bodies) source += pair_source(body);
  const HostFunctions host(source, HostCompiler::plain);
  const Data data;
  for (const PairBody& body : bodies) {
    SCOPED_TRACE(body.name);
    compiler::CompileOptions options;
    options.effort = 1;
    options.function = body.name;
    const compiler::CompileResult compiled = compiler::compile_ir(host.bitcode(), "all.bc", options);
    EXPECT_NE(compiled.source, "") << compiler::format_diagnostics(compiled);
    if (compiled.source.empty()) continue;
    EXPECT_LE(compiled.lines, most_lines);
    const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "bodies.vsm");
    ASSERT_TRUE(assembled.program) << assembler::format_diagnostics(assembled);
    const auto pair = *static_cast<Pair*>(host.symbol(std::string("host_") + body.name));
    const std::vector<std::uint64_t> words = on_board(*assembled.program, data);
    ASSERT_EQ(words.size(), kI * kResults);
    const std::string_view text = body.text;
    for (std::size_t i = 0; i < kI; ++i) {
      F f;
      for (const J& j : data.j) pair(data.i[i], j, f);
      const std::uint64_t* results = &words[kResults * i];
      EXPECT_EQ(std::bit_cast<double>(results[0]), f.s) << i;
      EXPECT_EQ(static_cast<std::int32_t>(results[1]), f.c) << i;
      // Without a pair they have values of their own.
      if (text.find("f.most") == text.npos) f.most = static_cast<std::uint32_t>(results[2]);
      if (text.find("f.least") == text.npos) f.least = static_cast<std::int16_t>(results[3]);
      EXPECT_EQ(static_cast<std::uint32_t>(results[2]), f.most) << i;
      EXPECT_EQ(static_cast<std::int16_t>(results[3]), f.least) << i;
    }
  }
}

}  // namespace gdr::compiler_testing
