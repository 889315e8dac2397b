// Conditions as words. The difference that a comparison makes is kept, and a flag only caches what a test of it says:
// one operation sets the flag again. So few flags are in use at once, whatever the number of conditions.
#include <algorithm>
#include <cmath>
#include <string>

#include "lower.h"

namespace gdr::compiler {
namespace {

using isa::Condition;
using isa::Op;
using isa::Width;

// Flags that conditions keep for a next reader. The expansions of functions and the words that are made from a flag
// take one more for a moment.
constexpr std::size_t kKeptFlags = isa::kFlags - 1;

}  // namespace

Truth Lowering::word_truth(int number) {
  const Node& node = this->node(number);
  if (node.act == Act::constant) return {-1, false, node.integer != 0};
  if (node.act == Act::opposite) return turned(word_truth(node.operands[0]));
  forget_flags();
  const auto known = std::ranges::find(kept_flags_, number, &KeptFlag::node);
  if (known != kept_flags_.end()) {
    std::rotate(known, known + 1, kept_flags_.end());
    return kept_flags_.back().truth;
  }
  const Truth truth = flag_from(word_of(number));
  kept_flags_.push_back({number, truth});
  if (kept_flags_.size() > kKeptFlags) kept_flags_.erase(kept_flags_.begin());
  return truth;
}

/// Flags that functions set are needed for a moment: what was kept before would be one too many.
void Lowering::forget_flags() {
  for (; looked_at_ < builder_.next(); ++looked_at_) {
    if (builder_.at(looked_at_).condition && !own_flags_.contains(looked_at_)) kept_flags_.clear();
  }
}

/// A flag that tells the test of a word: set by the operation that makes the word, or by one that reads it.
Truth Lowering::flag_from(const Word& word) {
  const bool is_last = word.value.kind == Operand::Kind::value && word.value.index == builder_.next() - 1;
  Operand tested = word.value;
  if (!is_last || builder_.of(tested).condition || builder_.of(tested).into >= 0) {
    tested = builder_.operation(Op::UPASSA, {word.value}, builder_.width(word.value));
  }
  builder_.of(tested).condition = word.test;
  own_flags_.insert(tested.index);
  return {tested.index, word.inverted, false};
}

/// A word that is negative where a flag says so.
Lowering::Word Lowering::word_from(const Truth& truth) {
  const Operand base = builder_.operation(Op::UPASSA, {builder_.integer(0, kShort)}, kShort);
  const Operand over = builder_.operation(Op::UPASSA, {builder_.integer(-1, kShort)}, kShort);
  builder_.of(over).into = base.index;
  builder_.of(over).predicate = truth.operation;
  builder_.of(over).inverted = truth.inverted;
  return {over, Condition::negative, false};
}

Lowering::Word Lowering::word_of(int number) {
  const auto known = words_.find(number);
  if (known != words_.end()) return known->second;
  const Node& node = this->node(number);
  if (node.act == Act::constant)
    return {builder_.integer(node.integer != 0 ? -1 : 0, kShort), Condition::negative, false};
  if (node.act == Act::opposite) {
    Word word = word_of(node.operands[0]);
    word.inverted = !word.inverted;
    return word;
  }
  Word word;
  if (node.act == Act::both || node.act == Act::either) {
    Word first = word_of(node.operands[0]);
    Word second = word_of(node.operands[1]);
    const bool either = node.act == Act::either;
    first.inverted = first.inverted != either;
    second.inverted = second.inverted != either;
    builder_.source(node.name, node.place);
    word = both_words(first, second);
    word.inverted = word.inverted != either;
  } else {
    word = compared_word(node);
  }
  words_[number] = word;
  return word;
}

/// The words of which `==` with an infinity is a comparison. The difference of two infinities is +infinity, not 0, but
/// an infinity is one word (docs/machine/arithmetic.md).
std::optional<std::array<Operand, 2>> Lowering::equal_words(const Node& node) {
  if (node.act != Act::equal) return std::nullopt;
  for (const std::size_t n : {0, 1}) {
    int constant = node.operands[n];
    bool negative = false;
    while (this->node(constant).act == Act::widen || this->node(constant).act == Act::negate) {
      negative ^= this->node(constant).act == Act::negate;
      constant = this->node(constant).operands[0];
    }
    const Node& infinite = this->node(constant);
    if (infinite.act != Act::constant || !is_float(infinite.type) || !std::isinf(infinite.number)) continue;
    Operand value = operand(node.operands[1 - n]);
    negative ^= std::signbit(infinite.number) != value.negated;
    value.negated = false;
    const Width width = builder_.width(value);
    return std::array{
        value, builder_.bits((negative ? "fff" : "7ff") + std::string(width == Width::long_word ? 15 : 6, '0'), width)};
  }
  return std::nullopt;
}

Lowering::Word Lowering::compared_word(const Node& node) {
  if (family_of(node.act) != Family::comparison) {
    refuse(node, kNoCondition);
    return {builder_.integer(0, kShort), Condition::negative, false};
  }
  if (const auto words = equal_words(node)) {
    builder_.source(node.name, node.place);
    const auto& [value, infinity] = *words;
    return {builder_.operation(Op::USUB, {value, infinity}, builder_.width(value)), Condition::zero, false};
  }
  const Operand a = operand(node.operands[0]);
  const Operand b = operand(node.operands[1]);
  builder_.source(node.name, node.place);
  const Comparison how = kComparisons[node.act];
  const Width width = width_of_difference(node, how.op, a);
  if (how.condition == Condition::carry) {  // the borrow is in no word
    const Truth truth = builder_.compare(how.op, a, b, width, how.condition);
    own_flags_.insert(truth.operation);
    return word_from(truth);
  }
  return {builder_.operation(how.op, {a, b}, width), how.condition, false};
}

/// The same truth as the sign of a short word.
Lowering::Word Lowering::signed_word(const Word& word) {
  if (word.test == Condition::negative && builder_.width(word.value) == kShort) return word;
  const auto [known, is_new] = signs_.try_emplace(word.value.index);
  if (is_new) {
    if (builder_.width(word.value) == kShort) {  // n or -n is negative where n is not 0
      const Operand minus = builder_.operation(Op::USUB, {builder_.integer(0, kShort), word.value}, kShort);
      known->second = {builder_.operation(Op::UOR, {word.value, minus}, kShort), Condition::negative, true};
    } else {
      Word plain = word;
      plain.inverted = false;
      known->second = word_from(flag_from(plain));
    }
  }
  Word made = known->second;
  made.inverted = made.inverted != word.inverted;
  return made;
}

Lowering::Word Lowering::both_words(const Word& a, const Word& b) {
  const bool zeros = a.test == Condition::zero && b.test == Condition::zero && !a.inverted && !b.inverted;
  if (zeros && builder_.width(a.value) == kShort && builder_.width(b.value) == kShort) {
    return {builder_.operation(Op::UOR, {a.value, b.value}, kShort), Condition::zero, false};
  }
  Word first = signed_word(a);
  Word second = signed_word(b);
  if (first.inverted != second.inverted) {
    Word& turned = first.inverted ? first : second;
    const auto [known, is_new] = opposites_.try_emplace(turned.value.index);
    if (is_new) known->second = builder_.operation(Op::UXOR, {turned.value, builder_.integer(-1, kShort)}, kShort);
    turned = {known->second, Condition::negative, false};
  }
  const Op op = first.inverted ? Op::UOR : Op::UAND;
  return {builder_.operation(op, {first.value, second.value}, kShort), Condition::negative, first.inverted};
}

Truth Lowering::all_words(const std::vector<Under>& conditions) {
  if (conditions.empty()) return {-1, false, true};
  if (conditions.size() == 1) {
    const Truth one = word_truth(conditions.front().node);
    return conditions.front().opposite ? turned(one) : one;
  }
  std::optional<Word> all;
  for (const Under& condition : conditions) {
    Word next = word_of(condition.node);
    next.inverted = next.inverted != condition.opposite;
    all = all ? both_words(*all, next) : next;
  }
  forget_flags();
  if (kept_flags_.size() == kKeptFlags) kept_flags_.erase(kept_flags_.begin());
  return flag_from(*all);
}

}  // namespace gdr::compiler
