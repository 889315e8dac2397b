// What a run is judged by: the core of a cluster, how well blocks fill the board, and the line of numbers that each
// output adds to the log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/particles.h"

namespace gdr::hostlib {

/// Where a cluster is densest, and how far its core reaches (Casertano & Hut 1985, Astrophys. J. 298, 80).
struct Core {
  Vec3 centre;
  double radius = 0.0;

  friend bool operator==(const Core&, const Core&) = default;
};

/// The density at particle i is estimated without bias from its sixth neighbour at distance r_6, as the mass of the
/// five nearer ones over 4 pi r_6^3 / 3. The centre is the mean position weighted by these densities, the radius the
/// mean distance from it with the same weights. None if there are fewer than 7 particles, no mass, or a density
/// overflows because seven coincide. Typically O(N^(5/3)).
[[nodiscard]] std::optional<Core> core_of(const Particles& particles);

/// Blocks of `least` to `most` particles.
struct BlockSizeBin {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::uint64_t blocks = 0;

  friend bool operator==(const BlockSizeBin&, const BlockSizeBin&) = default;
};
/// Bins 1, 2..3, 4..7, ...; the last one ends with N.
[[nodiscard]] std::vector<BlockSizeBin> block_size_histogram(const HermiteCounters& counters);

/// Mass fractions of the log's Lagrangian radii, about the density centre; about the centre of mass if there is no
/// core.
inline constexpr std::array<double, 7> kLogFractions{0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9};

/// The state of a run at an output.
struct Sample {
  double t = 0.0;
  Energy energy;                       // in host double, O(N^2)
  std::optional<double> energy_error;  // relative to |E(0)|
  std::optional<double> board_energy;  // T + sum m pot / 2 with the board's potentials; see HermiteIntegrator
  Vec3 centre_of_mass;
  Vec3 momentum;
  Vec3 angular_momentum;
  std::array<double, kLogFractions.size()> radii{};
  std::optional<Core> core;
  HermiteCounters counters;              // since the start
  std::optional<double> pipe_occupancy;  // since the start: interactions / those that the PEs had time for
};

/// The log's columns, in its order.
[[nodiscard]] const std::vector<std::string>& sample_columns();
/// The sample's values in that order; NaN for what there is none of.
[[nodiscard]] std::vector<double> sample_values(const Sample& sample);

/// Lines of CSV; NaN and infinity are empty fields, other doubles keep every bit.
[[nodiscard]] std::string sample_csv_header();
[[nodiscard]] std::string sample_csv_line(const std::vector<double>& values);
/// The lines after the header of a log, as sample_csv_line() wrote them. Throws gdr::Error `NAME:LINE: ...` for another
/// header, a line with another number of fields or a field that is no number.
[[nodiscard]] std::vector<std::vector<double>> samples_from_csv(std::string_view text, std::string_view name);

}  // namespace gdr::hostlib
