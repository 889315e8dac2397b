// Quantities by which a run is judged: the core of a cluster, how well blocks of particles fill the board, and the line
// of numbers that each output adds to the log.
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

/// Density centre and core radius of a cluster (Casertano & Hut 1985, Astrophys. J. 298, 80).
struct Core {
  Vec3 centre;
  double radius = 0.0;

  friend bool operator==(const Core&, const Core&) = default;
};

/// The density at a particle is an unbiased estimate from the distance r_6 of its sixth neighbour: the mass of the five
/// nearer ones over 4 pi r_6^3 / 3. The centre is the mean position weighted by these densities; the radius is the mean
/// distance from the centre with the same weights. Returns none if there are fewer than 7 particles, if there is no
/// mass, or if a density overflows because seven particles coincide. Typically O(N^(5/3)).
[[nodiscard]] std::optional<Core> core_of(const Particles& particles);

/// Two particles that are near each other, and the orbit that they would have if they were alone, without softening.
struct ClosePair {
  std::int64_t first = 0;  // ids
  std::int64_t second = 0;
  double distance = 0.0;
  std::optional<double> semi_major_axis;  // none if the pair is unbound, or has no mass
  double eccentricity = 0.0;              // of a bound pair

  friend bool operator==(const ClosePair&, const ClosePair&) = default;
};

/// The nearest of all pairs that have one of the 64 particles with the shortest steps, which are those in the closest
/// encounters. `particles` are those of `state` at one time. O(N). None if there are fewer than two particles.
[[nodiscard]] std::optional<ClosePair> closest_pair(const HermiteState& state, const Particles& particles);
/// `particles 3 and 17, 1.2e-05 apart: a = 1e-05, e = 0.310`, or `... apart, unbound`.
[[nodiscard]] std::string describe(const ClosePair& pair);

/// Number of block steps with `least` to `most` particles.
struct BlockSizeBin {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::uint64_t blocks = 0;

  friend bool operator==(const BlockSizeBin&, const BlockSizeBin&) = default;
};
/// Bins for 1, 2..3, 4..7, ... particles; the last one ends with N.
[[nodiscard]] std::vector<BlockSizeBin> block_size_histogram(const HermiteCounters& counters);

/// Mass fractions of the Lagrangian radii in the log. The radii are measured from the density centre, or from the
/// centre of mass if there is no core.
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

/// Names of the log's columns, in their order.
[[nodiscard]] const std::vector<std::string>& sample_columns();
/// The sample's values in that order; NaN for a value that does not exist.
[[nodiscard]] std::vector<double> sample_values(const Sample& sample);

/// Lines of the log as CSV. NaN and infinity become empty fields; other doubles keep every bit.
[[nodiscard]] std::string sample_csv_header();
[[nodiscard]] std::string sample_csv_line(const std::vector<double>& values);
/// Values of the lines after the header of a log, as sample_csv_line() wrote them. Throws gdr::Error `NAME:LINE: ...`
/// if the header is another one, a line has another number of fields, or a field is not a number.
[[nodiscard]] std::vector<std::vector<double>> samples_from_csv(std::string_view text, std::string_view name);

}  // namespace gdr::hostlib
