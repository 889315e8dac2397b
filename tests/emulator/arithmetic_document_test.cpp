// The examples of docs/arithmetic.md, run.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gdr/emulator/arithmetic.h"
#include "gdr/isa/word.h"

namespace gdr::tests {
namespace {

using emulator::AluResult;
using emulator::FpEvent;
using emulator::FpResult;
using isa::LongWord;
using isa::uint128;
using isa::Width;

struct Example {
  std::string text;
  std::string operation;
  std::vector<std::string> operands;
  std::string outcome;  // result, events and flags
};

std::vector<Example> examples_of(const std::string& path) {
  std::ifstream page(path);
  std::vector<Example> examples;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = line == "```examples";
      continue;
    }
    const auto arrow = line.find(" -> ");
    if (!inside || arrow == std::string::npos) continue;
    Example example{line, {}, {}, line.substr(arrow + 4)};
    std::istringstream left(line.substr(0, arrow));
    left >> example.operation;
    for (std::string operand; left >> operand;) example.operands.push_back(operand);
    examples.push_back(std::move(example));
  }
  return examples;
}

std::string with_flags(std::string text, const std::vector<std::pair<bool, std::string>>& flags) {
  for (const auto& [set, name] : flags) {
    if (set) text += ' ' + name;
  }
  return text;
}

std::string describe(const FpResult& result, Width width) {
  const std::string word = width == Width::long_word ? to_hex(result.value) : to_hex(result.value.upper());
  return with_flags(word, {{result.event == FpEvent::invalid, "invalid"},
                           {result.event == FpEvent::overflow, "overflow"},
                           {result.event == FpEvent::underflow, "underflow"},
                           {result.negative, "negative"},
                           {result.zero, "zero"}});
}

std::string describe(const AluResult& result, Width width) {
  const LongWord word = LongWord::from_bits(result.value);
  return with_flags(width == Width::long_word ? to_hex(word) : to_hex(word.lower()),
                    {{result.negative, "negative"}, {result.zero, "zero"}, {result.carry, "carry"}});
}

std::string fp_outcome(const Example& example, Width width) {
  static const std::map<std::string, std::function<FpResult(LongWord, LongWord, Width)>> kOperations = {
      {"fadd", emulator::fadd},
      {"fsub", emulator::fsub},
      {"fmax", emulator::fmax},
      {"fmin", emulator::fmin},
      {"fmull", emulator::fmul2},
      {"fmul", emulator::fmul},
      {"fpassa", [](LongWord a, LongWord, Width to) { return emulator::fpassa(a, to); }}};
  const auto a = isa::parse_long(example.operands.front());
  const auto b = isa::parse_long(example.operands.back());
  if (!a || !b) return "operands are not long words";
  return describe(kOperations.at(example.operation)(*a, *b, width), width);
}

std::string alu_outcome(const Example& example, Width width) {
  static const std::map<std::string, std::function<AluResult(uint128, uint128, Width)>> kOperations = {
      {"uadd", emulator::uadd},
      {"usub", emulator::usub},
      {"uand", emulator::uand},
      {"uor", emulator::uor},
      {"uxor", emulator::uxor},
      {"ulsl", emulator::ulsl},
      {"ulsr", emulator::ulsr},
      {"uasr", emulator::uasr},
      {"umax", emulator::umax},
      {"umin", emulator::umin},
      {"ulzc", [](uint128 a, uint128, Width to) { return emulator::ulzc(a, to); }}};
  const auto bits = [width](const std::string& hex) -> uint128 {
    if (width == Width::long_word) return isa::parse_long(hex).value().bits();
    return isa::parse_short(hex).value().bits;
  };
  return describe(
      kOperations.at(example.operation)(bits(example.operands.front()), bits(example.operands.back()), width), width);
}

TEST(ArithmeticDocument, ExamplesHold) {
  const std::vector<Example> examples = examples_of(GDR_SOURCE_DIR "/docs/arithmetic.md");
  ASSERT_FALSE(examples.empty());
  for (const Example& example : examples) {
    ASSERT_FALSE(example.operands.empty()) << example.text;
    const std::size_t digits = std::min(example.outcome.find(' '), example.outcome.size());
    const Width width = digits == 18 ? Width::long_word : Width::short_word;
    const std::string outcome =
        example.operation.front() == 'f' ? fp_outcome(example, width) : alu_outcome(example, width);
    EXPECT_EQ(outcome, example.outcome) << example.text;
  }
}

}  // namespace
}  // namespace gdr::tests
