// What several N-body tests need.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "gdr/base/error.h"
#include "gdr/hostlib/particles.h"
#include "scratch_directory.h"

namespace gdr::hostlib::testing {

using tests::ScratchDirectory;

constexpr double kPlummerRadius = 3.0 * std::numbers::pi / 16.0;  // of a sphere with W = -1/2, M = 1

/// Text of the gdr::Error that `call` throws; fails the test if it throws none.
template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no gdr::Error was thrown";
  return {};
}

/// The larger error. NaN is larger than all others, which std::max would pass over.
template <class Real>
[[nodiscard]] Real worse(Real a, Real b) {
  return std::isnan(a) || b <= a ? a : b;
}

/// Two bodies of mass 1/2 at the apocentre of an orbit with semi-major axis 1 (period 2 pi) about the origin.
inline Particles binary(double eccentricity) {
  const double apocentre = 1.0 + eccentricity;
  const double relative_speed = std::sqrt((1.0 - eccentricity) / apocentre);
  Particles p;
  p.push_back(0, 0.5, {apocentre / 2.0, 0.0, 0.0}, {0.0, relative_speed / 2.0, 0.0});
  p.push_back(1, 0.5, {-apocentre / 2.0, 0.0, 0.0}, {0.0, -relative_speed / 2.0, 0.0});
  return p;
}

}  // namespace gdr::hostlib::testing
