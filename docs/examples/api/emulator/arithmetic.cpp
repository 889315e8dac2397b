// Computes with single words of the chip: rounding to long and short words, flags, floating-point events, integers.
#include <gdr/emulator/arithmetic.h>
#include <gdr/emulator/chip.h>
#include <gdr/emulator/conversion.h>

#include <cstdint>
#include <cstdio>
#include <string>

using namespace gdr::emulator;

namespace {

void print(const char* what, const FpResult& result) {
  const char* sign = result.zero ? "zero" : result.negative ? "negative" : "positive";
  const std::string event = result.event == FpEvent::none ? "" : ", " + std::string(name_of(result.event));
  std::printf("%-19s  %s  %12.9g  %s%s\n", what, to_hex(result.value).c_str(), flt72to64(result.value).value, sign,
              event.c_str());
}

}  // namespace

int main() {
  const LongWord one = flt64to72(1).value;
  const LongWord tiny = flt64to72(0x1p-60).value;
  print("1 + 2^-60, long", fadd(one, tiny, Width::long_word));  // 61 significant bits; a double has 53
  print("1 + 2^-60, short", fadd(one, tiny, Width::short_word));
  print("1 - 1", fsub(one, one, Width::long_word));

  const LongWord tenth = widen(flt64to36(0.1).value);  // the second factor of fmul must be a short word
  print("-1 * 0.1", fmul(negate(one), tenth, Width::long_word));
  const LongWord large = flt64to72(0x1p1023).value;
  const FpResult infinite = fadd(large, large, Width::long_word);
  print("2^1023 + 2^1023", infinite);
  print("infinity - infinity", fsub(infinite.value, infinite.value, Width::long_word));

  const AluResult sum = uadd(gdr::isa::kShortMask, 2, Width::short_word);  // modulo 2^36
  std::printf("%-19s  %s%s\n", "(2^36 - 1) + 2", to_hex(ShortWord{static_cast<std::uint64_t>(sum.value)}).c_str(),
              sum.carry ? "  carry" : "");
}
