// Comparison of emulator and oracle.
#include "arithmetic_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iomanip>
#include <iostream>
#include <vector>

#include "gdr/isa/word.h"

namespace gdr::tests {
namespace {

using emulator::FpEvent;
using emulator::WordResult;
using isa::LongWord;
using isa::Width;

constexpr std::array<Width, 2> kWidths = {Width::long_word, Width::short_word};

int precision_of(Width width) { return width == Width::long_word ? 61 : 25; }

FpEvent event_of(WideEvent event) {
  switch (event) {
    case WideEvent::none:
      return FpEvent::none;
    case WideEvent::invalid:
      return FpEvent::invalid;
    case WideEvent::overflow:
      return FpEvent::overflow;
    case WideEvent::underflow:
      return FpEvent::underflow;
  }
  return FpEvent::none;
}

/// How often each class was met in results of one width.
struct Tally {
  std::array<std::uint64_t, kResultClasses> classes{};
  std::array<std::uint64_t, 61> bits_left{};  // of partial cancellations

  void add(const WideAnswer& answer) {
    for (std::size_t i = 0; i < kResultClasses; ++i) classes.at(i) += answer.classes.test(i) ? 1 : 0;
    ++bits_left.at(static_cast<std::size_t>(answer.bits_left));
  }
};

class Comparison {
 public:
  explicit Comparison(isa::Op op) : op_(op) {}

  /// False if the results differ too often to go on.
  bool compare(const OperandPair& pair) {
    ++pairs_;
    for (std::size_t i = 0; i < kWidths.size(); ++i) {
      const WideAnswer answer = wide_answer(op_, pair.a, pair.b, precision_of(kWidths.at(i)));
      const WordResult expected = {LongWord::from_bits(answer.bits), answer.negative, answer.zero, false,
                                   event_of(answer.event)};
      const WordResult result = emulator::compute(op_, pair.a, pair.b, kWidths.at(i));
      tallies_.at(i).add(answer);
      if (result == expected) continue;
      ++failures_;
      ADD_FAILURE() << isa::info_of(op_).mnemonic << ' ' << to_hex(pair.a) << ' ' << to_hex(pair.b) << " to "
                    << precision_of(kWidths.at(i)) << " bits: " << describe(result) << ", expected "
                    << describe(expected);
    }
    constexpr int kMaxFailures = 5;
    return failures_ < kMaxFailures;
  }

  void expect_every_class() const {
    for (std::size_t c = 0; c < kResultClasses; ++c) {
      for (std::size_t i = 0; i < kWidths.size(); ++i) {
        const auto result_class = static_cast<ResultClass>(c);
        const int precision = precision_of(kWidths.at(i));
        EXPECT_EQ(tallies_.at(i).classes.at(c) != 0, possible(result_class, op_, precision))
            << isa::info_of(op_).mnemonic << " to " << precision << " bits: " << name_of(result_class);
      }
    }
    if (!possible(ResultClass::cancels_partly, op_, precision_of(Width::long_word))) return;
    const auto& bits_left = tallies_.front().bits_left;
    EXPECT_NE(*std::min_element(bits_left.begin() + 1, bits_left.end()), 0u)
        << isa::info_of(op_).mnemonic << ": some number of bits from 1 to 60 was never left by a cancellation";
  }

  void print() const {
    std::cout << isa::info_of(op_).mnemonic << ": " << pairs_ << " pairs\n"
              << "  class                          long        short\n";
    for (std::size_t c = 0; c < kResultClasses; ++c) {
      std::cout << "  " << std::left << std::setw(22) << name_of(static_cast<ResultClass>(c)) << std::right;
      for (std::size_t i = 0; i < kWidths.size(); ++i) {
        const bool can_be = possible(static_cast<ResultClass>(c), op_, precision_of(kWidths.at(i)));
        const std::uint64_t count = tallies_.at(i).classes.at(c);
        std::cout << std::setw(13) << (count == 0 && !can_be ? "-" : std::to_string(count));
      }
      std::cout << '\n';
    }
  }

 private:
  static std::string describe(const WordResult& result) {
    return to_hex(result.value) + (result.negative ? " negative" : "") + (result.zero ? " zero" : "") + " event " +
           std::to_string(static_cast<int>(result.event));
  }

  isa::Op op_;
  std::uint64_t pairs_ = 0;
  int failures_ = 0;
  std::array<Tally, kWidths.size()> tallies_;
};

}  // namespace

PairFamily family_of(isa::Op op) {
  const isa::OperationInfo& info = isa::info_of(op);
  if (info.unit != isa::Unit::multiplier) return PairFamily::sum;
  return info.second_source_is_short ? PairFamily::short_product : PairFamily::long_product;
}

void check_against_oracle(isa::Op op, std::uint64_t count) {
  Comparison comparison(op);
  for (const OperandPair& pair : special_pairs(family_of(op))) {
    if (!comparison.compare(pair)) return;
  }
  OperandPairs pairs(family_of(op));
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!comparison.compare(pairs.next())) return;
  }
  comparison.print();
  comparison.expect_every_class();
}

}  // namespace gdr::tests
