// The small doubles beside the host's own floats, whose format they take here: sums, products and their sums of random
// and special numbers in all four roundings.
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#include <fmt/format.h>

#include "counts.h"
#include "small_numbers.h"

namespace gdr::proof {
namespace {

using namespace emulator::simd;

constexpr int kPairs = 2'000'000;  // in each rounding; a second

float float_of(std::uint64_t bits) {
  const auto word = static_cast<std::uint32_t>(bits);
  float value = 0;
  std::memcpy(&value, &word, sizeof value);
  return value;
}
std::uint64_t bits_of(float value) {
  std::uint32_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  return std::isnan(value) ? 0x7fc00000u : word;
}

/// Any word, or one near another: results that are exact, tied, cancelled, subnormal or infinite are frequent.
std::uint64_t next(std::mt19937_64& random, std::uint64_t other) {
  const std::uint64_t any = random();
  switch (any >> 61) {
    case 0:
      return (other ^ (std::uint64_t{1} << 31) ^ (any & 7)) & 0xffffffffu;
    case 1:
      return any & 0x80ffffffu;  // around the smallest
    case 2:
      return (any & 0x80ffffffu) | 0x7f000000u;  // around the largest
    case 3:
      return any & 0xffff0000u;
    case 4:
      return (other & 0xff800000u) ^ (any & 0x0fffffffu);
    default:
      return any & 0xffffffffu;
  }
}

template <To to>
int compare(int mode, const char* name) {
  std::mt19937_64 random(1);
  int wrong = 0;
  std::uint64_t last = 0x3f800000u;
  for (int n = 0; n < kPairs; n += kLanes) {
    Words a{};
    Words b{};
    Words c{};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      a[lane] = next(random, last);
      b[lane] = next(random, a[lane]);
      c[lane] = last = next(random, b[lane]);
    }
    // The small numbers are computed in the host's nearest mode.
    const Numbers x = small::number_of(a);
    const Numbers y = small::number_of(b);
    const Numbers z = small::number_of(c);
    const Words sum = small::bits_of(small::add<to>(x, y));
    const Words product = small::bits_of(small::multiply<to>(x, y));
    const Words fused = small::bits_of(small::multiply_add<to>(x, y, z));
    std::fesetround(mode);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      volatile float p = float_of(a[lane]);
      volatile float q = float_of(b[lane]);
      volatile float r = float_of(c[lane]);
      volatile float want_sum = p + q;
      volatile float want_product = p * q;
      volatile float want_fused = std::fma(p, q, r);
      const auto check = [&](const char* what, std::uint64_t got, float want) {
        if (got == bits_of(want) || (std::isnan(want) && std::isnan(float_of(got))) || wrong++ > 9) return;
        fmt::print("wrong: {} {}: {:08x} {:08x} {:08x}: {:08x} instead of {:08x}\n", what, name, bits_of(p), bits_of(q),
                   bits_of(r), got, bits_of(want));
      };
      check("sum", sum[lane], want_sum);
      check("product", product[lane], want_product);
      check("product and sum", fused[lane], want_fused);
    }
    std::fesetround(FE_TONEAREST);
  }
  return wrong;
}

int run(int, char**) {
  int wrong = compare<To::nearest>(FE_TONEAREST, "to nearest");
  wrong += compare<To::zero>(FE_TOWARDZERO, "toward zero");
  wrong += compare<To::down>(FE_DOWNWARD, "down");
  wrong += compare<To::up>(FE_UPWARD, "up");
  fmt::print("{} of {} results are wrong\n", wrong, 3 * 4 * kPairs);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gdr::proof

int main(int argc, char** argv) { return gdr::proof::run_if_possible(gdr::proof::run, argc, argv); }
