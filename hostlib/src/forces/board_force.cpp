#include "gdr/hostlib/board_force.h"

#include <fmt/format.h>

#include <algorithm>

#include "force_calls.h"

namespace gdr::hostlib {
namespace {

/// The conversion would refuse the id, too, but without naming the particle.
void require_index(std::int64_t id) {
  constexpr std::int64_t kEnd = std::int64_t{1} << 35;
  if (id >= -kEnd && id < kEnd) return;
  throw Error(fmt::format("particle id {} is outside {}..{}, the 36-bit integers of the board", id, -kEnd, kEnd - 1));
}

}  // namespace

std::vector<std::string> jerk_kernels() {
  return {"gravity_jerk", "gravity_jerk_136", "gravity_jerk_2009", "gravity_jerk_long"};
}

ForceNoise noise_of_kernel(std::string_view kernel) {
  // Measured with `gdr force -n 1024 --eps 0`; see docs/kernels/kernels.md.
  if (kernel == "gravity_jerk_long") return {1.7e-15, 1.1e-14};
  if (kernel == "gravity_jerk_2009") return {2.1e-8, 1.0e-7};
  return {3.0e-8, 1.4e-7};
}

BoardForce::BoardForce(Device& device, isa::Program program)
    : device_(device), noise_(noise_of_kernel(program.kernel)), records_(program) {
  if (!device_.computes()) throw Error("engine timing computes no forces");
  device_.load(std::move(program));
}

void BoardForce::set_j_count(std::size_t n) {
  if (n > device_.j_capacity()) {
    throw Error(fmt::format("{} j-particles do not fit: external memory holds {}, {} too few", n, device_.j_capacity(),
                            n - device_.j_capacity()));
  }
  // A smaller number forgets the particles beyond it: those that come back are as if nobody had written them.
  const std::vector<std::uint64_t> none(records_.j_fields());
  for (std::size_t address = j_count_; address < std::min(n, j_written_); ++address) device_.write_j(address, none);
  j_count_ = n;
}

void BoardForce::set_j_particles(std::span<const std::size_t> addresses, std::span<const JParticle> particles) {
  require_j_particles(addresses, particles, j_count_);
  for (const JParticle& particle : particles) require_index(particle.id);
  std::vector<std::uint64_t> record(records_.j_fields());
  for (std::size_t n = 0; n < addresses.size(); ++n) {
    records_.put(record, particles[n]);
    device_.write_j(addresses[n], record);
    j_written_ = std::max(j_written_, addresses[n] + 1);
  }
}

void BoardForce::set_time(double t) {
  require_time(t);
  device_.set_parameter("ti", t);
}

std::vector<Force> BoardForce::evaluate(std::span<const IParticle> i_particles, double eps2) {
  require_i_particles(i_particles, eps2);
  const std::size_t size = records_.i_fields();
  std::vector<std::uint64_t> fields(i_particles.size() * size);
  for (std::size_t n = 0; n < i_particles.size(); ++n) {
    records_.put(std::span(fields).subspan(n * size, size), i_particles[n], eps2);
  }
  const std::vector<std::uint64_t> results = device_.run(fields, j_count_);
  const std::size_t result = records_.result_fields();
  std::vector<Force> forces(i_particles.size());
  for (std::size_t n = 0; n < forces.size(); ++n) {
    forces[n] = records_.force(std::span(results).subspan(n * result, result));
  }
  return forces;
}

}  // namespace gdr::hostlib
