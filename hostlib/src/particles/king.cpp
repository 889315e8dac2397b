#include "gdr/hostlib/king.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "gdr/base/error.h"

namespace gdr::hostlib {
namespace {

constexpr double kFirstRadius = 1e-3;  // up to here W = W0 - 3 x^2 / 2 is exact to 1e-12
// Steps of sqrt(1 + x^2) / 256. Halving them changes the concentrations of W0 = 1 to 12 by less than 2e-11.
constexpr double kRelativeStep = 1.0 / 256.0;
constexpr int kBisections = 60;

/// Cubic polynomial with these values and slopes at the ends of an interval of length `h`, evaluated at the fraction
/// `s` (0..1) of the interval.
double hermite_cubic(double s, double h, double y0, double slope0, double y1, double slope1) {
  const double r = 1.0 - s;
  return r * r * ((1.0 + 2.0 * s) * y0 + s * h * slope0) + s * s * ((3.0 - 2.0 * s) * y1 - r * h * slope1);
}

}  // namespace

// The density obeys d rho / d W = rho + (4 / (3 sqrt(pi))) W^(3/2), whose series has only positive terms. Unlike the
// closed form, the series loses no digits to cancellation at small W, and it needs no library function.
double lowered_maxwellian_density(double w) {
  if (!(w > 0.0)) return 0.0;
  double term = w * w * std::sqrt(w) * (4.0 / (3.0 * std::sqrt(std::numbers::pi))) / 2.5;
  double sum = 0.0;
  for (double power = 3.5; sum + term != sum; power += 1.0) {
    sum += term;
    term *= w / power;
  }
  return sum;
}

KingModel::KingModel(double w0) {
  if (!(w0 >= kLeastKingW0 && w0 <= kMostKingW0)) {
    throw Error(fmt::format("W0 = {} is refused: it must be {} to {}", w0, kLeastKingW0, kMostKingW0));
  }
  central_ = lowered_maxwellian_density(w0);
  points_.push_back(point_at(0.0, w0, 0.0));
  points_.push_back(point_at(kFirstRadius, w0 - 1.5 * kFirstRadius * kFirstRadius, -3.0 * kFirstRadius));
  while (true) {
    const Point& last = points_.back();
    const Point next = step_from(last, kRelativeStep * std::sqrt(1.0 + last.x * last.x));
    if (next.w <= 0.0) break;
    points_.push_back(next);
  }
  // Newton's iteration for the length of the last step, which ends where W = 0.
  double h = points_.back().w / -points_.back().slope;
  for (int n = 0; n < 8; ++n) {
    const Point end = step_from(points_.back(), h);
    h -= end.w / end.slope;
  }
  Point edge = step_from(points_.back(), h);
  edge.w = 0.0;
  points_.push_back(edge);
}

KingModel::Point KingModel::point_at(double x, double w, double slope) const {
  return {x, w, slope, -x * x * slope, 9.0 * x * x * density(w)};
}

KingModel::Point KingModel::step_from(const Point& p, double h) const {
  const auto curvature = [&](double x, double w, double slope) { return -9.0 * density(w) - 2.0 / x * slope; };
  const double half = 0.5 * h;
  const double w1 = p.slope;
  const double s1 = curvature(p.x, p.w, p.slope);
  const double w2 = p.slope + half * s1;
  const double s2 = curvature(p.x + half, p.w + half * w1, w2);
  const double w3 = p.slope + half * s2;
  const double s3 = curvature(p.x + half, p.w + half * w2, w3);
  const double w4 = p.slope + h * s3;
  const double s4 = curvature(p.x + h, p.w + h * w3, w4);
  return point_at(p.x + h, p.w + h / 6.0 * (w1 + 2.0 * w2 + 2.0 * w3 + w4),
                  p.slope + h / 6.0 * (s1 + 2.0 * s2 + 2.0 * s3 + s4));
}

double KingModel::concentration() const { return std::log10(tidal_radius()); }

double KingModel::density(double w) const { return lowered_maxwellian_density(w) / central_; }

double KingModel::radius_of_mass(double fraction) const {
  const double wanted = std::clamp(fraction, 0.0, 1.0) * mass();
  const auto above = std::upper_bound(points_.begin() + 1, points_.end() - 1, wanted,
                                      [](double m, const Point& point) { return m < point.m; });
  const Point& b = *above;
  const Point& a = *std::prev(above);
  const double h = b.x - a.x;
  double least = 0.0;
  double most = 1.0;
  for (int n = 0; n < kBisections; ++n) {
    const double s = 0.5 * (least + most);
    (hermite_cubic(s, h, a.m, a.m_slope, b.m, b.m_slope) < wanted ? least : most) = s;
  }
  return a.x + 0.5 * (least + most) * h;
}

double KingModel::potential(double x) const {
  if (x >= tidal_radius()) return 0.0;
  const auto above = std::upper_bound(points_.begin() + 1, points_.end() - 1, x,
                                      [](double r, const Point& point) { return r < point.x; });
  const Point& b = *above;
  const Point& a = *std::prev(above);
  const double h = b.x - a.x;
  return hermite_cubic((x - a.x) / h, h, a.w, a.slope, b.w, b.slope);
}

}  // namespace gdr::hostlib
