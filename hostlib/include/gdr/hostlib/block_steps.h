// How many particles the blocks of an individual-time-step run hold, measured on few particles and scaled to many: what
// emulated time needs of a run too large to be computed.
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

/// Blocks of one size; scaled ones are no whole numbers.
struct BlockCount {
  double size = 0;    // particles
  double blocks = 0;  // per unit of time
};

/// Per unit of time of a Plummer sphere of `n` particles, from t = 0 on.
struct BlockSteps {
  double n = 0;
  std::vector<BlockCount> counts;
  [[nodiscard]] double steps() const;   // of single particles
  [[nodiscard]] double blocks() const;  // force calls
};

/// Blocks whose sizes lie within the factor `span` become blocks of their mean. `counts` by ascending size.
[[nodiscard]] std::vector<BlockCount> joined(const std::vector<BlockCount>& counts, double span);

/// What an integrator counted up to `t` > 0.
[[nodiscard]] BlockSteps block_steps_of(const HermiteCounters& counters, double t);

/// Integrates a Plummer sphere to `t` with forces in host double.
[[nodiscard]] BlockSteps measure_block_steps(std::size_t n, std::uint64_t seed, const HermiteOptions& options,
                                             double t);

/// `n` particles, from measurements at two or more sizes (ascending): between the two sizes around n, or beyond the
/// last two, steps per particle and mean block grow as powers of n, blocks no faster than n. Throws gdr::Error for
/// fewer than two measurements.
[[nodiscard]] BlockSteps scaled_block_steps(const std::vector<BlockSteps>& measured, double n);

/// Emulated time of these blocks for one unit of time: each sends its i-particles, runs, integrates on the host and
/// sends its particles back as j-particles.
[[nodiscard]] emulator::StageSeconds block_seconds(const emulator::BoardTime& board, const BlockSteps& steps);

/// The same of any board that has run_seconds(), j_seconds() and integration_seconds().
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

/// CSV with the columns n, size, blocks (per unit of time); sizes within 2 % of each other are joined.
[[nodiscard]] std::string to_csv(const std::vector<BlockSteps>& measured);
/// Throws gdr::Error with name and line.
[[nodiscard]] std::vector<BlockSteps> block_steps_from_csv(std::string_view text, std::string_view name);

}  // namespace gdr::hostlib
