// How many particles the block steps of a run with individual time steps hold. The numbers are measured with few
// particles and scaled to many, which gives the emulated time of runs that are too large to be computed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/emulator/board_time.h"
#include "gdr/hostlib/hermite.h"

namespace gdr::hostlib {

/// Block steps of one size. After scaling, neither number is whole.
struct BlockCount {
  double size = 0;    // particles
  double blocks = 0;  // per unit of time
};

/// Block steps of a Plummer sphere of `n` particles per unit of time, from t = 0 on.
struct BlockSteps {
  double n = 0;
  std::vector<BlockCount> counts;
  [[nodiscard]] double steps() const;   // of single particles
  [[nodiscard]] double blocks() const;  // force calls
};

/// Joins blocks whose sizes lie within the factor `span` to blocks of their mean size. `counts` is in ascending order
/// of size.
[[nodiscard]] std::vector<BlockCount> joined(const std::vector<BlockCount>& counts, double span);

/// The block steps that an integrator counted up to `t` > 0, per unit of time.
[[nodiscard]] BlockSteps block_steps_of(const HermiteCounters& counters, double t);

/// Measures block steps by integrating a Plummer sphere to `t`, with forces in host double.
[[nodiscard]] BlockSteps measure_block_steps(std::size_t n, std::uint64_t seed, const HermiteOptions& options,
                                             double t);

/// Two measurements from which the steps of `n` particles can be scaled: with `most` particles, or `n` if they are
/// fewer but at least 4, and with half as many; to `t`, or to 1 if that is earlier.
[[nodiscard]] std::vector<BlockSteps> measured_for(std::size_t n, std::size_t most, std::uint64_t seed,
                                                   const HermiteOptions& options, double t);

/// Steps of a run's own particles.
struct MeasuredSteps {
  std::vector<BlockSteps> of;  // with fewer particles first; one alone if all particles were taken
  double t = 0;                // units of time that were integrated, the shortest of all
};

/// Integrates `particles` for `t` > 0 units of time with forces in doubles, or until that takes `most_interactions`:
/// all of them if they are at most `most`; else samples of `most` and of half as many, evenly spaced in their order and
/// with the same total mass, from which scaled_block_steps() goes on. `most` is at least 4.
[[nodiscard]] MeasuredSteps measured_on(const Particles& particles, std::size_t most, const HermiteOptions& options,
                                        double t, std::uint64_t most_interactions);

/// Scales measurements, in ascending order of their n, to `n` particles. Steps per particle and mean block size are
/// taken as powers of n between the two measurements around n, and also beyond the last two. Block sizes grow no faster
/// than n. Throws gdr::Error for fewer than two measurements.
[[nodiscard]] BlockSteps scaled_block_steps(const std::vector<BlockSteps>& measured, double n);

/// The data file of the block steps that every model takes unless it is given others: a Plummer sphere from t = 0 to 1,
/// seed 1, with kStandardSteps, for several n.
inline constexpr std::string_view kStandardBlockSteps = "docs/block_steps.csv";
inline constexpr HermiteOptions kStandardSteps{};
/// Reads that file from the data directories. Throws gdr::Error if it is not found.
[[nodiscard]] std::vector<BlockSteps> standard_block_steps();
/// Block steps of a Plummer sphere of `n` particles, scaled from standard_block_steps(). For other options than
/// kStandardSteps, numbers of steps and sizes of blocks change by the factors that two measurements with
/// kRatioParticles give, one with each of the options.
inline constexpr std::size_t kRatioParticles = 512;
[[nodiscard]] BlockSteps block_steps_for(double n, const HermiteOptions& options = kStandardSteps);

/// Emulated time of these blocks for one unit of time. For each block the host sends the i-particles, the board runs,
/// the host integrates and sends the block's particles back as j-particles.
[[nodiscard]] emulator::StageSeconds block_seconds(const emulator::BoardTime& board, const BlockSteps& steps);

/// The same for any type of board that has run_seconds(), j_seconds() and integration_seconds().
template <class Board>
[[nodiscard]] emulator::StageSeconds block_seconds_of(const Board& board, const BlockSteps& steps) {
  emulator::StageSeconds sum;
  const auto n = static_cast<std::uint64_t>(std::llround(steps.n));
  for (const BlockCount& count : steps.counts) {
    const auto size = static_cast<std::uint64_t>(std::max(1LL, std::llround(count.size)));
    emulator::StageSeconds block = board.run_seconds(size, n);
    block.j_send += board.j_seconds(size);
    block.host += board.integration_seconds(size, n);
    sum += block.times(count.blocks);
  }
  return sum;
}

/// CSV with the columns n, size and blocks (per unit of time). Sizes within 2 % of each other are joined.
[[nodiscard]] std::string to_csv(const std::vector<BlockSteps>& measured);
/// Throws gdr::Error with `name` and line for a line that is not valid.
[[nodiscard]] std::vector<BlockSteps> block_steps_from_csv(std::string_view text, std::string_view name);

}  // namespace gdr::hostlib
