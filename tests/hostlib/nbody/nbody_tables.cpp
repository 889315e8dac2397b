// Prints the tables of docs/notes/nbody.md: what integrations on the board give, beside the kernel of long products and
// the host's doubles. scripts/nbody-tables writes them into the page, and the test compares them with it: forces are
// the same on every host, and so is every digit.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/hostlib/board_force.h"
#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/plummer.h"
#include "gdr/hostlib/start_model.h"

namespace gdr::hostlib {
namespace {

struct Problem {
  std::string name;
  Particles start;
  double eps = 0.0;
  double t_end = 0.0;
  std::vector<double> etas;
};

struct Outcome {
  double energy_error = 0.0;
  HermiteCounters counters;
  Particles end;
};

Outcome integrate(ForceBackend& backend, const Problem& problem, double eta) {
  HermiteIntegrator integrator(backend, problem.start, {eta, problem.eps});
  integrator.evolve(problem.t_end);
  Particles end = integrator.particles_at(problem.t_end);
  const double before = energy(problem.start, problem.eps).total();
  const double error = (energy(end, problem.eps).total() - before) / std::abs(before);
  return {error, integrator.counters(), std::move(end)};
}

Outcome in_doubles(const Problem& problem, double eta) {
  DirectForce direct;
  return integrate(direct, problem, eta);
}

Outcome on_board(const std::string& kernel, const Problem& problem, double eta) {
  assembler::AssembleResult result = assembler::assemble_file(GDR_KERNELS_DIR "/" + kernel + ".vsm");
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  Device device{DeviceOptions{}};
  BoardForce board(device, *std::move(result.program));
  return integrate(board, problem, eta);
}

/// In the order of the tables' columns.
std::array<Outcome, 3> outcomes(const Problem& problem, double eta) {
  return {in_doubles(problem, eta), on_board("gravity_jerk_long", problem, eta),
          on_board("gravity_jerk", problem, eta)};
}

/// Two digits, as 1.2e-8.
std::string brief(double value) {
  std::string text = fmt::format("{:.1e}", value);
  const std::size_t exponent = text.find('e') + 2;
  if (text[exponent] == '0') text.erase(exponent, 1);
  if (text[exponent - 1] == '+') text.erase(exponent - 1, 1);
  return text;
}

Particles sphere(StartKind kind, std::size_t n) { return make_start({.kind = kind, .particles = n}); }
Particles binary(double eccentricity) { return make_start({.kind = StartKind::binary, .eccentricity = eccentricity}); }

Particles head_on_pair() {
  Particles pair;
  pair.push_back(0, 0.5, {-0.5, 0, 0}, {});
  pair.push_back(1, 0.5, {0.5, 0, 0}, {});
  return pair;
}

std::vector<Problem> problems() {
  constexpr double kTenPeriods = 22.25;  // 22.21, and a block time of all
  return {
      {"Plummer sphere, N = 64, eps = 0.01, t = 1",
       sphere(StartKind::plummer, 64),
       0.01,
       1.0,
       {0.1, 0.05, 0.03, 0.02, 0.01}},
      {"Plummer sphere, N = 256, eps = 0.01, t = 1", sphere(StartKind::plummer, 256), 0.01, 1.0, {0.1, 0.05, 0.02}},
      {"cold sphere, N = 256, eps = 0.01, t = 5 (collapse at 4.1)",
       sphere(StartKind::cold, 256),
       0.01,
       5.0,
       {0.1, 0.05}},
      {"binary, e = 0.9, eps = 0, 10 periods", binary(0.9), 0.0, kTenPeriods, {0.1, 0.05, 0.025, 0.0125}},
      {"binary, e = 0.99, eps = 0, 10 periods", binary(0.99), 0.0, kTenPeriods, {0.05, 0.025}},
      {"binary, e = 0.999, eps = 0, 10 periods", binary(0.999), 0.0, kTenPeriods, {0.05, 0.025}},
      {"circular binary, eps = 0, 10 periods", binary(0.0), 0.0, kTenPeriods, {0.1, 0.05}},
      {"two at rest that fall through each other, eps = 0, t = 2", head_on_pair(), 0.0, 2.0, {0.05}},
  };
}

void print_energies() {
  fmt::print("| problem | eta | host doubles | `gravity_jerk_long` | `gravity_jerk` | of which limited by noise |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  for (const Problem& problem : problems()) {
    for (const double eta : problem.etas) {
      const std::array<Outcome, 3> columns = outcomes(problem, eta);
      fmt::print("| {} | {} |", eta == problem.etas.front() ? problem.name : "", eta);
      for (const Outcome& outcome : columns) {
        fmt::print(" {}, {} |", brief(outcome.energy_error), outcome.counters.steps);
      }
      fmt::print(" {} |\n", columns.back().counters.noise_limited_steps);
      std::fflush(stdout);
    }
  }
}

void print_pythagorean() {
  const Problem problem{"", make_start({.kind = StartKind::pythagorean}), 0.0, 70.0, {0.05, 0.02, 0.01}};
  fmt::print("| eta | host doubles | `gravity_jerk_long` | `gravity_jerk` |\n|---|---|---|---|\n");
  for (const double eta : problem.etas) {
    fmt::print("| {} |", eta);
    for (const Outcome& outcome : outcomes(problem, eta)) {
      const Vec3& place = outcome.end.position[0];  // of mass 3, which is thrown out
      fmt::print(" ({:.2f}, {:.2f}), {}, {} |", place.x, place.y, brief(outcome.energy_error), outcome.counters.steps);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace gdr::hostlib

int main() {
  try {
    gdr::hostlib::print_energies();
    fmt::print("\nThe Pythagorean problem, eps = 0: place of mass 3 at t = 70, energy error, steps.\n\n");
    gdr::hostlib::print_pythagorean();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "nbody_tables: {}\n", error.what());
    return 1;
  }
}
