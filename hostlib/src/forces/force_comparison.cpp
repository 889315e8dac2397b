#include "gdr/hostlib/force_comparison.h"

#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "gdr/hostlib/board_force.h"
#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/record.h"

namespace gdr::hostlib {
namespace {

/// Forces by the kernel `gravity`, which uses only positions and masses.
ForceSums shared_step_forces(Device& device, const Particles& particles, double eps) {
  const isa::Program& program = device.program();
  const RecordLayout j(program, isa::Transfer::elt);
  const RecordLayout i(program, isa::Transfer::hlt);
  const RecordLayout result(program, isa::Transfer::rrn);
  const std::size_t n = particles.size();
  std::vector<std::uint64_t> j_fields(n * j.fields());
  std::vector<std::uint64_t> i_fields(n * i.fields());
  for (std::size_t k = 0; k < n; ++k) {
    const auto j_record = std::span(j_fields).subspan(k * j.fields(), j.fields());
    hostlib::put(j_record, j.field("xj", 3), particles.position[k]);
    hostlib::put(j_record, j.field("mj", 1), particles.mass[k]);
    const auto i_record = std::span(i_fields).subspan(k * i.fields(), i.fields());
    hostlib::put(i_record, i.field("xi", 3), particles.position[k]);
    hostlib::put(i_record, i.field("eps2", 1), eps * eps);
  }
  device.write_j(0, j_fields);
  const std::vector<std::uint64_t> results = device.run(i_fields, n);
  ForceSums sums;
  for (std::size_t k = 0; k < n; ++k) {
    const auto record = std::span(results).subspan(k * result.fields(), result.fields());
    sums.acc.push_back(vector_at(record, result.field("acc", 3)));
    // The kernel also sums the pair of a particle with itself: -m / eps. Users of such boards subtract that.
    const double self = eps > 0 ? particles.mass[k] / eps : 0;
    sums.pot.push_back(number_at(record, result.field("pot", 1)) + self);
  }
  return sums;
}

ForceSums from_backend(ForceBackend& backend, const Particles& particles, double eps) {
  const std::size_t n = particles.size();
  std::vector<std::size_t> addresses(n);
  std::iota(addresses.begin(), addresses.end(), std::size_t{0});
  std::vector<JParticle> j(n);
  std::vector<IParticle> i(n);
  for (std::size_t k = 0; k < n; ++k) {
    j[k].id = i[k].id = particles.id[k];
    j[k].mass = particles.mass[k];
    j[k].x = i[k].x = particles.position[k];
    j[k].v = i[k].v = particles.velocity[k];
  }
  backend.set_j_count(n);
  backend.set_j_particles(addresses, j);
  backend.set_time(0);
  ForceSums sums;
  for (const Force& force : backend.evaluate(i, eps * eps)) {
    sums.acc.push_back(force.acc);
    sums.jerk.push_back(force.jerk);
    sums.pot.push_back(force.pot);
  }
  return sums;
}

/// Square root of the mean of the squared relative errors; `norm` is applied to differences and to values.
template <class Value, class Norm>
double relative_rms(const std::vector<Value>& a, const std::vector<Value>& b, Norm norm) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double error = norm(a[k] - b[k]) / norm(b[k]);
    sum += error * error;
  }
  return a.empty() ? 0 : std::sqrt(sum / static_cast<double>(a.size()));
}

}  // namespace

ForceSums board_forces(Device& device, isa::Program program, const Particles& particles, double eps) {
  const bool individual_steps = !program.parameters.empty();
  if (individual_steps) {
    BoardForce backend(device, std::move(program));
    return from_backend(backend, particles, eps);
  }
  device.load(std::move(program));
  return shared_step_forces(device, particles, eps);
}

ForceSums host_forces(const Particles& particles, double eps, unsigned threads) {
  DirectForce backend({threads, std::nullopt});
  return from_backend(backend, particles, eps);
}

double rms_error(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  return relative_rms(a, b, [](const Vec3& v) { return norm(v); });
}
double rms_error(const std::vector<double>& a, const std::vector<double>& b) {
  return relative_rms(a, b, [](double v) { return std::abs(v); });
}

double momentum_error(const Particles& particles, const std::vector<Vec3>& acc) {
  Vec3 sum;
  double magnitude = 0;
  for (std::size_t k = 0; k < acc.size(); ++k) {
    const Vec3 force = particles.mass[k] * acc[k];
    sum += force;
    magnitude += norm(force);
  }
  return magnitude > 0 ? norm(sum) / magnitude : 0;
}

ForceErrors force_errors(Device& device, isa::Program program, const Particles& particles, double eps,
                         unsigned threads) {
  const ForceSums board = board_forces(device, std::move(program), particles, eps);
  const auto start = std::chrono::steady_clock::now();
  const ForceSums host = host_forces(particles, eps, threads);
  const std::chrono::duration<double> host_seconds = std::chrono::steady_clock::now() - start;
  return {rms_error(board.acc, host.acc),
          board.jerk.empty() ? std::nullopt : std::optional(rms_error(board.jerk, host.jerk)),
          rms_error(board.pot, host.pot), momentum_error(particles, board.acc), host_seconds.count()};
}

void add_force(base::Json& json, const emulator::StageSeconds& stages, const std::optional<ForceErrors>& errors) {
  json["stages"] = {
      {"i_send", stages.i_send}, {"j_send", stages.j_send}, {"compute", stages.compute}, {"add", stages.add}};
  json["rms_error"] = nullptr;
  json["momentum_error"] = nullptr;
  json["reference_host_seconds"] = nullptr;
  if (!errors) return;
  json["rms_error"] = {{"acc", errors->acc}, {"jerk", nullptr}, {"pot", errors->pot}};
  if (errors->jerk) json["rms_error"]["jerk"] = *errors->jerk;
  json["momentum_error"] = errors->momentum;
  json["reference_host_seconds"] = errors->host_seconds;
}

}  // namespace gdr::hostlib
