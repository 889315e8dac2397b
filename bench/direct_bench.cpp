// The host's own force loop, whose square root, quotient and order of sums are fixed, against gravity by hand in
// AVX-512 doubles. One thread each; both sides in turn in one process.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "double_gravity.h"
#include "gdr/base/error.h"
#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/plummer.h"
#include "measure.h"

namespace gdr::bench {
namespace {

constexpr double kEps2 = 1e-4;
constexpr double kTime = 0x1p-10;  // to which both sides predict

struct Sphere {
  std::vector<hostlib::JParticle> j;
  std::vector<hostlib::IParticle> i;  // of ids that no j-particle has: by hand all pairs count
  DoubleSources sources;
  DoubleTargets targets;

  Sphere(std::size_t particles, std::size_t block) {
    const hostlib::Particles sphere = hostlib::make_plummer(particles, 1);
    const auto add = [](Vectors& to, const hostlib::Vec3& value) {
      to[0].push_back(value.x);
      to[1].push_back(value.y);
      to[2].push_back(value.z);
    };
    for (std::size_t k = 0; k < particles; ++k) {
      hostlib::JParticle source;
      source.id = static_cast<std::int64_t>(k);
      source.mass = sphere.mass[k];
      source.x = sphere.position[k];
      source.v = sphere.velocity[k];
      j.push_back(source);
      sources.mass.push_back(source.mass);
      sources.time.push_back(source.t0);
      add(sources.x, source.x);
      add(sources.v, source.v);
      for (Vectors* none : {&sources.a_by_2, &sources.jerk_by_6, &sources.snap_by_18}) add(*none, {});
    }
    for (std::size_t k = 0; k < block; ++k) {
      i.push_back({-2, sphere.position[k], sphere.velocity[k]});
      targets.eps2.push_back(kEps2);
      targets.pot.push_back(0);
      add(targets.x, sphere.position[k]);
      add(targets.v, sphere.velocity[k]);
      for (Vectors* none : {&targets.acc, &targets.jerk}) add(*none, {});
    }
  }
};

void against_double(benchmark::State& state) {
  const auto particles = static_cast<std::size_t>(state.range(0));
  const auto block = static_cast<std::size_t>(state.range(1));
  Sphere sphere(particles, block);
  DoublePredicted predicted{sphere.sources.x, sphere.sources.v};
  hostlib::DirectForce direct;
  std::vector<std::size_t> addresses(particles);
  std::iota(addresses.begin(), addresses.end(), std::size_t{0});
  direct.set_j_count(particles);
  direct.set_j_particles(addresses, sphere.j);
  const double interactions = static_cast<double>(particles * block);
  const auto repetitions = static_cast<unsigned>(std::ceil(4e6 / interactions));
  std::vector<hostlib::Force> forces;
  for (auto _ : state) {
    const Rounds rounds({[&] {
                           for (unsigned n = 0; n < repetitions; ++n) {
                             direct.set_time(kTime);
                             forces = direct.evaluate(sphere.i, kEps2);
                           }
                         },
                         [&] {
                           for (unsigned n = 0; n < repetitions; ++n) {
                             double_gravity(sphere.sources, kTime, predicted, sphere.targets);
                           }
                         }});
    for (std::size_t k = 0; k < block; ++k) {
      if (!(std::abs(forces[k].pot - sphere.targets.pot[k]) <= 1e-9 * std::abs(forces[k].pot))) {
        throw Error(fmt::format("potential {} differs from {}", forces[k].pot, sphere.targets.pot[k]));
      }
    }
    state.counters["direct_to_double"] = rounds.ratio(0, 1);
    state.counters["direct_ns_per_interaction"] = 1e9 * rounds.seconds(0) / (repetitions * interactions);
    state.counters["double_ns_per_interaction"] = 1e9 * rounds.seconds(1) / (repetitions * interactions);
  }
}

void register_all() {
  if (!has_double_gravity()) return;
  benchmark::RegisterBenchmark("direct/against_double", against_double)
      ->ArgNames({"particles", "block"})
      ->Args({1024, 1024})
      ->Args({1024, 32})
      ->Args({16384, 128})
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace gdr::bench

int main(int argc, char** argv) {
  gdr::bench::register_all();
  return gdr::bench::run_benchmarks(argc, argv);
}
