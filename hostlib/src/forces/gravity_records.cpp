#include "gdr/hostlib/gravity_records.h"

#include <bit>

#include "gdr/hostlib/record.h"

namespace gdr::hostlib {
namespace {

constexpr unsigned kHalf = 32;  // bits

/// The upper halves of two doubles: sign, exponent and 20 bits of each fraction.
std::int64_t halves(double upper, double lower) {
  const auto bits =
      std::bit_cast<std::uint64_t>(upper) >> kHalf << kHalf | std::bit_cast<std::uint64_t>(lower) >> kHalf;
  return std::bit_cast<std::int64_t>(bits);
}

}  // namespace

using isa::Transfer;

GravityRecords::GravityRecords(const isa::Program& program) {
  const RecordLayout j(program, Transfer::elt);
  const RecordLayout i(program, Transfer::hlt);
  const RecordLayout result(program, Transfer::rrn);
  j_.fields = j.fields();
  j_.x = j.field("xj", 3);
  j_.v = j.field("vj", 3);
  j_.a_by_2 = j.field("aby2", 3);
  if (j.has("a1by6a2by18")) {
    j_.jerk_and_snap = j.field("a1by6a2by18", 3);
  } else {
    j_.jerk_by_6 = j.field("a1by6", 3);
    j_.snap_by_18 = j.field("a2by18", 3);
  }
  j_.mass = j.field("mj", 1);
  j_.t0 = j.field("tj", 1);
  j_.index = j.field("indexj", 1);
  i_.fields = i.fields();
  i_.x = i.field("xi", 3);
  i_.v = i.field("vi", 3);
  i_.eps2 = i.field("eps2", 1);
  i_.index = i.field("indexi", 1);
  result_.fields = result.fields();
  result_.acc = result.field("acc", 3);
  result_.jerk = result.field("jerk", 3);
  result_.pot = result.field("pot", 1);
}

void GravityRecords::put(std::span<std::uint64_t> record, const JParticle& particle) const {
  hostlib::put(record, j_.x, particle.x);
  hostlib::put(record, j_.v, particle.v);
  hostlib::put(record, j_.a_by_2, particle.a_by_2);
  if (j_.jerk_and_snap) {
    const Vec3& jerk = particle.jerk_by_6;
    const Vec3& snap = particle.snap_by_18;
    hostlib::put(record, *j_.jerk_and_snap, halves(jerk.x, snap.x));
    hostlib::put(record, *j_.jerk_and_snap + 1, halves(jerk.y, snap.y));
    hostlib::put(record, *j_.jerk_and_snap + 2, halves(jerk.z, snap.z));
  } else {
    hostlib::put(record, j_.jerk_by_6, particle.jerk_by_6);
    hostlib::put(record, j_.snap_by_18, particle.snap_by_18);
  }
  hostlib::put(record, j_.mass, particle.mass);
  hostlib::put(record, j_.t0, particle.t0);
  hostlib::put(record, j_.index, particle.id);
}

void GravityRecords::put(std::span<std::uint64_t> record, const IParticle& particle, double eps2) const {
  hostlib::put(record, i_.x, particle.x);
  hostlib::put(record, i_.v, particle.v);
  hostlib::put(record, i_.eps2, eps2);
  hostlib::put(record, i_.index, particle.id);
}

Force GravityRecords::force(std::span<const std::uint64_t> record) const {
  return {vector_at(record, result_.acc), vector_at(record, result_.jerk), number_at(record, result_.pot)};
}

}  // namespace gdr::hostlib
