#include "integer_code.h"

#include <algorithm>
#include <string_view>

#include "gdr/base/error.h"

namespace gdr::emulator::jit {
namespace {

constexpr std::uint32_t kLowBits = widths::kLow;
constexpr std::uint64_t kLowMask = widths::ones(widths::kLow);

std::string low_plane(const ArithmeticWriter& writer, const Value& word) {
  return word.second.empty() ? writer.literal(std::uint64_t{0}) : word.second;
}

class Integers {
 public:
  Integers(ArithmeticWriter& writer, const Node& node, const Value& a, const Value& b)
      : w_(writer), node_(node), a_(a), b_(b), is_long_(node.type == NodeType::long_bits) {}

  Value result() {
    switch (node_.op) {
      case NodeOp::integer_add:
        return sum("add", kLowBits);
      case NodeOp::integer_subtract:
        return sum("sub", widths::kHigh - 1);
      case NodeOp::bit_and:
        return of_planes("and");
      case NodeOp::bit_or:
        return of_planes("or");
      case NodeOp::bit_xor:
        return of_planes("xor");
      case NodeOp::bit_not:
        return inverted();
      case NodeOp::shift_left:
        if (by_word()) return shifted_left_by_word();
        return is_long_ ? shifted_left() : Value{shift("shl", a_.first, node_.place), {}};
      case NodeOp::shift_right:
        return by_word() ? shifted_right_by_word("lshr") : shifted_right("lshr");
      case NodeOp::shift_right_signed:
        return by_word() ? shifted_right_by_word("ashr") : shifted_right("ashr");
      case NodeOp::larger:
        return extreme("smax", a_, b_);
      case NodeOp::smaller:
        return extreme("smin", b_, a_);
      case NodeOp::row:
      case NodeOp::kept:
      case NodeOp::record:
      case NodeOp::parameter:
      case NodeOp::constant:
      case NodeOp::number:
      case NodeOp::bits:
      case NodeOp::upper:
      case NodeOp::lower:
      case NodeOp::row_to_gather:
      case NodeOp::row_to_scatter:
      case NodeOp::gather:
      case NodeOp::scatter:
      case NodeOp::port:
      case NodeOp::add:
      case NodeOp::multiply:
      case NodeOp::cut:
      case NodeOp::flag:
      case NodeOp::is_zero:
      case NodeOp::is_negative:
      case NodeOp::is_below:
      case NodeOp::select:
        break;
    }
    GDR_ASSERT(false, "the caller has the code of words, numbers and flags");
  }

 private:
  [[nodiscard]] std::string low_of(const Value& word) const { return low_plane(w_, word); }
  Value of_planes(const char* op) {
    Value value{w_.integer(op, a_.first, b_.first), {}};
    if (is_long_) value.second = w_.integer(op, low_of(a_), low_of(b_));
    return value;
  }

  /// Sum or difference. The carry or borrow of the low planes is in the bits of their result from `carry` on.
  Value sum(const char* op, unsigned carry) {
    Value planes = of_planes(op);
    if (!is_long_) return planes;
    const std::string carried = shift("lshr", planes.second, carry);
    return {w_.integer(op, planes.first, carried), low_bits(planes.second)};
  }

  Value inverted() {
    const std::string high = w_.integer("xor", a_.first, w_.literal(~std::uint64_t{0}));
    if (!is_long_) return {short_bits(high), {}};
    return {high, w_.integer("xor", low_of(a_), w_.literal(kLowMask))};
  }

  Value shifted_left() {
    const std::uint32_t count = node_.place;
    const std::string low = low_of(a_);
    const std::string from_low =
        count < kLowBits ? shift("lshr", low, kLowBits - count) : shift("shl", low, count - kLowBits);
    return {w_.integer("or", shift("shl", a_.first, count), from_low), low_bits(shift("shl", low, count))};
  }

  /// `how` shifts the high plane, with its sign ("ashr") or without ("lshr").
  Value shifted_right(const char* how) {
    const std::uint32_t count = node_.place;
    const std::string high = shift(how, a_.first, count);
    if (!is_long_) return {short_bits(high), {}};
    std::string low =
        count < kLowBits ? shift("shl", a_.first, kLowBits - count) : shift(how, a_.first, count - kLowBits);
    if (count < kLowBits) low = w_.integer("or", low, shift("lshr", low_of(a_), count));
    return {high, low_bits(low)};
  }

  // ---- by a count that is a word. Of two terms that are shifted by n and by -n, one is always zero.
  [[nodiscard]] bool by_word() const { return node_.args[1] != kNoNode; }

