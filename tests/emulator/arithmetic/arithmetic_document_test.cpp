// The examples of docs/machine/arithmetic.md, run.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gdr/emulator/arithmetic.h"
#include "gdr/isa/isa.h"

namespace gdr::tests {
namespace {

using emulator::FpEvent;
using emulator::WordResult;
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

std::string describe(const WordResult& result, Width width) {
  const std::string word = width == Width::long_word ? to_hex(result.value) : to_hex(result.value.upper());
  return with_flags(word, {{result.event == FpEvent::invalid, "invalid"},
                           {result.event == FpEvent::overflow, "overflow"},
                           {result.event == FpEvent::underflow, "underflow"},
                           {result.negative, "negative"},
                           {result.zero, "zero"},
                           {result.carry, "carry"}});
}

/// Operands of floating point are long words, those of the ALU as wide as the result.
std::string outcome_of(const Example& example, Width width) {
  const auto op = isa::op_named(example.operation);
  if (!op) return "no operation";
  const bool is_long = isa::info_of(*op).unit != isa::Unit::alu || width == Width::long_word;
  const auto word = [&](const std::string& hex) {
    return is_long ? isa::parse_long(hex).value() : isa::widen(isa::parse_short(hex).value());
  };
  return describe(emulator::compute(*op, word(example.operands.front()), word(example.operands.back()), width), width);
}

TEST(ArithmeticDocument, ExamplesHold) {
  const std::vector<Example> examples = examples_of(GDR_SOURCE_DIR "/docs/machine/arithmetic.md");
  ASSERT_FALSE(examples.empty());
  for (const Example& example : examples) {
    ASSERT_FALSE(example.operands.empty()) << example.text;
    const std::size_t digits = std::min(example.outcome.find(' '), example.outcome.size());
    const Width width = digits == 18 ? Width::long_word : Width::short_word;
    EXPECT_EQ(outcome_of(example, width), example.outcome) << example.text;
  }
}

/// Whether the first cell of a table's row names the operation, as in `ulzc a`.
bool has_row(const std::string& path, std::string_view mnemonic) {
  std::ifstream page(path);
  const std::string quoted = "`" + std::string(mnemonic);
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("|")) continue;
    const std::string cell = line.substr(0, line.find('|', 1));
    for (std::size_t at = cell.find(quoted); at != std::string::npos; at = cell.find(quoted, at + 1)) {
      const std::size_t end = at + quoted.size();
      if (end < cell.size() && (cell[end] == '`' || cell[end] == ' ')) return true;
    }
  }
  return false;
}

TEST(ArithmeticDocument, HasARowAndAnExampleOfEveryOperation) {
  const std::string page = GDR_SOURCE_DIR "/docs/machine/arithmetic.md";
  const std::vector<Example> examples = examples_of(page);
  for (const isa::OperationInfo& info : isa::operations()) {
    if (!info.computes()) continue;
    EXPECT_TRUE(has_row(page, info.mnemonic)) << info.mnemonic << " is in no table of docs/machine/arithmetic.md";
    EXPECT_TRUE(std::ranges::find(examples, info.mnemonic, &Example::operation) != examples.end())
        << info.mnemonic << " has no example in docs/machine/arithmetic.md";
  }
}

}  // namespace
}  // namespace gdr::tests
