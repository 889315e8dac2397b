#include "gdr/hostlib/board_force.h"

#include <fmt/format.h>

#include <bit>

namespace gdr::hostlib {
namespace {

using isa::Program;
using isa::Transfer;

/// First field of a variable in the records of its transfer.
std::size_t field_of(const Program& program, Transfer transfer, std::string_view name, std::size_t elements) {
  std::size_t field = 0;
  for (const isa::Variable* variable : program.variables_by(transfer)) {
    if (variable->name == name && variable->elements == elements) return field;
    field += variable->elements;
  }
  throw Error(fmt::format("kernel {} has no {} variable {} of {} elements", program.kernel, isa::name_of(transfer),
                          name, elements));
}

void put(std::span<std::uint64_t> record, std::size_t field, double value) {
  record[field] = std::bit_cast<std::uint64_t>(value);
}
void put(std::span<std::uint64_t> record, std::size_t field, const Vec3& value) {
  put(record, field, value.x);
  put(record, field + 1, value.y);
  put(record, field + 2, value.z);
}
void put(std::span<std::uint64_t> record, std::size_t field, std::int64_t value) {
  record[field] = std::bit_cast<std::uint64_t>(value);
}

double number_at(std::span<const std::uint64_t> record, std::size_t field) {
  return std::bit_cast<double>(record[field]);
}
Vec3 vector_at(std::span<const std::uint64_t> record, std::size_t field) {
  return {number_at(record, field), number_at(record, field + 1), number_at(record, field + 2)};
}

}  // namespace

BoardForce::BoardForce(Device& device, isa::Program program) : device_(device) {
  const auto in_j = [&](std::string_view name, std::size_t n) { return field_of(program, Transfer::elt, name, n); };
  const auto in_i = [&](std::string_view name, std::size_t n) { return field_of(program, Transfer::hlt, name, n); };
  const auto in_result = [&](std::string_view name, std::size_t n) {
    return field_of(program, Transfer::rrn, name, n);
  };
  j_.fields = program.record_fields(Transfer::elt);
  j_.x = in_j("xj", 3);
  j_.v = in_j("vj", 3);
  j_.a_by_2 = in_j("aby2", 3);
  j_.jerk_by_6 = in_j("a1by6", 3);
  j_.snap_by_18 = in_j("a2by18", 3);
  j_.mass = in_j("mj", 1);
  j_.t0 = in_j("tj", 1);
  j_.index = in_j("indexj", 1);
  i_.fields = program.record_fields(Transfer::hlt);
  i_.x = in_i("xi", 3);
  i_.v = in_i("vi", 3);
  i_.eps2 = in_i("eps2", 1);
  i_.index = in_i("indexi", 1);
  result_.fields = program.record_fields(Transfer::rrn);
  result_.acc = in_result("acc", 3);
  result_.jerk = in_result("jerk", 3);
  result_.pot = in_result("pot", 1);
  device_.load(std::move(program));
}

void BoardForce::set_j_count(std::size_t n) {
  if (n > device_.j_capacity()) {
    throw Error(fmt::format("{} j-particles do not fit: the board holds {}", n, device_.j_capacity()));
  }
  j_count_ = n;
}

void BoardForce::set_j_particles(std::span<const std::size_t> addresses, std::span<const JParticle> particles) {
  std::vector<std::uint64_t> record(j_.fields);
  for (std::size_t n = 0; n < addresses.size(); ++n) {
    if (addresses[n] >= j_count_) {
      throw Error(fmt::format("j address {} is outside 0..{}", addresses[n], j_count_ - 1));
    }
    const JParticle& particle = particles[n];
    put(record, j_.x, particle.x);
    put(record, j_.v, particle.v);
    put(record, j_.a_by_2, particle.a_by_2);
    put(record, j_.jerk_by_6, particle.jerk_by_6);
    put(record, j_.snap_by_18, particle.snap_by_18);
    put(record, j_.mass, particle.mass);
    put(record, j_.t0, particle.t0);
    put(record, j_.index, particle.id);
    device_.write_j(addresses[n], record);
  }
}

void BoardForce::set_time(double t) { device_.set_parameter("ti", t); }

std::vector<Force> BoardForce::evaluate(std::span<const IParticle> i_particles, double eps2) {
  std::vector<std::uint64_t> fields(i_particles.size() * i_.fields);
  for (std::size_t n = 0; n < i_particles.size(); ++n) {
    const std::span record = std::span(fields).subspan(n * i_.fields, i_.fields);
    put(record, i_.x, i_particles[n].x);
    put(record, i_.v, i_particles[n].v);
    put(record, i_.eps2, eps2);
    put(record, i_.index, i_particles[n].id);
  }
  const std::vector<std::uint64_t> results = device_.run(fields, j_count_);
  std::vector<Force> forces(i_particles.size());
  for (std::size_t n = 0; n < forces.size(); ++n) {
    const std::span record = std::span(results).subspan(n * result_.fields, result_.fields);
    forces[n] = {vector_at(record, result_.acc), vector_at(record, result_.jerk), number_at(record, result_.pot)};
  }
  return forces;
}

}  // namespace gdr::hostlib