  /// The count as a word of its own; 255 if it does not fit into a long word's low plane.
  std::string count_in_word() {
    if (!is_long_) return shift("lshr", b_.first, widths::kBelowShort);
    const std::string small = w_.compare("eq", b_.first, w_.literal(std::uint64_t{0}));
    return w_.select(small, CodeType::bits, low_of(b_), w_.literal(kLowMask));
  }
  std::string less_low_bits(const std::string& count) {
    return w_.integer("sub", count, w_.literal(std::uint64_t{kLowBits}));
  }
  std::string low_bits_less(const std::string& count) {
    return w_.integer("sub", w_.literal(std::uint64_t{kLowBits}), count);
  }

  Value shifted_left_by_word() {
    const std::string count = count_in_word();
    const std::string high = shift_by_word("shl", a_.first, count);
    if (!is_long_) return {high, {}};
    const std::string low = low_of(a_);
    const std::string far = shift_by_word("shl", low, less_low_bits(count));
    const std::string near = shift_by_word("lshr", low, low_bits_less(count));
    return {w_.integer("or", high, w_.integer("or", far, near)), low_bits(shift_by_word("shl", low, count))};
  }

  Value shifted_right_by_word(const char* how) {
    const std::string count = count_in_word();
    const std::string high = shift_by_word(how, a_.first, count);
    if (!is_long_) return {short_bits(high), {}};
    const std::string own = shift_by_word("lshr", low_of(a_), count);
    const std::string near = w_.integer("or", own, shift_by_word("shl", a_.first, low_bits_less(count)));
    const std::string far = shift_by_word(how, a_.first, less_low_bits(count));
    const std::string is_near = w_.compare("ult", count, w_.literal(std::uint64_t{kLowBits}));
    return {high, low_bits(w_.select(is_near, CodeType::bits, near, far))};
  }

  /// Shifts by 64 and more leave zero, or the sign.
  std::string shift_by_word(const char* how, const std::string& word, const std::string& count) {
    constexpr std::uint64_t kBits = widths::kHigh;
    if (std::string_view(how) == "ashr") {
      const std::string sign = w_.integer("ashr", word, w_.literal(kBits - 1));
      return w_.integer("xor", shift_by_word("lshr", w_.integer("xor", word, sign), count), sign);
    }
    const std::string within = w_.compare("ult", count, w_.literal(kBits));
    const std::string shifted = w_.integer(how, word, count);
    return w_.select(within, CodeType::bits, shifted, w_.literal(std::uint64_t{0}));
  }

  /// Returns the second operand where `first` is less than `second`. For `smin` the caller passes these in reverse
  /// order.
  Value extreme(const char* which, const Value& first, const Value& second) {
    if (!is_long_) return {w_.extreme(which, a_.first, b_.first), {}};
    const std::string chosen = is_below(w_, "slt", first, second);
    return {w_.select(chosen, CodeType::bits, b_.first, a_.first),
            w_.select(chosen, CodeType::bits, low_of(b_), low_of(a_))};
  }

  /// Shifts by any constant count; bits that are shifted out are lost.
  std::string shift(const char* how, const std::string& word, std::uint32_t count) {
    constexpr std::uint32_t kMost = widths::kHigh - 1;
    if (count > kMost && std::string_view(how) != "ashr") return w_.literal(std::uint64_t{0});
    return w_.integer(how, word, w_.literal(std::uint64_t{std::min(count, kMost)}));
  }

  std::string low_bits(const std::string& plane) { return w_.integer("and", plane, w_.literal(kLowMask)); }
  std::string short_bits(const std::string& word) {
    return w_.integer("and", word, w_.literal(~widths::ones(widths::kBelowShort)));
  }

  ArithmeticWriter& w_;
  const Node& node_;
  const Value& a_;
  const Value& b_;
  bool is_long_;
};

}  // namespace

Value integer_result(ArithmeticWriter& writer, const Node& node, const Value& a, const Value& b) {
  return Integers(writer, node, a, b).result();
}

std::string is_below(ArithmeticWriter& writer, const char* how, const Value& a, const Value& b) {
  std::string above = writer.compare(how, a.first, b.first);
  if (a.second.empty() && b.second.empty()) return above;
  const std::string below = writer.compare("ult", low_plane(writer, a), low_plane(writer, b));
  return writer.either(above, writer.both(writer.compare("eq", a.first, b.first), below));
}

}  // namespace gdr::emulator::jit
