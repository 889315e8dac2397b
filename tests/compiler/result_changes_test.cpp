// Results change as in C++, whatever way it is written: the same statements beside the host's compiler, pair by pair.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"
#include "gdr/hostlib/device.h"
#include "host_functions.h"

namespace gdr::compiler_testing::result_changes {
namespace {

struct Particle {
  int n;
  unsigned u;
  long l;
  bool t;
  double x;
};
constexpr const char* kHead =
    "#include <gdr/kernel.h>\n#include <algorithm>\n#include <cmath>\n#include <cstdlib>\n"
    "struct I { int a; unsigned w; long b; bool s; double y; };\n"
    "struct J { int n; unsigned u; long l; bool t; double x; };\n";

/// Results of one type, which begin with what pairs leave unchanged.
struct Changed {
  const char* type;
  const char* begin;
  std::vector<const char*> statements;
};

const std::vector<Changed>& all_changed() {
  static const std::vector<Changed> all{
      {"bool",
       "true",
       {"f.m &= j.n;", "f.m &= j.l;", "f.m &= j.t;", "f.m = f.m && j.n > i.a;", "if (j.n == i.a) f.m = false;",
        "if (j.n > 1000) f.m &= j.n;", "f.m = f.m & (j.n != 3);"}},
      {"bool",
       "false",
       {"f.m |= j.n;", "f.m |= j.l;", "f.m |= j.t;", "f.m |= j.n == 3;", "f.m ^= j.n == 3;", "f.m ^= j.t;",
        "f.m = f.m || j.n > i.a;", "if (j.n == i.a) f.m = true;", "if (j.n > 3 && !f.m) f.m = true;",
        "f.m = f.m != (j.n > i.a);", "f.m |= j.n == 3; if (j.t) f.m |= j.n > i.a;", "f.m = true;"}},
      {"unsigned char", "255", {"f.m &= j.n;", "f.m &= j.l;", "if (j.n > 1000) f.m &= j.n;"}},
      {"unsigned char",
       "0",
       {"f.m |= j.n;", "f.m |= j.l;", "f.m ^= j.l;", "f.m |= (j.l >> 3) & 7;", "f.m += j.l & 7;"}},
      {"signed char", "-1", {"f.m &= j.l;", "if (j.n > 1000) f.m &= j.n;"}},
      {"short", "0", {"f.m ^= j.l;", "f.m |= j.l;", "f.m += j.l & 7;", "f.m -= j.n & 7;"}},
      {"unsigned short", "65535", {"f.m &= j.l;", "if (j.n > 1000) f.m &= j.n;"}},
      {"unsigned", "4294967295u", {"f.m &= j.l;", "f.m &= j.n;", "if (j.n > 1000) f.m &= j.n;"}},
      {"unsigned", "0", {"f.m |= j.l;", "f.m ^= j.l;", "f.m += j.l & 1023;", "f.m += std::abs(-(j.n > i.a));"}},
      {"int",
       "0",
       {"f.m += j.l;", "f.m -= j.l;", "f.m ^= j.l;", "f.m += j.l >> 33;", "f.m += std::abs(-(j.n > i.a));",
        "f.m += std::max(-(j.n > i.a), -(j.n > 2)) + std::min(-(j.n > i.a), -(j.n > 2));"}},
      {"int",
       "2147483647",
       {"if ((j.n ^ i.a) % 3 < f.m) f.m = (j.n ^ i.a) % 3;", "f.m = (j.n ^ i.a) % 3 < f.m ? (j.n ^ i.a) % 3 : f.m;",
        "if (j.n * 3 - i.a < f.m) f.m = j.n * 3 - i.a; if (i.a - j.n < f.m) f.m = i.a - j.n;"}},
      {"int",
       "-2147483647 - 1",
       {"const int v = j.u / 10; if (v > f.m) f.m = v; const int w = i.a & 1023; "
        "if (w > f.m) f.m = w;"}},
      {"double",
       "std::numeric_limits<double>::infinity()",
       {"if (i.y * j.x < f.m) f.m = i.y * j.x;", "if (j.n < f.m) f.m = j.n;",
        "if (std::round(j.x) < f.m) f.m = std::round(j.x);",
        "if (std::fmax(i.y, j.x) < f.m) f.m = std::fmax(i.y, j.x);",
        "if (i.y * j.x < f.m) f.m = i.y * j.x; f.m = std::fmin(f.m, j.x);",
        "if (-1.5f * static_cast<double>(static_cast<float>(j.x)) < f.m) "
        "f.m = -1.5f * static_cast<double>(static_cast<float>(j.x));"}}};
  return all;
}

std::string source_of_all() {
  std::string text = std::string(kHead) + "#include <limits>\n";
  std::size_t number = 0;
  for (const Changed& one : all_changed()) {
    for (const char* statement : one.statements) {
      text += fmt::format("struct F{0} {{ {1} m; }};\nvoid f{0}(const I& i, const J& j, F{0}& f) {{ {2} }}\n", number,
                          one.type, statement);
      text += fmt::format(
          "extern \"C\" void host{0}(const I* i, const J* j, long count, double* y) {{\n"
          "  F{0} f{{{1}}};\n  for (long n = 0; n < count; ++n) f{0}(*i, j[n], f);\n"
          "  *y = static_cast<double>(f.m);\n}}\n",
          number, one.begin);
      ++number;
    }
  }
  return text;
}

double number_of(std::uint64_t word, bool real) {
  return real ? std::bit_cast<double>(word) : static_cast<double>(static_cast<std::int64_t>(word));
}

std::vector<std::uint64_t> words_of(const std::vector<Particle>& all) {
  std::vector<std::uint64_t> words;
  for (const Particle& one : all) {
    for (const std::int64_t number :
         {std::int64_t{one.n}, std::int64_t{one.u}, std::int64_t{one.l}, std::int64_t{one.t}})
      words.push_back(static_cast<std::uint64_t>(number));
    words.push_back(bits(one.x));
  }
  return words;
}

TEST(ResultChanges, AreThoseOfTheHost) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const HostFunctions host(source_of_all());
  constexpr long kLarge = 1L << 40;
  const std::vector<Particle> i{{4, 9, 77, false, 2.5}, {-3, 1, -5, true, -0.75}, {1000, 3000000000, 2, false, 40}};
  const std::vector<std::vector<Particle>> sets{
      {{6, 70, kLarge + 5, true, 1.5}, {3, 4000000000, -kLarge - 7, false, -2.25}, {2, 12, 6, true, 0.5}},
      {{5, 1, 3, true, 3}},
      {{0, 0, 0, false, 0}, {3, 7, kLarge, true, -8}},
      {{7, 2147483648, -1, true, 11.5}, {-1, 8, 255, true, 4}, {2047, 9, 65536 + 7, true, 4}}};
  std::size_t number = 0;
  for (const Changed& one : all_changed()) {
    for (const char* statement : one.statements) {
      SCOPED_TRACE(fmt::format("{} {}", one.type, statement));
      compiler::CompileOptions options;
      options.effort = 1;
      options.function = fmt::format("f{}", number);
      using Host = void (*)(const Particle*, const Particle*, long, double*);
      const auto on_host = reinterpret_cast<Host>(host.symbol(fmt::format("host{}", number)));
      ++number;
      const compiler::CompileResult compiled = compiler::compile_ir(host.bitcode(), "changes.bc", options);
      EXPECT_TRUE(compiled.diagnostics.empty()) << compiler::format_diagnostics(compiled);
      if (!compiled.diagnostics.empty()) continue;
      const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "changes.vsm");
      EXPECT_EQ(assembler::format_diagnostics(assembled), "") << compiled.source;
      if (!assembled.program) continue;
      Device device;
      device.load(*assembled.program);
      for (const std::vector<Particle>& j : sets) {
        device.write_j(0, words_of(j));
        const std::vector<std::uint64_t> got = device.run(words_of(i), j.size());
        for (std::size_t n = 0; n < i.size(); ++n) {
          double expected = 0;
          on_host(&i[n], j.data(), static_cast<long>(j.size()), &expected);
          EXPECT_EQ(number_of(got[n], std::string(one.type) == "double"), expected) << "i " << n << ", " << j.size();
        }
      }
    }
  }
}

}  // namespace
}  // namespace gdr::compiler_testing::result_changes
