#include "gdr/emulator/host_reduction.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "host_arithmetic.h"
#include "semantics.h"

namespace gdr::emulator {
namespace {

/// What the host itself makes of two doubles. The functions have the names of the reductions.
struct HostNumber {
  double value;
};
HostNumber fadd(HostNumber a, HostNumber b, Width) { return {a.value + b.value}; }
HostNumber fmax(HostNumber a, HostNumber b, Width) { return {b.value > a.value ? b.value : a.value}; }
HostNumber fmin(HostNumber a, HostNumber b, Width) { return {b.value < a.value ? b.value : a.value}; }

/// What the machine makes of them.
struct MachineNumber {
  double value = 0;
  FpEvent event = FpEvent::none;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr unsigned kDoubleFractionBits = 52;

/// The bits of a double that means something else to the machine than to the host, or that only one of them has: all
/// but normal numbers and +0.
constexpr bool is_special(std::uint64_t bits) {
  // The exponents 2047 and 0 are the two that have only zeros above the lowest bit when they are one larger.
  return (((bits >> kDoubleFractionBits) + 1) & 2046) == 0 && bits != 0;
}

double as_the_machine_reads_it(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t exponent = (bits >> kDoubleFractionBits) & 2047;
  if (exponent == 0) return 0;
  return exponent == 2047 ? std::copysign(kInfinity, value) : value;
}

MachineNumber fadd(MachineNumber a, MachineNumber b, Width) {
  if (std::isinf(a.value) && std::isinf(b.value) && a.value != b.value) return {kInfinity, FpEvent::invalid};
  if (std::isinf(a.value)) return a;
  if (std::isinf(b.value)) return b;
  const double sum = a.value + b.value;
  if (std::isinf(sum)) return {sum, FpEvent::overflow};
  // A subnormal sum of doubles is exact, so it cannot round up to a normal number.
  if (std::fpclassify(sum) == FP_SUBNORMAL) return {0, FpEvent::underflow};
  return {sum == 0 ? 0 : sum};
}
MachineNumber fmax(MachineNumber a, MachineNumber b, Width) { return b.value > a.value ? b : a; }
MachineNumber fmin(MachineNumber a, MachineNumber b, Width) { return b.value < a.value ? b : a; }

/// `operation` is a functor, which takes HostNumbers and MachineNumbers.
template <class Operation>
std::vector<NumberEvent> reduce_all(Operation operation, std::span<double> sums, std::span<const double> more) {
  GDR_ASSERT(sums.size() == more.size(), "both sides of a reduction have the same results");
  const HostArithmetic arithmetic(Subnormals::kept);
  std::vector<NumberEvent> events;
  // Almost all numbers are ordinary, so the host reduces a batch in vectors and only then looks whether it may.
  constexpr std::size_t kBatch = 64;
  std::array<double, kBatch> reduced;
  for (std::size_t first = 0; first < sums.size(); first += kBatch) {
    const std::size_t size = std::min(kBatch, sums.size() - first);
    double* const to = sums.data() + first;
    const double* const from = more.data() + first;
    bool special = false;
    for (std::size_t n = 0; n < size; ++n) {
      reduced[n] = operation(HostNumber{to[n]}, HostNumber{from[n]}).value;
      special |= is_special(std::bit_cast<std::uint64_t>(to[n]));
      special |= is_special(std::bit_cast<std::uint64_t>(from[n]));
      special |= is_special(std::bit_cast<std::uint64_t>(reduced[n]));
    }
    if (!special) {
      std::copy_n(reduced.begin(), size, to);
      continue;
    }
    for (std::size_t n = 0; n < size; ++n) {
      const MachineNumber result =
          operation(MachineNumber{as_the_machine_reads_it(to[n])}, MachineNumber{as_the_machine_reads_it(from[n])});
      to[n] = result.value;
      if (result.event != FpEvent::none) events.push_back({first + n, result.event});
    }
  }
  return events;
}

}  // namespace

std::vector<NumberEvent> reduce_on_host(isa::Op op, std::span<double> sums, std::span<const double> more) {
  switch (op) {
#define GDR_CASE(OP, function, sources) \
  case isa::Op::OP:                     \
    return reduce_all([](auto a, auto b) { return function(a, b, Width::long_word); }, sums, more);
    GDR_FLOATING_POINT_REDUCTIONS(GDR_CASE)
#undef GDR_CASE
    default:
      break;
  }
  GDR_ASSERT(false, "the host's doubles have the floating-point operations of the tree's nodes");
  return {};
}

}  // namespace gdr::emulator
