#include "gdr/hostlib/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/stopping.h"

namespace gdr::hostlib {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kNeighbours = 6;  // as Casertano & Hut: fewer give more scatter, more smear out the core

struct Neighbour {
  double distance2 = std::numeric_limits<double>::infinity();
  double mass = 0.0;
};

/// The nearest neighbours so far, in the order of distance.
class Nearest {
 public:
  void offer(double distance2, double mass) {
    if (!(distance2 < farthest2())) return;
    std::size_t at = kNeighbours - 1;
    for (; at > 0 && found_[at - 1].distance2 > distance2; --at) found_[at] = found_[at - 1];
    found_[at] = {distance2, mass};
  }
  [[nodiscard]] double farthest2() const { return found_[kNeighbours - 1].distance2; }
  [[nodiscard]] double density() const {
    double mass = 0.0;
    for (std::size_t k = 0; k + 1 < kNeighbours; ++k) mass += found_[k].mass;
    const double radius = std::sqrt(farthest2());
    return mass / (4.0 / 3.0 * std::numbers::pi * radius * radius * radius);
  }

 private:
  std::array<Neighbour, kNeighbours> found_;
};

/// Densities in the order of `order`, which sorts the particles along x. From each particle the search goes outwards
/// along x, until the distance in x alone exceeds that of the sixth neighbour found so far.
std::vector<double> densities(const Particles& p, const std::vector<std::size_t>& order) {
  constexpr std::size_t kParticlesAPause = 64;
  std::vector<double> density(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k % kParticlesAPause == 0) base::pause();
    const Vec3 x = p.position[order[k]];
    Nearest nearest;
    const auto look_at = [&](std::size_t other) {
      const Vec3 d = p.position[order[other]] - x;
      if (d.x * d.x >= nearest.farthest2()) return false;
      nearest.offer(dot(d, d), p.mass[order[other]]);
      return true;
    };
    bool left = true;
    bool right = true;
    for (std::size_t step = 1; left || right; ++step) {
      left = left && step <= k && look_at(k - step);
      right = right && k + step < order.size() && look_at(k + step);
    }
    density[k] = nearest.density();
  }
  return density;
}

}  // namespace

std::optional<Core> core_of(const Particles& p) {
  if (p.size() <= kNeighbours) return std::nullopt;
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return p.position[a].x < p.position[b].x || (p.position[a].x == p.position[b].x && a < b);
  });
  const std::vector<double> density = densities(p, order);
  double sum = 0.0;
  Vec3 weighted;
  for (std::size_t k = 0; k < order.size(); ++k) {
    sum += density[k];
    weighted += density[k] * p.position[order[k]];
  }
  if (!(sum > 0.0) || !std::isfinite(sum)) return std::nullopt;
  Core core;
  core.centre = weighted * (1.0 / sum);
  for (std::size_t k = 0; k < order.size(); ++k) core.radius += density[k] * norm(p.position[order[k]] - core.centre);
  core.radius /= sum;
  return core;
}

std::vector<BlockSizeBin> block_size_histogram(const HermiteCounters& counters) {
  std::vector<BlockSizeBin> bins;
  for (std::uint64_t size = 1; size < counters.block_sizes.size(); ++size) {
    if (std::has_single_bit(size)) {
      bins.push_back({size, std::min<std::uint64_t>(2 * size, counters.block_sizes.size()) - 1, 0});
    }
    bins.back().blocks += counters.block_sizes[size];
  }
  return bins;
}

const std::vector<std::string>& sample_columns() {
  static const std::vector<std::string> columns{"t",
                                                "energy",
                                                "energy_error",
                                                "virial_ratio",
                                                "com_x",
                                                "com_y",
                                                "com_z",
                                                "l_x",
                                                "l_y",
                                                "l_z",
                                                "r_01",
                                                "r_10",
                                                "r_50",
                                                "r_90",
                                                "steps",
                                                "block_steps",
                                                "interactions",
                                                "kinetic",
                                                "potential",
                                                "board_energy",
                                                "p_x",
                                                "p_y",
                                                "p_z",
                                                "r_05",
                                                "r_25",
                                                "r_75",
                                                "core_x",
                                                "core_y",
                                                "core_z",
                                                "core_radius",
                                                "smallest_steps",
                                                "pipe_occupancy"};
  return columns;
}

std::vector<double> sample_values(const Sample& s) {
  const auto& [r01, r05, r10, r25, r50, r75, r90] = s.radii;
  const Core core = s.core.value_or(Core{{kNone, kNone, kNone}, kNone});
  const auto count = [](std::uint64_t n) { return static_cast<double>(n); };
  return {s.t,
          s.energy.total(),
          s.energy_error.value_or(kNone),
          s.energy.virial_ratio(),
          s.centre_of_mass.x,
          s.centre_of_mass.y,
          s.centre_of_mass.z,
          s.angular_momentum.x,
          s.angular_momentum.y,
          s.angular_momentum.z,
          r01,
          r10,
          r50,
          r90,
          count(s.counters.steps),
          count(s.counters.block_steps),
          count(s.counters.interactions),
          s.energy.kinetic,
          s.energy.potential,
          s.board_energy.value_or(kNone),
          s.momentum.x,
          s.momentum.y,
          s.momentum.z,
          r05,
          r25,
          r75,
          core.centre.x,
          core.centre.y,
          core.centre.z,
          core.radius,
          count(s.counters.smallest_steps),
          s.pipe_occupancy.value_or(kNone)};
}

std::string sample_csv_header() { return fmt::format("{}\n", fmt::join(sample_columns(), ",")); }

std::string sample_csv_line(const std::vector<double>& values) {
  std::string line;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (n > 0) line += ',';
    if (std::isfinite(values[n])) line += fmt::format("{}", values[n]);
  }
  return line + "\n";
}

std::vector<std::vector<double>> samples_from_csv(std::string_view text, std::string_view name) {
  base::LineReader lines(text, std::string(name));
  const std::optional<std::string_view> header = lines.next();
  if (!header || !std::ranges::equal(base::comma_fields(*header), sample_columns())) {
    throw Error(fmt::format("{}:1: is no log of gdr nbody with these columns", name));
  }
  std::vector<std::vector<double>> rows;
  while (const std::optional<std::string_view> line = lines.next()) {
    const std::vector<std::string_view> fields = base::comma_fields(*line);
    std::vector<double>& row = rows.emplace_back();
    for (const std::string_view field : fields) {
      const std::optional<double> value = field.empty() ? kNone : base::number_in<double>(field);
      if (!value) lines.refuse(fmt::format("'{}' is no number", field));
      row.push_back(*value);
    }
    if (fields.size() != sample_columns().size()) {
      lines.refuse(fmt::format("{} fields instead of {}", fields.size(), sample_columns().size()));
    }
  }
  return rows;
}

}  // namespace gdr::hostlib
