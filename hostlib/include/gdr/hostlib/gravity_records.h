// Conversion of particles to records of the gravity-with-jerk kernels, and of the kernels' results to forces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "gdr/hostlib/force_backend.h"
#include "gdr/isa/program.h"

namespace gdr::hostlib {

/// Places of the variables in the records of a program that has those of kernels/gravity_jerk.vsm: j-data xj[3] vj[3]
/// aby2[3] a1by6[3] a2by18[3] mj tj indexj, i-data xi[3] vi[3] eps2 indexi, results acc[3] jerk[3] pot. Instead of
/// a1by6 and a2by18 there may be a1by6a2by18[3], whose words are the upper 32 bits of the one's double and then those
/// of the other's.
class GravityRecords {
 public:
  /// Throws gdr::Error if the program lacks a variable, which the message names.
  explicit GravityRecords(const isa::Program& program);

  /// Number of 8-byte fields of a j-record, an i-record and a result.
  [[nodiscard]] std::size_t j_fields() const { return j_.fields; }
  [[nodiscard]] std::size_t i_fields() const { return i_.fields; }
  [[nodiscard]] std::size_t result_fields() const { return result_.fields; }

  /// Writes a particle into `record`, which has j_fields() or i_fields() fields. Fields of other variables keep their
  /// values.
  void put(std::span<std::uint64_t> record, const JParticle& particle) const;
  void put(std::span<std::uint64_t> record, const IParticle& particle, double eps2) const;
  /// Reads a force from `record`, which has result_fields() fields.
  [[nodiscard]] Force force(std::span<const std::uint64_t> record) const;

 private:
  struct Layout {
    std::size_t fields = 0;
    std::size_t x = 0, v = 0, a_by_2 = 0, jerk_by_6 = 0, snap_by_18 = 0, mass = 0, t0 = 0, index = 0, eps2 = 0;
    std::optional<std::size_t> jerk_and_snap;  // a1by6a2by18
    std::size_t acc = 0, jerk = 0, pot = 0;
  };
  Layout j_;
  Layout i_;
  Layout result_;
};

}  // namespace gdr::hostlib
