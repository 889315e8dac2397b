// The gamma function and its logarithm, in long words: from 1 to 2 by polynomials, up to 8 by the products of the
// recurrence, beyond by Stirling's series, and below 0 by the reflection formula.
#include <algorithm>
#include <limits>
#include <vector>

#include "function_reader.h"

namespace gdr::compiler {
namespace {

constexpr double kPi = 3.141592653589793;
constexpr double kSeriesFrom = 8;         // from here on the series is off by less than 2^-53
constexpr int kSteps = 6;                 // from below that to 2
constexpr double kMiddle = 1.5;           // of the range of the polynomials
constexpr double kAllWholeFrom = 0x1p52;  // doubles from here on are whole
constexpr double kLnPi = 1.1447298858494002;
constexpr double kHalfLn2PiLessHalf = 0.4189385332046727;  // (ln 2 pi - 1) / 2

// Least errors, by Chebyshev's nodes, of gamma and of ln gamma / ((y - 1) (y - 2)) over y from 1 to 2, by powers of
// y - 1.5; the highest first.
const std::vector<double>& of_gamma() {
  static const std::vector<double> all{
      -0.00025303807808043895, 0.00037955491879486174, -0.00022139952612051456, 0.0003320885800907498,
      -0.0007046879722466143,  0.0010569633457018935,  -0.0015159595901781905,  0.002273514062024839,
      -0.003423629338262631,   0.005132883760616497,   -0.007690139287816347,   0.011522407277990318,
      -0.017222447013020576,   0.02583761230507782,    -0.03800193543217766,    0.058610303633145476,
      -0.07752305230182892,    0.1446453590475836,     -0.10729480456475984,    0.4148134536882826,
      0.032338397448885,       0.886226925452758};
  return all;
}

const std::vector<double>& of_logarithm() {
  static const std::vector<double> all{
      -1.804276273750087e-05, 2.8340547351058232e-05, -2.2062867871136606e-05, 3.4988964640274815e-05,
      -6.765020809380933e-05, 0.00010771545393886628, -0.00016865016226225166, 0.0002708950296280356,
      -0.0004380224528708151, 0.0007115650250304279,  -0.0011644126224041502,  0.0019229132430031888,
      -0.003212074148968353,  0.005446457956850198,   -0.009425622447061077,   0.01679709862898276,
      -0.0313084875010217,    0.06291140107458168,    -0.14595989591430608,    0.4831289505409809};
  return all;
}

// B_2n / (2n (2n - 1)), n from 8 down to 1.
const std::vector<double>& of_series() {
  static const std::vector<double> all{-3617.0 / 122400, 1.0 / 156,  -691.0 / 360360, 1.0 / 1188,
                                       -1.0 / 1680,      1.0 / 1260, -1.0 / 360,      1.0 / 12};
  return all;
}

}  // namespace

int FunctionReader::gamma_function(Type type, int argument, bool logarithm) {
  if (argument < 0) return -1;
  const Type wide = Type::float_long;
  const auto constant = [&](double value) { return number(wide, value); };
  const auto one_of = [&](Act act, int of) { return add(act, wide, {of}); };
  const auto two_of = [&](Act act, int a, int b) { return add(act, wide, {a, b}); };
  const auto chosen = [&](int where, int yes, int no) { return add(Act::select, wide, {where, yes, no}); };
  const auto less = [&](int a, int b) { return conditions_.comparison(Act::less, a, b); };
  // Horner's scheme. Where `count` terms or more follow, the error of a short factor does not matter.
  const auto horner = [&](const std::vector<double>& coefficients, int x, std::size_t count) {
    const int brief = add(Act::widen, wide, {add(Act::narrow, Type::float_short, {x})});
    int sum = constant(coefficients.front());
    for (std::size_t n = 1; n < coefficients.size(); ++n)
      sum = two_of(Act::add, two_of(Act::mul, sum, n + count < coefficients.size() ? brief : x),
                   constant(coefficients[n]));
    return sum;
  };
  const bool any_sign = bounds(argument).low < 0;
  const int x = type == wide ? argument : add(Act::widen, wide, {argument});
  const int zero = constant(0);
  const int one = constant(1);
  const int below_zero = less(x, zero);
  const int z = any_sign ? chosen(below_zero, two_of(Act::sub, one, x), x) : x;
  // gamma(z) = product * gamma(y), and gamma(y) / z for z below 1.
  const int is_small = less(z, one);
  const int is_near = less(z, constant(kSeriesFrom));
  int y = chosen(is_small, two_of(Act::add, z, one), z);
  int product = one;
  for (int step = 0; step < kSteps; ++step) {
    const int above = less(constant(2), y);
    const int less_one = two_of(Act::sub, y, one);
    product = chosen(above, step == 0 ? less_one : two_of(Act::mul, product, less_one), product);
    y = chosen(above, less_one, y);
  }
  const int u = two_of(Act::sub, y, constant(kMiddle));
  constexpr std::size_t kAllWide = std::numeric_limits<std::size_t>::max() / 2;
  const int inverse = two_of(Act::div, one, z);
  const int correction = two_of(Act::mul, horner(of_series(), two_of(Act::mul, inverse, inverse), 2), inverse);
  const auto series = [&](int ln_z) {
    const int main = two_of(Act::mul, two_of(Act::sub, z, constant(0.5)), two_of(Act::sub, ln_z, one));
    return two_of(Act::add, main, two_of(Act::add, correction, constant(kHalfLn2PiLessHalf)));
  };
  // sin(pi x), of the distance to the nearest whole number and its parity.
  const auto sine = [&] {
    const int whole = one_of(Act::nearest, x);
    const int half = two_of(Act::mul, whole, constant(0.5));
    const int is_even = conditions_.comparison(Act::equal, half, one_of(Act::nearest, half));
    const int of_rest = one_of(Act::sin, two_of(Act::mul, two_of(Act::sub, x, whole), constant(kPi)));
    return chosen(is_even, of_rest, one_of(Act::negate, of_rest));
  };
  int made = -1;
  if (logarithm) {
    const int ln = one_of(Act::log, chosen(is_small, z, chosen(is_near, product, z)));
    const int factors = two_of(Act::mul, two_of(Act::sub, y, one), two_of(Act::sub, y, constant(2)));
    const int of_y = two_of(Act::mul, horner(of_logarithm(), u, kAllWide), factors);
    const int near = two_of(Act::add, chosen(is_small, one_of(Act::negate, ln), ln), of_y);
    made = chosen(is_near, near, series(ln));
    if (any_sign) {
      const int reflected = two_of(Act::sub, constant(kLnPi), one_of(Act::log, one_of(Act::absolute, sine())));
      made = chosen(below_zero, two_of(Act::sub, reflected, made), made);
      const int far_below = less(x, constant(-kAllWholeFrom));
      made = chosen(far_below, constant(std::numeric_limits<double>::infinity()), made);
    }
  } else {
    const int near = two_of(Act::mul, horner(of_gamma(), u, kAllWide), product);
    const int above = chosen(is_near, near, one_of(Act::exp, series(one_of(Act::log, z))));
    int dividend = above;
    int divisor = z;
    if (any_sign) {
      dividend = chosen(below_zero, constant(kPi), above);
      divisor = chosen(below_zero, two_of(Act::mul, sine(), above), z);
    }
    made = chosen(less(x, one), two_of(Act::div, dividend, divisor), above);
  }
  return type == wide ? made : add(Act::narrow, type, {made});
}

}  // namespace gdr::compiler
