#include "host_reduction.h"

#include <bit>

#include "semantics.h"

namespace gdr::emulator {
namespace {

/// A field that holds a double. The functions below give the host's arithmetic the names of the reductions.
struct HostNumber {
  double value;
};
HostNumber fadd(HostNumber a, HostNumber b, Width) { return {a.value + b.value}; }
HostNumber fmax(HostNumber a, HostNumber b, Width) { return b.value > a.value ? b : a; }
HostNumber fmin(HostNumber a, HostNumber b, Width) { return b.value < a.value ? b : a; }

/// An operand for the ALU, sign extended to 72 bits. The low 64 bits of the ALU's result are those of a 64-bit
/// operation.
LongWord long_integer(std::uint64_t field) {
  return LongWord::from_bits(static_cast<uint128>(isa::int128{static_cast<std::int64_t>(field)}));
}

}  // namespace

std::uint64_t reduce_on_host(isa::Op op, std::uint64_t a, std::uint64_t b) {
  switch (op) {
#define GDR_CASE(OP, function, sources)                                                                             \
  case isa::Op::OP: {                                                                                               \
    const HostNumber x{std::bit_cast<double>(a)};                                                                   \
    return std::bit_cast<std::uint64_t>(function(x, HostNumber{std::bit_cast<double>(b)}, Width::long_word).value); \
  }
    GDR_FLOATING_POINT_REDUCTIONS(GDR_CASE)
#undef GDR_CASE
    default:
      break;
  }
  GDR_ASSERT(isa::info_of(op).reduces, "a program's reductions are operations of the tree's nodes");
  return static_cast<std::uint64_t>(compute(op, long_integer(a), long_integer(b), Width::long_word).value.bits());
}

}  // namespace gdr::emulator
