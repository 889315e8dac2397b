#include "tape_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace gdr::proof {

using emulator::simd::all;
using emulator::simd::choose;
using emulator::simd::Numbers;
using emulator::simd::signed_words;
using emulator::simd::SignedWords;
using emulator::simd::To;
using emulator::simd::Words;
using emulator::simd::words;
using emulator::simd::small::kWord;
namespace small = emulator::simd::small;
namespace widths = emulator::widths;

void TapeWriter::evaluate() {
  inexact = Words{};
  for (Step& step : tape_) {
    if (step.operation >= Operation::fadd && step.operation <= Operation::fma) {
      run_on_numbers(step);
    } else {
      run_on_words(step);
    }
  }
}

std::string TapeWriter::literal(double value) const { return constant(words(all(value))); }
std::string TapeWriter::literal(std::uint64_t bits) const { return constant(all(bits & kWord)); }
std::string TapeWriter::number_literal(std::uint64_t bits) const {
  return constant(words(small::number_of(all(bits & kWord))));
}

std::string TapeWriter::constant(Words value) const {
  tape_.push_back({Operation::constant, 0, 0, 0, Direction::nearest, false, value});
  return fmt::format("{}", tape_.size() - 1);
}

std::string TapeWriter::push(Operation operation, const std::string& a, const std::string& b, const std::string& c,
                             Direction to, bool exact) {
  const auto at = [](const std::string& name) { return name.empty() ? std::size_t{0} : index(name); };
  tape_.push_back({operation, at(a), at(b), at(c), to, exact, Words{}});
  return fmt::format("{}", tape_.size() - 1);
}

std::string TapeWriter::named(const char* name, const std::string& a, const std::string& b) {
  using enum Operation;
  static constexpr std::array<std::pair<std::string_view, Operation>, 21> kNames{
      {{"add", add_},  {"sub", sub}, {"and", and_}, {"or", or_},    {"xor", xor_},  {"shl", shl},   {"lshr", lshr},
       {"ashr", ashr}, {"eq", eq},   {"ne", ne},    {"slt", slt},   {"sge", sge},   {"ult", ult},   {"ord", ord},
       {"oeq", oeq},   {"une", une}, {"olt", olt},  {"smin", smin}, {"smax", smax}, {"umin", umin}, {"umax", umax}}};
  for (const auto& [known, operation] : kNames) {
    if (known == name) return push(operation, a, b);
  }
  throw std::invalid_argument(fmt::format("the tape has no operation '{}'", name));
}

namespace {

/// Minimum or maximum of the halves of words, each half by itself. They are those of NumberCode.
Words extreme_of_halves(bool least, Words a, Words b) {
  constexpr std::uint64_t kLower = widths::ones(std::min(widths::kBelowShort + 4, widths::kFraction));
  const auto chosen = [&](Words x, Words y) {
    const Words below = words(SignedWords(x < y));
    return choose(least ? below : ~below, x, y);
  };
  return chosen(a & kLower, b & kLower) | chosen(a & ~kLower, b & ~kLower);
}

}  // namespace

void TapeWriter::run_on_words(Step& step) {
  const Words a = tape_[step.a].value;
  const Words b = tape_[step.b].value;
  const Numbers x = emulator::simd::numbers(a);
  const Numbers y = emulator::simd::numbers(b);
  constexpr int kUnused = 64 - widths::kHigh;
  const SignedWords i = signed_words(a << kUnused);
  const SignedWords j = signed_words(b << kUnused);
  // LLVM leaves open what shifts by the width and more give.
  const Words open = ~words(SignedWords(b < all(std::uint64_t{widths::kHigh})));
  const auto shifted = [&](Words result) { return ((result & ~open) | (all(0x5aa5a55a5a5aa5a5u) & open)) & kWord; };
  const auto mask = [](auto comparison) { return words(SignedWords(comparison)); };
  Words& value = step.value;
  switch (step.operation) {
    case Operation::bits:
      value = small::bits_of(x) & kWord;
      return;
    case Operation::numbers:
      value = words(small::number_of(a));
      return;
    case Operation::select:
      value = choose(a, b, tape_[step.c].value);
      return;
    case Operation::fneg:
      value = a ^ small::kTop;
      return;
    case Operation::larger:
      value = words(choose(small::less(small::size(x), small::size(y)), y, x));
      return;
    case Operation::add_:
      value = (a + b) & kWord;
      return;
    case Operation::sub:
      value = (a - b) & kWord;
      return;
    case Operation::and_:
      value = a & b;
      return;
    case Operation::or_:
      value = a | b;
      return;
    case Operation::xor_:
      value = a ^ b;
      return;
    case Operation::shl:
      value = shifted(a << (b & 63));
      return;
    case Operation::lshr:
      value = shifted(a >> (b & 63));
      return;
    case Operation::ashr:
      value = shifted(words((i >> kUnused) >> signed_words(b & 63)));
      return;
    case Operation::eq:
      value = mask(a == b);
      return;
    case Operation::ne:
      value = mask(a != b);
      return;
    case Operation::slt:
      value = mask(i < j);
      return;
    case Operation::sge:
      value = mask(i >= j);
      return;
    case Operation::ult:
      value = mask(a < b);
      return;
    case Operation::ord:
      value = mask(x == x) & mask(y == y);
      return;
    case Operation::oeq:
      value = mask(x == y);
      return;
    case Operation::une:
      value = mask(x != y);
      return;
    case Operation::olt:
      value = mask(x < y);
      return;
    case Operation::smin:
      value = choose(mask(i < j), a, b);
      return;
    case Operation::smax:
      value = choose(mask(i < j), b, a);
      return;
    case Operation::umin:
      value = extreme_of_halves(true, a, b);
      return;
    case Operation::umax:
      value = extreme_of_halves(false, a, b);
      return;
    case Operation::input:
    case Operation::constant:
    case Operation::fadd:
    case Operation::fsub:
    case Operation::fmul:
    case Operation::fma:
      return;
  }
}

void TapeWriter::run_on_numbers(Step& step) {
  const Numbers x = emulator::simd::numbers(tape_[step.a].value);
  const Numbers y = emulator::simd::numbers(tape_[step.b].value);
  const Numbers z = emulator::simd::numbers(tape_[step.c].value);
  const auto result = [&]<To to>(std::integral_constant<To, to>) {
    if (step.operation == Operation::fadd) return small::add<to>(x, y);
    if (step.operation == Operation::fsub) return small::add<to>(x, -y);
    if (step.operation == Operation::fmul) return small::multiply<to>(x, y);
    return small::multiply_add<to>(x, y, z);
  };
  constexpr std::integral_constant<To, To::nearest> kNearest;
  constexpr std::integral_constant<To, To::zero> kZero;
  constexpr std::integral_constant<To, To::down> kDown;
  constexpr std::integral_constant<To, To::up> kUp;
  switch (directed_ ? step.to : Direction::nearest) {
    case Direction::nearest:
      step.value = words(result(kNearest));
      break;
    case Direction::toward_zero:
      step.value = words(result(kZero));
      break;
    case Direction::down:
      step.value = words(result(kDown));
      break;
    case Direction::up:
      step.value = words(result(kUp));
      break;
  }
  if (step.exact && directed_) inexact |= words(SignedWords(result(kUp) != result(kDown)));
}

}  // namespace gdr::proof
