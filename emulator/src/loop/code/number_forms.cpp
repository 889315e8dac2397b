#include "number_forms.h"

#include "gdr/base/error.h"

namespace gdr::emulator::jit {
namespace {

using isa::Width;

std::string short_sum(NumberCode& code, const HeldNumber& a, const HeldNumber& b) {
  ArithmeticWriter& writer = code.writer();
  const std::string& x = a.value.first;
  const std::string& y = b.value.first;
  // The sum of two short numbers is exact, or so far from a tie that rounding it twice gives the same result.
  if (a.is_short() && b.is_short()) return code.short_of_exact(writer.add(x, y));
  if (!a.is_pair()) return code.short_of_sum(x, y);
  if (code.is_robust()) {
    std::string rest;
    const std::string head = code.two_sum(x, y, rest);
    return code.short_of_sum(head, code.with_rests(rest, a.value, b.value));
  }
  std::string rests = a.value.second;
  if (!b.value.second.empty()) rests = writer.add(a.value.second, b.value.second);
  return code.short_of_near(writer.add(writer.add(x, y), rests), 4);
}

}  // namespace

Value sum_of(NumberCode& code, const HeldNumber& a, const HeldNumber& b, Width width) {
  GDR_ASSERT(a.is_pair() || !b.is_pair(), "a pair is the first operand of a sum");
  if (code.target().host_doubles) return {code.writer().exact_add(a.value.first, b.value.first), {}};
  if (width == Width::short_word) return {short_sum(code, a, b), {}};
  if (!a.is_pair()) return code.sum_of_doubles(a.value.first, b.value.first);
  std::string rest;
  const std::string head = code.two_sum(a.value.first, b.value.first, rest);
  return code.rounded_sum(head, code.with_rests(rest, a.value, b.value));
}

Value sum_with_product_of(NumberCode& code, const std::string& a, const std::string& b, const std::string& c) {
  if (code.is_robust()) return {code.short_of_product_and_sum(a, b, c), {}};
  return {code.short_of_near(code.writer().multiply_add(a, b, c), 0), {}};
}

std::string port_of(NumberCode& code, const HeldNumber& a) {
  if (code.target().host_doubles || (!a.is_pair() && a.bits <= kPortBits)) return a.value.first;
  if (a.value.second.empty()) return code.writer().masked(a.value.first, ~kBelowPort);
  return code.writer().masked(code.toward_zero(a.value), ~kBelowPort);
}

Value product_of(NumberCode& code, const HeldNumber& a, const HeldNumber& b, Width width) {
  const std::string& x = a.value.first;
  const std::string& y = b.value.first;
  if (code.target().host_doubles) return {code.writer().exact_multiply(x, y), {}};
  if (a.is_short() && b.is_short()) {
    const std::string exact = code.writer().exact_multiply(x, y);
    return {width == Width::short_word ? code.short_of_product(exact) : exact, {}};
  }
  if (width == Width::short_word) return {code.short_of_long_product(x, y), {}};
  return code.rounded_product(x, y);
}

Value cut_of(NumberCode& code, const HeldNumber& a, Width width) {
  const Value& value = a.value;
  if (code.target().host_doubles || width == Width::long_word || a.is_short()) return value;
  if (!value.second.empty()) return {code.short_of_sum(value.first, value.second), {}};
  return {code.is_robust() ? code.short_of_exact(value.first) : code.short_of_near(value.first, 0), {}};
}

}  // namespace gdr::emulator::jit
