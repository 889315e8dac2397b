// Every type of result with every type of what changes it, in all ways to write that: after each pair the number that
// C++ gives on the host, or refused with a reason.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"
#include "gdr/hostlib/device.h"
#include "host_functions.h"

namespace gdr::compiler_testing::result_types {
namespace {

struct Kind {
  const char* name;
  double low;
  double high;
  int digits;  // of a floating-point number; 0: an integer
};

constexpr double kLargestConverted = 0x1p58;    // to integers
constexpr double kLargestLong = 0x1p63 - 1024;  // a double
constexpr std::array<Kind, 11> kKinds{{{"bool", 0, 1, 0},
                                       {"signed char", -128, 127, 0},
                                       {"unsigned char", 0, 255, 0},
                                       {"short", -32768, 32767, 0},
                                       {"unsigned short", 0, 65535, 0},
                                       {"int", -0x1p31, 0x1p31 - 1, 0},
                                       {"unsigned", 0, 0x1p32 - 1, 0},
                                       {"long", -0x1p63, kLargestLong, 0},
                                       {"unsigned long", 0, kLargestLong, 0},
                                       {"float", -0x1p100, 0x1p100, 24},
                                       {"double", -0x1p100, 0x1p100, 53}}};

enum class Does : std::uint8_t { sum, difference, bits, extreme };

struct Form {
  const char* text;  // {0}: type of the result, {1}: of the member of j, {2}: the result, {3}: the member
  Does does;
  const char* begin;  // of the result on the host
  // For each type of the result, the addends of all types, in the order of kKinds. '=': as on the host; 'x': refused.
  std::array<const char*, 11> table;
};

constexpr const char* kLargest = "std::numeric_limits<{0}>::max()";
constexpr const char* kSmallest = "std::numeric_limits<{0}>::lowest()";

const std::vector<Form>& forms() {
  static const std::vector<Form> all{
      {"{2} += {3};",
       Does::sum,
       "0",
       {"=x=x=xxxxxx", "=========xx", "=========xx", "=========xx", "=========xx", "=========xx", "=========xx",
        "=========xx", "=========xx", "===========", "==========="}},
      {"{2} -= {3};",
       Does::difference,
       "0",
       {"=xxxxxxxxxx", "=========xx", "=========xx", "=========xx", "=========xx", "=========xx", "=========xx",
        "=========xx", "=========xx", "===========", "==========="}},
      {"{2} &= {3};",
       Does::bits,
       "static_cast<{0}>(-1)",
       {"=========  ", "=========  ", "=========  ", "=========  ", "=========  ", "=========  ", "=========  ",
        "=========  ", "=========  ", "           ", "           "}},
      {"{2} |= {3};",
       Does::bits,
       "0",
       {"=========  ", "=========  ", "=========  ", "=========  ", "=========  ", "=========  ", "=========  ",
        "=========  ", "=========  ", "           ", "           "}},
      {"{2} ^= {3};",
       Does::bits,
       "0",
       {"=xxxxxxxx  ", "=========  ", "=========  ", "=========  ", "=========  ", "=========  ", "=========  ",
        "=========  ", "=========  ", "           ", "           "}},
      {"{2} = std::min<{0}>({2}, {3});",
       Does::extreme,
       kLargest,
       {"xxxxxxxxxxx", "===========", "===========", "===========", "===========", "===========", "===========",
        "===========", "===========", "===========", "==========="}},
      {"{2} = std::min<{1}>({2}, {3});",
       Does::extreme,
       kLargest,
       {"xxxxxxxxxxx", "x=xxxxxxxxx", "xx=xxxxxxxx", "xxx=xxxxxxx", "xxxx=xxxxxx", "xxxxx=xxxxx", "xxxxxx=xxxx",
        "xxxxxxx=xxx", "xxxxxxxx=xx", "xxxxxxxxx=x", "xxxxxxxxxx="}},
      {"{2} = std::min<std::common_type_t<{0}, {1}>>({2}, {3});",
       Does::extreme,
       kLargest,
       {"xxxxxxxxxxx", "==xxxxxxxxx", "=x=xxxxxxxx", "====xxxxxxx", "=x=x=xxxxxx", "======xxxxx", "=======xxxx",
        "========xxx", "=========xx", "==========x", "==========="}},
      {"if ({3} < {2}) {2} = {3};",
       Does::extreme,
       kLargest,
       {"xxxxxxxxxxx", "==xxxxxxxxx", "=x=xxxxxxxx", "====xxxxxxx", "=x=x=xxxxxx", "======xxxxx", "=======xxxx",
        "========xxx", "=========xx", "x=========x", "x=========="}},
      {"{2} = {2} < {3} ? {2} : {3};",
       Does::extreme,
       kLargest,
       {"xxxxxxxxxxx", "==xxxxxxxxx", "=x=xxxxxxxx", "====xxxxxxx", "=x=x=xxxxxx", "======xxxxx", "=======xxxx",
        "========xxx", "=========xx", "==========x", "==========="}},
      {"{2} = std::fmin({2}, {3});",
       Does::extreme,
       kLargest,
       {"xxxxxxxxxxx", "xxxxxxxxxxx", "xxxxxxxxxxx", "xxxxxxxxxxx", "xxxxxxxxxxx", "xxxxxxxxxxx", "xxxxxxxxxxx",
        "xxxxxxxxxxx", "xxxxxxxxxxx", "===========", "==========="}},
      {"{2} = std::max<std::common_type_t<{0}, {1}>>({2}, {3});",
       Does::extreme,
       kSmallest,
       {"=========xx", "==xxxxxxxxx", "=x=xxxxxxxx", "====xxxxxxx", "=x=x=xxxxxx", "======xxxxx", "=======xxxx",
        "========xxx", "=========xx", "==========x", "==========="}},
      {"if ({3} > {2}) {2} = {3};",
       Does::extreme,
       kSmallest,
       {"=x=======xx", "==xxxxxxxxx", "=x=xxxxxxxx", "====xxxxxxx", "=x=x=xxxxxx", "======xxxxx", "=======xxxx",
        "========xxx", "=========xx", "x=========x", "x=========="}}};
  return all;
}

/// A result and what changes it.
struct Cell {
  std::size_t result = 0;
  std::size_t addend = 0;
};

bool is_cpp(const Form& form, const Kind& result, const Kind& addend) {
  return form.does != Does::bits || (result.digits == 0 && addend.digits == 0);
}

bool is_exact(double number, const Kind& kind) {
  return kind.digits == 0 || kind.digits == 53 || static_cast<double>(static_cast<float>(number)) == number;
}

/// Numbers of the addend's type for which C++ says what the result is: conversions to integers are within their types,
/// and numbers have the bits of all floating-point types, so that nothing is rounded. Sums are within the result's
/// type, for those of the machine do not wrap.
std::vector<double> numbers_for(const Form& form, const Kind& result, const Kind& addend) {
  static const std::vector<double> small{1, 0, 3, 2, -4, 5, -2, 7, 0.5, 2.25, -1.75};
  static const std::vector<double> any{
      5,           -1,     200,     -200,    0,      1,      127,        -128,       255,  32767,      -32768,
      40000,       -40000, 65535,   -0x1p31, 0x1p31, -3,     0x1p31 - 1, 0x1p32 - 1, 300,  0x1p40 + 5, 0x1p40,
      -0x1p40 - 7, 0x1p62, -0x1p62, 1.5,     -2.75,  300.25, -70000.5,   0.25,       -0.5, 5e9,        -5e9};
  const bool real = result.digits > 0 || addend.digits > 0;
  const bool sum = form.does == Does::sum || form.does == Does::difference;
  std::vector<double> all;
  for (double number : sum ? small : any) {
    if (sum && result.low == 0) {  // no partial sum is negative
      number = std::fabs(number) * (form.does == Does::difference ? -1 : 1);
    }
    if (number < addend.low || number > addend.high) continue;
    // Of a number of 64 bits that changes a shorter sum, the lower 32 are taken, here without a sign.
    if (sum && result.low == 0 && result.high < kLargestLong && number < 0 && addend.high == kLargestLong) continue;
    if (addend.digits == 0 && number != std::floor(number)) continue;
    if (!is_exact(number, result) || !is_exact(number, addend)) continue;
    const bool converts = result.digits == 0 && addend.digits > 0;
    if (converts && std::fabs(number) > kLargestConverted) continue;
    if (real && result.digits == 0 && (number < result.low || number > result.high)) continue;
    if (result.low == 0 && result.high > 0x1p63 - 4096 && number < 0 && !sum) continue;  // beyond those hosts receive
    all.push_back(number);
  }
  return all;
}

constexpr unsigned kFirstLine = 1000;

/// A pair function in which the statement of each cell has a line and a result of its own.
std::string function_of(const std::string& name, const Form& form, const std::vector<Cell>& cells) {
  std::string results;
  std::string statements;
  for (std::size_t n = 0; n < cells.size(); ++n) {
    const char* result = kKinds[cells[n].result].name;
    const char* addend = kKinds[cells[n].addend].name;
    results += fmt::format(" {} m{};", result, n);
    statements += fmt::format(fmt::runtime(form.text), result, addend, fmt::format("f.m{}", n),
                              fmt::format("j.a{}", cells[n].addend)) +
                  '\n';
  }
  return fmt::format(
      "struct F{0} {{{1} }};\nextern \"C\" void {0}(const I&, const J& j, F{0}& f) {{\n#line {2}\n{3}}}\n", name,
      results, kFirstLine, statements);
}

std::string head() {
  std::string members;
  for (std::size_t n = 0; n < kKinds.size(); ++n) members += fmt::format(" {} a{};", kKinds[n].name, n);
  return "#include <gdr/kernel.h>\n#include <algorithm>\n#include <cmath>\n#include <limits>\n#include <type_traits>\n"
         "struct I { double y; };\nstruct J {" +
         members + " };\n";
}

/// For the host: the results of a pair function after so many records.
std::string host_function_of(const std::string& name, const Form& form, const std::vector<Cell>& cells) {
  std::string records;
  for (std::size_t n = 0; n < kKinds.size(); ++n) {
    records += fmt::format("static_cast<{}>(numbers[{}]), ", kKinds[n].name, n);
  }
  std::string begin;
  std::string written;
  for (std::size_t n = 0; n < cells.size(); ++n) {
    begin += fmt::format("  f.m{} = {};\n", n, fmt::format(fmt::runtime(form.begin), kKinds[cells[n].result].name));
    written += fmt::format("  y[{0}] = static_cast<double>(f.m{0});\n", n);
  }
  return fmt::format(
      "extern \"C\" void host_{0}(const double* numbers, long count, double* y) {{\n  F{0} f;\n{1}"
      "  for (; count > 0; --count, numbers += {2}) {0}(I{{}}, J{{{3}}}, f);\n{4}}}\n",
      name, begin, kKinds.size(), records, written);
}

std::uint64_t word_of(double number, const Kind& kind) {
  if (kind.digits > 0) return bits(number);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
}

double number_of(std::uint64_t word, const Kind& kind) {
  return kind.digits > 0 ? std::bit_cast<double>(word) : static_cast<double>(static_cast<std::int64_t>(word));
}

std::string text_of(const Form& form, const Cell& cell) {
  return fmt::format("{} m; {} a; ", kKinds[cell.result].name, kKinds[cell.addend].name) +
         fmt::format(fmt::runtime(form.text), kKinds[cell.result].name, kKinds[cell.addend].name, "m", "a");
}

struct Data {
  std::vector<double> records;  // as numbers, for the host
  std::vector<std::uint64_t> words;
  std::size_t count = 0;
};

/// The numbers of the cells of one result, in their order or the opposite one. A sum takes each number once.
Data data_of(const Form& form, std::size_t result, bool backward) {
  std::vector<std::vector<double>> numbers;
  Data data;
  for (const Kind& addend : kKinds) {
    numbers.push_back(numbers_for(form, kKinds[result], addend));
    data.count = std::max(data.count, numbers.back().size());
  }
  const bool again = form.does == Does::bits || form.does == Does::extreme;
  for (std::size_t record = 0; record < data.count; ++record) {
    for (std::size_t n = 0; n < kKinds.size(); ++n) {
      const std::size_t size = numbers[n].size();
      const std::size_t at = size == 0 ? 0 : record % size;
      const double number = size == 0 || (record >= size && !again) ? 0 : numbers[n][backward ? size - 1 - at : at];
      data.records.push_back(number);
      data.words.push_back(word_of(number, kKinds[n]));
    }
  }
  return data;
}

/// After each pair the machine has the number of the host.
void expect_right(const Form& form, const std::vector<Cell>& cells, const std::string& name, const HostFunctions& host,
                  const std::string& assembly) {
  const assembler::AssembleResult assembled = assembler::assemble(assembly, "types.vsm");
  ASSERT_EQ(assembler::format_diagnostics(assembled), "") << assembly;
  using Host = void (*)(const double*, long, double*);
  const auto on_host = reinterpret_cast<Host>(host.symbol("host_" + name));
  Device device;
  device.load(*assembled.program);
  const std::vector<std::uint64_t> i(1, 0);
  std::set<std::size_t> wrong;
  for (std::size_t result = 0; result < kKinds.size(); ++result) {
    if (std::ranges::none_of(cells, [&](const Cell& cell) { return cell.result == result; })) continue;
    for (const bool backward : {false, true}) {
      const Data data = data_of(form, result, backward);
      device.write_j(0, data.words);
      for (std::size_t pairs = 1; pairs <= data.count; ++pairs) {
        std::vector<double> expected(cells.size());
        on_host(data.records.data(), static_cast<long>(pairs), expected.data());
        const std::vector<std::uint64_t> got = device.run(i, pairs);
        ASSERT_EQ(got.size(), cells.size());
        for (std::size_t n = 0; n < cells.size(); ++n) {
          if (cells[n].result != result || wrong.contains(n)) continue;
          const double is = number_of(got[n], kKinds[result]);
          if (is == expected[n]) continue;
          wrong.insert(n);
          ADD_FAILURE() << text_of(form, cells[n]) << " after " << pairs << (backward ? " from the end: " : ": ") << is
                        << " for " << expected[n];
        }
      }
    }
  }
}

compiler::CompileResult compiled(const HostFunctions& host, const std::string& name) {
  compiler::CompileOptions options;
  options.effort = 1;
  options.function = name;
  return compiler::compile_ir(host.bitcode(), "types.bc", options);
}

void PrintTo(const Form& form, std::ostream* out) { *out << form.text; }

class ResultTypes : public testing::TestWithParam<Form> {};

TEST_P(ResultTypes, AreRightOrRefused) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  const Form& form = GetParam();
  std::vector<Cell> refused;
  // One integer of 64 bits makes long words of all integers of a function.
  std::array<std::vector<Cell>, 2> right;
  for (std::size_t result = 0; result < kKinds.size(); ++result) {
    for (std::size_t addend = 0; addend < kKinds.size(); ++addend) {
      const auto is_long = [](std::size_t kind) { return kKinds[kind].high > 0x1p33 && kKinds[kind].digits == 0; };
      const char expected = form.table[result][addend];
      ASSERT_EQ(expected == ' ', !is_cpp(form, kKinds[result], kKinds[addend]));
      if (expected == 'x') refused.push_back({result, addend});
      if (expected == '=') right[is_long(result) || is_long(addend) ? 1 : 0].push_back({result, addend});
    }
  }
  std::string source = head() + function_of("none", form, refused);
  const std::array<std::string, 2> names{"short_words", "long_words"};
  for (std::size_t n = 0; n < names.size(); ++n) {
    source += function_of(names[n], form, right[n]) + host_function_of(names[n], form, right[n]);
  }
  const HostFunctions host(source, HostCompiler::plain);
  for (std::size_t n = 0; n < names.size(); ++n) {
    const compiler::CompileResult result = compiled(host, names[n]);
    EXPECT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
    if (result.diagnostics.empty()) expect_right(form, right[n], names[n], host, result.source);
  }
  if (refused.empty()) return;
  std::set<unsigned> lines;
  for (const compiler::Diagnostic& one : compiled(host, "none").diagnostics) {
    const bool has_reason = one.message.starts_with("a result must be accumulated: ") ||
                            one.message.find("so that the result depends on their order") != std::string::npos;
    EXPECT_TRUE(has_reason) << one.message;
    lines.insert(one.line);
  }
  for (std::size_t n = 0; n < refused.size(); ++n) {
    EXPECT_TRUE(lines.contains(kFirstLine + static_cast<unsigned>(n))) << text_of(form, refused[n]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ResultTypes, testing::ValuesIn(forms()));

}  // namespace
}  // namespace gdr::compiler_testing::result_types
