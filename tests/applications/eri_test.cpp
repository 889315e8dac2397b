// Two-electron integrals on the board against MPFR's error function with 50 digits.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "compiled.h"
#include "gdr/hostlib/device.h"

namespace gdr::applications_testing {
namespace {

constexpr mpfr_prec_t kPrecision = 192;  // bits: 57 digits
constexpr float kScale = 7;              // the kernel takes 7 / exponent

// Worst errors of a term, in roundings to short words of 2^-25 each: w s(t) is off by its factors and by four times the
// polynomial's fourth root, whose own rounding, sum of some ten terms and argument count 4: 22 at most, where w s is
// all of the radicand; half of it, with the radicand's own rounding, is in the reciprocal root. That adds 1e-7, and the
// fit 1.9e-8.
constexpr double kTerm = 12 * 0x1p-25 + 1e-7 + 1.9e-8;

struct Cloud {
  double x[3];
  float width;  // kScale / exponent
  double charge;
};

/// The potential of cloud j at cloud i, q_j erf(sqrt(rho) R) / R for rho = 1 / (1/p_i + 1/p_j), of the numbers that the
/// board receives.
double exact(const Cloud& i, const Cloud& j) {
  mpfr_t r, term, rho;
  mpfr_inits2(kPrecision, r, term, rho, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_zero(r, 1);
  for (int k = 0; k < 3; ++k) {
    mpfr_set_d(term, j.x[k], MPFR_RNDN);
    mpfr_sub_d(term, term, i.x[k], MPFR_RNDN);
    mpfr_sqr(term, term, MPFR_RNDN);
    mpfr_add(r, r, term, MPFR_RNDN);
  }
  mpfr_sqrt(r, r, MPFR_RNDN);
  mpfr_set_d(rho, i.width, MPFR_RNDN);
  mpfr_add_d(rho, rho, j.width, MPFR_RNDN);
  mpfr_d_div(rho, kScale, rho, MPFR_RNDN);  // infinite for two points
  mpfr_sqrt(rho, rho, MPFR_RNDN);
  if (mpfr_zero_p(r) != 0) {
    mpfr_const_pi(term, MPFR_RNDN);
    mpfr_rec_sqrt(term, term, MPFR_RNDN);
    mpfr_mul_ui(term, term, 2, MPFR_RNDN);
    mpfr_mul(term, term, rho, MPFR_RNDN);
  } else {
    mpfr_mul(term, rho, r, MPFR_RNDN);
    mpfr_erf(term, term, MPFR_RNDN);
    mpfr_div(term, term, r, MPFR_RNDN);
  }
  mpfr_mul_d(term, term, j.charge, MPFR_RNDN);
  const double value = mpfr_get_d(term, MPFR_RNDN);
  mpfr_clears(r, term, rho, static_cast<mpfr_ptr>(nullptr));
  return value;
}

std::vector<double> on_board(const std::vector<Cloud>& i, const std::vector<Cloud>& j) {
  static const isa::Program program = compiled("eri", 1);
  Device board;
  board.load(program);
  std::vector<std::uint64_t> fields;
  const auto add = [&fields](double value) { fields.push_back(std::bit_cast<std::uint64_t>(value)); };
  for (const Cloud& cloud : j) {
    std::for_each(std::begin(cloud.x), std::end(cloud.x), add);
    add(cloud.width);
    add(cloud.charge);
  }
  board.write_j(0, fields);
  fields.clear();
  for (const Cloud& cloud : i) {
    std::for_each(std::begin(cloud.x), std::end(cloud.x), add);
    add(cloud.width);
  }
  std::vector<double> potentials;
  for (const std::uint64_t word : board.run(fields, j.size())) potentials.push_back(std::bit_cast<double>(word));
  return potentials;
}

/// Clouds at distances from 2^-10 to 2^10 of their size about the origin, positions in short words.
std::vector<Cloud> clouds(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> direction;
  std::uniform_real_distribution<double> exponent(-10, 10);
  std::uniform_real_distribution<double> charge(0.5, 2);
  std::vector<Cloud> all;
  for (std::size_t n = 0; n < count; ++n) {
    Cloud cloud{{direction(random), direction(random), direction(random)}, 0, 0};
    const double distance = std::exp2(exponent(random));
    const double length = std::hypot(cloud.x[0], cloud.x[1], cloud.x[2]);
    for (double& x : cloud.x) x = static_cast<float>(x * distance / length);
    cloud.width = static_cast<float>(std::exp2(exponent(random) / 2));
    cloud.charge = static_cast<float>(charge(random));
    all.push_back(cloud);
  }
  return all;
}

TEST(TwoElectronIntegrals, OfOnePairAgreeWithFiftyDigits) {
  const std::vector<Cloud> i = clouds(500, 1);
  for (const float width : {0.0F, 0.25F, 4.0F, 100.0F}) {
    const Cloud j{{0, 0, 0}, width, 1.25};
    const std::vector<double> found = on_board(i, {j});
    for (std::size_t n = 0; n < i.size(); ++n) {
      const double expected = exact(i[n], j);
      EXPECT_NEAR(found[n], expected, kTerm * expected) << n << " of width " << i[n].width;
    }
  }
}

TEST(TwoElectronIntegrals, OfManyPairsAreTheirSum) {
  const std::vector<Cloud> i = clouds(40, 2);
  const std::vector<Cloud> j = clouds(333, 3);
  const std::vector<double> found = on_board(i, j);
  for (std::size_t n = 0; n < i.size(); ++n) {
    double expected = 0;
    for (const Cloud& cloud : j) expected += exact(i[n], cloud);
    EXPECT_NEAR(found[n], expected, kTerm * expected) << n;
  }
}

TEST(TwoElectronIntegrals, OfCloudsAtOnePlaceAreTheLimit) {
  const Cloud at{{0.3, -1, 2}, 3.5F, 1};
  EXPECT_NEAR(on_board({at}, {at})[0], exact(at, at), kTerm * exact(at, at));
}

TEST(TwoElectronIntegrals, OfPointsAreCoulombsLawAndNothingForOneWithItself) {
  const Cloud one{{0, 0, 0}, 0, 2};
  const Cloud other{{0, 3, 4}, 0, 5};
  const std::vector<double> found = on_board({one, other}, {one, other});
  EXPECT_NEAR(found[0], 1.0, kTerm);
  EXPECT_NEAR(found[1], 0.4, 0.4 * kTerm);
}

}  // namespace
}  // namespace gdr::applications_testing
