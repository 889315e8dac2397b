#include "gdr/hostlib/board_force.h"

#include <fmt/format.h>

#include "gdr/hostlib/record.h"

namespace gdr::hostlib {

using isa::Transfer;

ForceNoise noise_of_kernel(std::string_view kernel) {
  // `gdr force -n 1024 --eps 0`, docs/kernels.md
  if (kernel == "gravity_jerk_long") return {1.7e-15, 1.1e-14};
  if (kernel == "gravity_jerk_2009") return {2.1e-8, 1.0e-7};
  return {3.0e-8, 1.4e-7};
}

BoardForce::BoardForce(Device& device, isa::Program program)
    : device_(device), noise_(noise_of_kernel(program.kernel)) {
  const RecordLayout j(program, Transfer::elt);
  const RecordLayout i(program, Transfer::hlt);
  const RecordLayout result(program, Transfer::rrn);
  j_.fields = j.fields();
  j_.x = j.field("xj", 3);
  j_.v = j.field("vj", 3);
  j_.a_by_2 = j.field("aby2", 3);
  j_.jerk_by_6 = j.field("a1by6", 3);
  j_.snap_by_18 = j.field("a2by18", 3);
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
  if (!device_.computes()) throw Error("engine timing computes no forces");
  device_.load(std::move(program));
}

void BoardForce::set_j_count(std::size_t n) {
  if (n > device_.j_capacity()) {
    throw Error(fmt::format("{} j-particles do not fit: external memory holds {}, {} too few", n, device_.j_capacity(),
                            n - device_.j_capacity()));
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
