// To round a number, or to take a whole number out of it, a program adds a constant so large that the sum's last bit
// has the wanted weight: 1.5 2^k, or 2^k for numbers of one sign. In a short word of the machine that is the bit
// 2^(k-24), in a long one 2^(k-60). Native keeps doubles in both, whose last bit is 2^(k-52), so the sum would be
// rounded elsewhere or not at all.
#include "native_limits.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "gdr/base/error.h"
#include "gdr/emulator/chip.h"

namespace gdr::emulator::simd {
namespace {

using isa::Op;
using isa::Source;
using isa::Unit;

/// Of 1.5 2^k: from here on a short word's last bit is worth 1/2 or more, and the number is no constant of a formula.
constexpr int kLeastOneAndAHalf = 23;
/// Of 2^k, which formulas have: only where it is added, and then it swamps a short word's numbers below 65536.
constexpr int kLeastPower = 40;

bool stores_sum(const isa::Line& line) {
  return line.t_write.source == Unit::adder || line.gpr_write.source == Unit::adder ||
         line.lm_write.source == Unit::adder;
}

/// The constant with which the line rounds; 0: it does not.
double rounding_constant(const isa::Line& line) {
  if (line.immediate.value.low != 0) return 0;
  const auto constant = std::bit_cast<double>(line.immediate.value.high);
  if (!std::isfinite(constant)) return 0;
  int exponent = 0;
  const double fraction = 2 * std::abs(std::frexp(constant, &exponent));  // 1 to 2, of 2^(exponent - 1)
  if (fraction == 1.5 && exponent > kLeastOneAndAHalf) return constant;
  const bool adds = (line.adder.op == Op::FADD || line.adder.op == Op::FSUB) &&
                    (line.adder.a == Source::immediate || line.adder.b == Source::immediate);
  return adds && stores_sum(line) && fraction == 1 && exponent > kLeastPower ? constant : 0;
}

}  // namespace

void refuse_rounding_by_constants(const DecodedProgram& code) {
  for (std::size_t number = 0; number < isa::kSections; ++number) {
    const auto section = static_cast<isa::Section>(number);
    const std::vector<const DecodedLine*> lines = lines_of(code.steps(section));
    for (std::size_t at = 0; at < lines.size(); ++at) {
      const double constant = rounding_constant(lines[at]->line);
      if (constant == 0) continue;
      throw Error(
          fmt::format("{}: this line takes a number apart with the constant {} and the last bits of the "
                      "machine's words; engine native keeps no such words: choose another one, such as simd",
                      source_place(code.program, section, at), constant));
    }
  }
}

}  // namespace gdr::emulator::simd
