// The GRAPE-6 library against what stands behind it: the same N-body run through libg6 and through the board directly,
// and how many small calls a second it takes.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "gdr/hostlib/board_force.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/kernel_program.h"
#include "gdr/hostlib/plummer.h"

extern "C" {
int g6_open(int);
int g6_close(int);
int g6_set_ti(int, double);
int g6_set_njp(int, int);
int g6_set_j_particle(int, int, int, double, double, double, const double*, const double*, const double*, const double*,
                      const double*);
int g6calc_firsthalf(int, int, int, const int*, const double (*)[3], const double (*)[3], const double (*)[3],
                     const double (*)[3], const double*, double, const double*);
int g6calc_lasthalf(int, int, int, const int*, const double (*)[3], const double (*)[3], double, const double*,
                    double (*)[3], double (*)[3], double*);
}

namespace gdr::bench {
namespace {

using hostlib::Force;
using hostlib::IParticle;
using hostlib::JParticle;

constexpr int kRounds = 7;

/// A program of the GRAPE-6 era behind the integrator's interface.
class Grape6Force final : public hostlib::ForceBackend {
 public:
  Grape6Force() { g6_open(0); }
  ~Grape6Force() override { g6_close(0); }

  void set_j_count(std::size_t n) override {
    j_count_ = static_cast<int>(n);
    g6_set_njp(0, j_count_);
  }
  void set_j_particles(std::span<const std::size_t> addresses, std::span<const JParticle> particles) override {
    for (std::size_t n = 0; n < addresses.size(); ++n) {
      const JParticle& j = particles[n];
      g6_set_j_particle(0, static_cast<int>(addresses[n]), static_cast<int>(j.id), j.t0, 0, j.mass, &j.snap_by_18.x,
                        &j.jerk_by_6.x, &j.a_by_2.x, &j.v.x, &j.x.x);
    }
  }
  void set_time(double t) override { g6_set_ti(0, t); }
  [[nodiscard]] std::vector<Force> evaluate(std::span<const IParticle> i_particles, double eps2) override {
    const std::size_t ni = i_particles.size();
    index_.assign(ni, 0);
    for (auto* vectors : {&x_, &v_, &a_, &jerk_}) vectors->assign(3 * ni, 0.0);
    pot_.assign(ni, 0.0);
    h2_.assign(ni, 0.0);
    for (std::size_t n = 0; n < ni; ++n) {
      index_[n] = static_cast<int>(i_particles[n].id);
      std::copy_n(&i_particles[n].x.x, 3, &x_[3 * n]);
      std::copy_n(&i_particles[n].v.x, 3, &v_[3 * n]);
    }
    const int count = static_cast<int>(ni);
    g6calc_firsthalf(0, j_count_, count, index_.data(), rows(x_), rows(v_), rows(a_), rows(jerk_), pot_.data(), eps2,
                     h2_.data());
    if (g6calc_lasthalf(0, j_count_, count, index_.data(), rows(x_), rows(v_), eps2, h2_.data(), rows(a_), rows(jerk_),
                        pot_.data()) != 0) {
      throw std::runtime_error("libg6 fails");
    }
    std::vector<Force> forces(ni);
    for (std::size_t n = 0; n < ni; ++n) {
      forces[n] = {
          {a_[3 * n], a_[3 * n + 1], a_[3 * n + 2]}, {jerk_[3 * n], jerk_[3 * n + 1], jerk_[3 * n + 2]}, pot_[n]};
    }
    return forces;
  }

 private:
  static double (*rows(std::vector<double>& numbers))[3] { return reinterpret_cast<double(*)[3]>(numbers.data()); }

  int j_count_ = 0;
  std::vector<int> index_;
  std::vector<double> x_, v_, a_, jerk_, pot_, h2_;
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

hostlib::HermiteState run_sphere(hostlib::ForceBackend& backend, std::size_t n) {
  hostlib::HermiteIntegrator integrator(backend, hostlib::make_plummer(n, 1), {});
  integrator.evolve(1.0);
  return integrator.state();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Counter `ratio`: seconds through libg6 over seconds on the board, medians of rounds that take turns. The results
/// must have the same bits.
void sphere_through_libg6(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<double> ratios;
  for (auto _ : state) {
    for (int round = 0; round < kRounds; ++round) {
      auto begin = std::chrono::steady_clock::now();
      Device device(device_options_from_environment());
      hostlib::BoardForce board(device, hostlib::kernel_program("gravity_jerk"));
      const hostlib::HermiteState direct = run_sphere(board, n);
      const double direct_seconds = seconds_since(begin);
      begin = std::chrono::steady_clock::now();
      Grape6Force grape;
      const hostlib::HermiteState through = run_sphere(grape, n);
      ratios.push_back(seconds_since(begin) / direct_seconds);
      if (!(direct == through)) state.SkipWithError("libg6 and the board differ");
    }
  }
  state.counters["ratio"] = median(ratios);
}

/// Force calls of one i-particle against 64 j-particles: both halves, calls a second.
void small_calls(benchmark::State& state) {
  Grape6Force grape;
  grape.set_j_count(64);
  std::vector<std::size_t> addresses(64);
  std::vector<JParticle> particles(64);
  for (std::size_t n = 0; n < 64; ++n) {
    addresses[n] = n;
    const double angle = static_cast<double>(n);
    particles[n].id = static_cast<std::int64_t>(n);
    particles[n].mass = 1;
    particles[n].x = {std::cos(angle), std::sin(angle), 0};
  }
  grape.set_j_particles(addresses, particles);
  grape.set_time(0);
  const IParticle i{0, particles[0].x, {}};
  for (auto _ : state) benchmark::DoNotOptimize(grape.evaluate({&i, 1}, 1e-4));
  state.counters["calls_per_second"] =
      benchmark::Counter(2 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

BENCHMARK(sphere_through_libg6)->Arg(256)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(small_calls)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace gdr::bench

BENCHMARK_MAIN();
