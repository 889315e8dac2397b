// Vectors of three doubles, and the few operations on them that N-body code uses. Every operation is a fixed sequence
// of IEEE additions and products, so results have the same bits on every machine.
#pragma once

#include <cmath>

namespace gdr::hostlib {

/// Cartesian vector of IEEE doubles; units are those of the quantity it holds.
struct Vec3 {
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;

  friend bool operator==(const Vec3&, const Vec3&) = default;

  Vec3& operator+=(const Vec3& b) {
    x += b.x;
    y += b.y;
    z += b.z;
    return *this;
  }
  Vec3& operator-=(const Vec3& b) {
    x -= b.x;
    y -= b.y;
    z -= b.z;
    return *this;
  }
  Vec3& operator*=(double s) {
    x *= s;
    y *= s;
    z *= s;
    return *this;
  }
};

[[nodiscard]] inline Vec3 operator+(Vec3 a, const Vec3& b) { return a += b; }
[[nodiscard]] inline Vec3 operator-(Vec3 a, const Vec3& b) { return a -= b; }
[[nodiscard]] inline Vec3 operator*(Vec3 a, double s) { return a *= s; }
[[nodiscard]] inline Vec3 operator*(double s, Vec3 a) { return a *= s; }

/// a.x b.x + a.y b.y + a.z b.z, added from left to right.
[[nodiscard]] inline double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

[[nodiscard]] inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Euclidean length; overflows and underflows like dot(a, a).
[[nodiscard]] inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }

[[nodiscard]] inline bool is_finite(const Vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

}  // namespace gdr::hostlib
