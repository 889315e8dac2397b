// The GRAPE-6 and GRAPE-5 libraries against what stands behind them: the same N-body run through libg6 and through the
// board directly, what lists of neighbours between the forces cost, small calls a second, what few i-particles cost,
// and an interaction through each interface.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <functional>
#include <numeric>
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
int g6_read_neighbour_list(int);
int g6_get_neighbour_list(int, int, int, int*, int*);
void g5_set_eps_to_all(double);
void g5_set_n(int);
void g5_set_xmj(int, int, const double (*)[3], const double*);
void g5_calculate_force_on_x(const double (*)[3], double (*)[3], double*, int);
}

namespace gdr::bench {
namespace {

using hostlib::Force;
using hostlib::IParticle;
using hostlib::JParticle;

constexpr int kRounds = 7;

/// A program of the GRAPE-6 era behind the integrator's interface.
class Grape6Force : public hostlib::ForceBackend {
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

 protected:
  [[nodiscard]] int j_count() const { return j_count_; }

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

/// Of all threads of the process, which other processes of a busy machine leave alone.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Medians of rounds in which the sides take turns.
std::vector<double> seconds_of(const std::vector<std::function<void()>>& sides) {
  std::vector<std::vector<double>> rounds(sides.size());
  for (int round = 0; round <= kRounds; ++round) {
    for (std::size_t side = 0; side < sides.size(); ++side) {
      const double begin = processor_seconds();
      sides[side]();
      if (round > 0) rounds[side].push_back(processor_seconds() - begin);  // the first warms up
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& side : rounds) medians.push_back(median(std::move(side)));
  return medians;
}

/// Counter `ratio`: seconds through libg6 over seconds on the board, `processor_ratio` in processor time, medians of
/// rounds that take turns. The results must have the same bits.
void sphere_through_libg6(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<double> ratios;
  std::vector<double> processor_ratios;
  for (auto _ : state) {
    for (int round = 0; round < kRounds; ++round) {
      auto begin = std::chrono::steady_clock::now();
      double processor_begin = processor_seconds();
      Device device(device_options_from_environment());
      hostlib::BoardForce board(device, hostlib::kernel_program("gravity_jerk"));
      const hostlib::HermiteState direct = run_sphere(board, n);
      const double direct_seconds = seconds_since(begin);
      const double direct_processor = processor_seconds() - processor_begin;
      begin = std::chrono::steady_clock::now();
      processor_begin = processor_seconds();
      Grape6Force grape;
      const hostlib::HermiteState through = run_sphere(grape, n);
      ratios.push_back(seconds_since(begin) / direct_seconds);
      processor_ratios.push_back((processor_seconds() - processor_begin) / direct_processor);
      if (!(direct == through)) state.SkipWithError("libg6 and the board differ");
    }
  }
  state.counters["ratio"] = median(ratios);
  state.counters["processor_ratio"] = median(processor_ratios);
}

/// As NBODY4 calls the library: after every so many blocks it wants the neighbours of one particle, for which it has
/// the force on that particle alone computed once more and reads its list.
class ForcesAndLists final : public Grape6Force {
 public:
  explicit ForcesAndLists(std::size_t calls_a_list) : calls_a_list_(calls_a_list) {}

  [[nodiscard]] std::vector<Force> evaluate(std::span<const IParticle> i_particles, double eps2) override {
    if (calls_a_list_ > 0 && ++calls_ % calls_a_list_ == 0) list_of(i_particles.front(), eps2);
    return Grape6Force::evaluate(i_particles, eps2);
  }
  [[nodiscard]] std::size_t lists() const { return lists_; }

 private:
  void list_of(const IParticle& i, double eps2) {
    constexpr int kLongest = 1024;
    const double h2 = 0.01;  // some ten neighbours in the core of a Plummer sphere of 1000 particles
    const int index = static_cast<int>(i.id);
    const std::array x{i.x.x, i.x.y, i.x.z};
    const std::array v{i.v.x, i.v.y, i.v.z};
    std::array<double, 3> a{};
    std::array<double, 3> jerk{};
    double pot = 0;
    const auto row = [](const std::array<double, 3>& of) { return reinterpret_cast<const double(*)[3]>(of.data()); };
    g6calc_firsthalf(0, j_count(), 1, &index, row(x), row(v), row(a), row(jerk), &pot, eps2, &h2);
    int length = 0;
    std::array<int, kLongest> list{};
    if (g6calc_lasthalf(0, j_count(), 1, &index, row(x), row(v), eps2, &h2, reinterpret_cast<double(*)[3]>(a.data()),
                        reinterpret_cast<double(*)[3]>(jerk.data()), &pot) != 0 ||
        g6_read_neighbour_list(0) != 0 || g6_get_neighbour_list(0, 0, kLongest, &length, list.data()) != 0) {
      throw std::runtime_error("libg6 fails");
    }
    ++lists_;
  }

  std::size_t calls_a_list_;
  std::size_t calls_ = 0;
  std::size_t lists_ = 0;
};

/// Counter `ratio`: processor time of a run with a list of neighbours at every so many blocks, over that of the same
/// run without lists, in rounds that take turns; `lists` of one run. The results must have the same bits.
void forces_and_lists(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto calls_a_list = static_cast<std::size_t>(state.range(1));
  std::array<hostlib::HermiteState, 2> ends;
  std::size_t lists = 0;
  const auto run = [&](std::size_t every, hostlib::HermiteState& end) {
    ForcesAndLists grape(every);
    hostlib::HermiteIntegrator integrator(grape, hostlib::make_plummer(n, 1), {});
    integrator.evolve(1.0 / 8);
    end = integrator.state();
    if (every > 0) lists = grape.lists();
  };
  for (auto _ : state) {
    const std::vector<double> seconds = seconds_of({[&] { run(calls_a_list, ends[0]); }, [&] { run(0, ends[1]); }});
    state.counters["ratio"] = seconds[0] / seconds[1];
    state.counters["lists"] = static_cast<double>(lists);
    if (!(ends[0] == ends[1])) state.SkipWithError("lists change the run");
  }
}

/// n particles as runs have them: a Plummer sphere at its start. Particles at rest, or in a plane, are slower: zeros
/// take the engine's way for special words.
std::vector<JParticle> sphere(std::size_t n) {
  const hostlib::Particles start = hostlib::make_plummer(n, 1);
  std::vector<JParticle> particles(n);
  for (std::size_t k = 0; k < n; ++k) {
    particles[k].id = start.id[k];
    particles[k].mass = start.mass[k];
    particles[k].x = start.position[k];
    particles[k].v = start.velocity[k];
    particles[k].a_by_2 = -0.5 * start.position[k];  // of the size of a force
    particles[k].jerk_by_6 = (-1.0 / 6) * start.velocity[k];
    particles[k].snap_by_18 = (1.0 / 18) * start.position[k];
  }
  return particles;
}

std::vector<IParticle> targets(const std::vector<JParticle>& particles, std::size_t n) {
  std::vector<IParticle> all;
  for (std::size_t k = 0; k < n; ++k) all.push_back({particles[k].id, particles[k].x, particles[k].v});
  return all;
}

void fill(hostlib::ForceBackend& backend, const std::vector<JParticle>& particles) {
  std::vector<std::size_t> addresses(particles.size());
  std::iota(addresses.begin(), addresses.end(), std::size_t{0});
  backend.set_j_count(particles.size());
  backend.set_j_particles(addresses, particles);
  backend.set_time(1.0 / 1024);
}

/// Force calls of one i-particle against 64 j-particles: both halves, calls a second of the clock and of processor
/// time.
void small_calls(benchmark::State& state) {
  Grape6Force grape;
  const std::vector<JParticle> particles = sphere(64);
  fill(grape, particles);
  const std::vector<IParticle> one = targets(particles, 1);
  constexpr int kUntilCompiled = 10000;
  for (int call = 0; call < kUntilCompiled; ++call) benchmark::DoNotOptimize(grape.evaluate(one, 1e-4));
  const double begin = processor_seconds();
  for (auto _ : state) benchmark::DoNotOptimize(grape.evaluate(one, 1e-4));
  const double calls = 2 * static_cast<double>(state.iterations());
  state.counters["calls_per_second"] = benchmark::Counter(calls, benchmark::Counter::kIsRate);
  state.counters["calls_per_processor_second"] = calls / (processor_seconds() - begin);
}

/// Counter `cost`: processor time of a call with few i-particles over its share of a call with 128.
void few_of_128(benchmark::State& state) {
  const auto few = static_cast<std::size_t>(state.range(0));
  const auto nj = static_cast<std::size_t>(state.range(1));
  Grape6Force grape;
  const std::vector<JParticle> particles = sphere(nj);
  fill(grape, particles);
  const std::vector<IParticle> some = targets(particles, few);
  const std::vector<IParticle> all = targets(particles, 128);
  const auto repeated = [&](const std::vector<IParticle>& i, std::size_t calls) {
    for (std::size_t k = 0; k < calls; ++k) benchmark::DoNotOptimize(grape.evaluate(i, 1e-4));
  };
  constexpr std::size_t kUntilCompiled = 6'000'000;  // interactions
  for (const std::vector<IParticle>* i : {&some, &all}) repeated(*i, kUntilCompiled / (i->size() * nj) + 1);
  const std::size_t calls = 80'000 / nj;  // some 10 ms a round
  for (auto _ : state) {
    const std::vector<double> seconds = seconds_of({[&] { repeated(some, calls); }, [&] { repeated(all, calls); }});
    state.counters["cost"] = seconds[0] / seconds[1] * 128 / static_cast<double>(few);
  }
}

/// Nanoseconds of processor time for an interaction of n particles on each other, through each interface.
void interaction(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const std::vector<JParticle> particles = sphere(n);
  const std::vector<IParticle> all = targets(particles, n);
  std::vector<double> x;
  std::vector<double> mass;
  for (const JParticle& j : particles) {
    x.insert(x.end(), {j.x.x, j.x.y, j.x.z});
    mass.push_back(j.mass);
  }
  std::vector<double> acc(3 * n);
  std::vector<double> pot(n);
  Device device(device_options_from_environment());
  hostlib::BoardForce board(device, hostlib::kernel_program("gravity_jerk"));
  fill(board, particles);
  Grape6Force grape;
  fill(grape, particles);
  const auto* const rows = reinterpret_cast<const double(*)[3]>(x.data());
  g5_set_eps_to_all(0.01);
  g5_set_n(static_cast<int>(n));
  g5_set_xmj(0, static_cast<int>(n), rows, mass.data());
  for (auto _ : state) {
    const std::vector<double> seconds = seconds_of(
        {[&] { benchmark::DoNotOptimize(board.evaluate(all, 1e-4)); },
         [&] { benchmark::DoNotOptimize(grape.evaluate(all, 1e-4)); },
         [&] {
           g5_calculate_force_on_x(rows, reinterpret_cast<double(*)[3]>(acc.data()), pot.data(), static_cast<int>(n));
         }});
    const double to_ns = 1e9 / static_cast<double>(n * n);
    state.counters["board_ns"] = seconds[0] * to_ns;
    state.counters["g6_ns"] = seconds[1] * to_ns;
    state.counters["g5_ns"] = seconds[2] * to_ns;
  }
}

BENCHMARK(sphere_through_libg6)->Arg(256)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(forces_and_lists)->Args({1000, 4})->Args({1000, 16})->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(small_calls)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(few_of_128)
    ->Args({21, 256})
    ->Args({21, 4096})
    ->Args({24, 256})
    ->Args({24, 4096})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(interaction)->Arg(256)->Arg(2048)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gdr::bench

BENCHMARK_MAIN();
