// Integer ALU.
#include <bit>

#include "gdr/base/error.h"
#include "gdr/emulator/arithmetic.h"

namespace gdr::emulator {
namespace {

uint128 ones(Width width) { return (uint128{1} << isa::bits_of(width)) - 1; }

bool sign_of(uint128 value, Width width) { return ((value >> (isa::bits_of(width) - 1)) & 1) != 0; }

/// The low bits of `value` with their flags.
AluResult result_of(uint128 value, Width width, bool carry = false) {
  value &= ones(width);
  return {value, sign_of(value, width), value == 0, carry};
}

void require_operands(uint128 a, uint128 b, Width width) {
  GDR_ASSERT(a <= ones(width) && b <= ones(width), "an ALU operand has no bits above its width");
}

/// Signed order: flipping the sign bit turns it into the unsigned one.
bool signed_less(uint128 a, uint128 b, Width width) {
  const uint128 sign = uint128{1} << (isa::bits_of(width) - 1);
  return (a ^ sign) < (b ^ sign);
}

}  // namespace

AluResult uadd(uint128 a, uint128 b, Width width) {
  require_operands(a, b, width);
  return result_of(a + b, width, a + b > ones(width));
}

AluResult usub(uint128 a, uint128 b, Width width) {
  require_operands(a, b, width);
  return result_of(a - b, width, a < b);
}

AluResult uand(uint128 a, uint128 b, Width width) {
  require_operands(a, b, width);
  return result_of(a & b, width);
}

AluResult uor(uint128 a, uint128 b, Width width) {
  require_operands(a, b, width);
  return result_of(a | b, width);
}

AluResult uxor(uint128 a, uint128 b, Width width) {
  require_operands(a, b, width);
  return result_of(a ^ b, width);
}

AluResult unot(uint128 a, Width width) {
  require_operands(a, 0, width);
  return result_of(~a, width);
}

AluResult ulsl(uint128 a, uint128 b, Width width) {
  require_operands(a, b, width);
  return result_of(b < static_cast<unsigned>(isa::bits_of(width)) ? a << static_cast<int>(b) : 0, width);
}

AluResult ulsr(uint128 a, uint128 b, Width width) {
  require_operands(a, b, width);
  return result_of(b < static_cast<unsigned>(isa::bits_of(width)) ? a >> static_cast<int>(b) : 0, width);
}

AluResult uasr(uint128 a, uint128 b, Width width) {
  require_operands(a, b, width);
  const uint128 fill = sign_of(a, width) ? ones(width) : 0;
  if (b >= static_cast<unsigned>(isa::bits_of(width))) return result_of(fill, width);
  const int count = static_cast<int>(b);
  return result_of((a >> count) | (fill << (isa::bits_of(width) - count)), width);
}

AluResult upassa(uint128 a, Width width) {
  require_operands(a, 0, width);
  return result_of(a, width);
}

AluResult umax(uint128 a, uint128 b, Width width) {
  require_operands(a, b, width);
  return result_of(signed_less(a, b, width) ? b : a, width);
}

AluResult umin(uint128 a, uint128 b, Width width) {
  require_operands(a, b, width);
  return result_of(signed_less(b, a, width) ? b : a, width);
}

AluResult ulzc(uint128 a, Width width) {
  require_operands(a, 0, width);
  const auto upper = static_cast<std::uint64_t>(a >> 64);
  const int leading = upper != 0 ? std::countl_zero(upper) : 64 + std::countl_zero(static_cast<std::uint64_t>(a));
  return result_of(static_cast<unsigned>(leading - (128 - isa::bits_of(width))), width);
}

}  // namespace gdr::emulator
