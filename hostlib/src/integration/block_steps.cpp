#include "gdr/hostlib/block_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "gdr/base/data_file.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/line_reader.h"
#include "gdr/hostlib/direct_force.h"
#include "gdr/hostlib/plummer.h"

namespace gdr::hostlib {
namespace {

constexpr std::string_view kHeader = "n,size,blocks";

/// Factor within which sizes are joined and then scaled together.
constexpr double kSpan = 1.02;

BlockCount scaled(const BlockCount& count, double size_factor, double blocks_factor, double n) {
  return {std::clamp(count.size * size_factor, 1.0, n), count.blocks * blocks_factor};
}

}  // namespace

std::vector<BlockCount> joined(const std::vector<BlockCount>& counts, double span) {
  std::vector<BlockCount> groups;
  double first = 0;
  for (const BlockCount& count : counts) {
    if (groups.empty() || count.size > first * span) {
      groups.push_back(count);
      first = count.size;
      continue;
    }
    BlockCount& group = groups.back();
    const double blocks = group.blocks + count.blocks;
    group.size = (group.size * group.blocks + count.size * count.blocks) / blocks;
    group.blocks = blocks;
  }
  return groups;
}

double BlockSteps::steps() const {
  double sum = 0;
  for (const BlockCount& count : counts) sum += count.size * count.blocks;
  return sum;
}

double BlockSteps::blocks() const {
  double sum = 0;
  for (const BlockCount& count : counts) sum += count.blocks;
  return sum;
}

BlockSteps block_steps_of(const HermiteCounters& counters, double t) {
  BlockSteps steps;
  steps.n = static_cast<double>(counters.block_sizes.size()) - 1;
  for (std::size_t size = 1; size < counters.block_sizes.size(); ++size) {
    if (counters.block_sizes[size] == 0) continue;
    steps.counts.push_back({static_cast<double>(size), static_cast<double>(counters.block_sizes[size]) / t});
  }
  return steps;
}

BlockSteps measure_block_steps(std::size_t n, std::uint64_t seed, const HermiteOptions& options, double t) {
  DirectForce forces;
  HermiteIntegrator integrator(forces, make_plummer(n, seed), options);
  integrator.evolve(t);
  return block_steps_of(integrator.counters(), t);
}

std::vector<BlockSteps> measured_for(std::size_t n, std::size_t most, std::uint64_t seed, const HermiteOptions& options,
                                     double t) {
  const std::size_t larger = std::max<std::size_t>(std::min(n, most), 4);
  const double span = std::min(t, 1.0);
  return {measure_block_steps(larger / 2, seed, options, span), measure_block_steps(larger, seed, options, span)};
}

MeasuredSteps measured_on(const Particles& particles, std::size_t most, const HermiteOptions& options, double t,
                          std::uint64_t most_interactions) {
  MeasuredSteps measured{{}, t};
  const auto measure = [&](const Particles& of) {
    DirectForce forces;
    HermiteIntegrator integrator(forces, of, options);
    while (integrator.next_block_time() <= t && integrator.counters().interactions < most_interactions) {
      integrator.step();
    }
    // Without a block at all, one is due at the next block time.
    const bool none = integrator.counters().block_steps == 0;
    if (none) integrator.step();
    const bool is_short = integrator.next_block_time() <= t;
    const double reached = none || is_short ? integrator.time() : t;
    measured.of.push_back(block_steps_of(integrator.counters(), reached));
    measured.t = std::min(measured.t, reached);
  };
  if (particles.size() <= most) {
    measure(particles);
    return measured;
  }
  const double mass = total_mass(particles);
  for (const std::size_t count : {most / 2, most}) {
    Particles some;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t from = k * particles.size() / count;
      some.push_back(particles.id[from], particles.mass[from], particles.position[from], particles.velocity[from]);
    }
    const double taken = total_mass(some);
    for (double& each : some.mass) each *= taken > 0 ? mass / taken : 1;
    measure(some);
  }
  return measured;
}

BlockSteps scaled_block_steps(const std::vector<BlockSteps>& measured, double n) {
  if (measured.size() < 2) throw Error("block sizes are scaled from two measurements or more");
  std::size_t upper = 1;
  while (upper + 1 < measured.size() && measured[upper].n < n) ++upper;
  const BlockSteps& a = measured[upper - 1];
  const BlockSteps& b = measured[upper];
  const BlockSteps& from = n * n < a.n * b.n ? a : b;
  const double octaves = std::log(b.n / a.n);
  const double steps_power = std::log(b.steps() / b.n / (a.steps() / a.n)) / octaves;
  const double size_power = std::min(1.0, std::log(b.steps() / b.blocks() / (a.steps() / a.blocks())) / octaves);
  const double ratio = n / from.n;
  BlockSteps result;
  result.n = n;
  const double size_factor = std::pow(ratio, size_power);
  const double blocks_factor = ratio * std::pow(ratio, steps_power) / size_factor;
  for (const BlockCount& count : from.counts) result.counts.push_back(scaled(count, size_factor, blocks_factor, n));
  return result;
}

std::vector<BlockSteps> standard_block_steps() {
  const std::string path = base::data_file(std::string(kStandardBlockSteps)).string();
  return block_steps_from_csv(base::read_file(path), path);
}

BlockSteps block_steps_for(double n, const HermiteOptions& options) {
  BlockSteps steps = scaled_block_steps(standard_block_steps(), n);
  if (options == kStandardSteps) return steps;
  constexpr std::uint64_t kSeed = 1;
  constexpr double kUnit = 1;
  const BlockSteps before = measure_block_steps(kRatioParticles, kSeed, kStandardSteps, kUnit);
  const BlockSteps after = measure_block_steps(kRatioParticles, kSeed, options, kUnit);
  const double steps_factor = after.steps() / before.steps();
  const double size_factor = after.steps() / after.blocks() / (before.steps() / before.blocks());
  for (BlockCount& count : steps.counts) count = scaled(count, size_factor, steps_factor / size_factor, n);
  return steps;
}

emulator::StageSeconds block_seconds(const emulator::BoardTime& board, const BlockSteps& steps) {
  return block_seconds_of(board, steps);
}

std::string to_csv(const std::vector<BlockSteps>& measured) {
  std::string text = std::string(kHeader) + "\n";
  for (const BlockSteps& steps : measured) {
    for (const BlockCount& count : joined(steps.counts, kSpan)) {
      text += fmt::format("{:.0f},{:.6g},{:.6g}\n", steps.n, count.size, count.blocks);
    }
  }
  return text;
}

std::vector<BlockSteps> block_steps_from_csv(std::string_view text, std::string_view name) {
  std::vector<BlockSteps> measured;
  base::LineReader lines(text, std::string(name));
  while (const std::optional<std::string_view> line = lines.next()) {
    if (*line == kHeader) continue;
    std::vector<double> values;
    for (const std::string_view field : base::comma_fields(*line)) {
      const double value = base::number_in<double>(field).value_or(0);
      if (std::isfinite(value) && value > 0) values.push_back(value);
    }
    if (values.size() != 3 || base::comma_fields(*line).size() != 3) {
      lines.refuse(fmt::format("'{}' is refused: it must be n,size,blocks, finite and above 0", *line));
    }
    if (measured.empty() || values[0] > measured.back().n) {
      measured.push_back({values[0], {}});
    } else if (values[0] < measured.back().n) {
      lines.refuse(fmt::format("n = {} is refused: it must be at least the {} of the line before", values[0],
                               measured.back().n));
    }
    measured.back().counts.push_back({values[1], values[2]});
  }
  return measured;
}

}  // namespace gdr::hostlib
