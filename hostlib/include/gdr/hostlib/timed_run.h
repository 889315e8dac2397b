// What the time of an N-body run follows from, without the run: its particles, its span, and the blocks of its steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gdr/hostlib/block_steps.h"
#include "gdr/hostlib/nbody_run.h"

namespace gdr::hostlib {

struct TimedRun {
  std::string start;                  // model or file
  std::optional<std::uint64_t> seed;  // nothing if nothing is drawn
  std::size_t particles = 0;
  double begin = 0;              // the snapshot's time
  double span = 0;               // units of time from there on; may be 0 or less
  std::optional<Particles> own;  // none for a Plummer sphere
  std::vector<std::string> notes;
};
/// Throws as start_of_run().
[[nodiscard]] TimedRun timed_run(const NbodySettings& settings);

/// Block steps of a run, and where they come from.
struct RunBlocks {
  std::string from;                  // "measured", or a file
  double measured_t = 0;             // units of time that were integrated; 0: of a file
  std::vector<BlockSteps> measured;  // what `steps` are scaled from
  BlockSteps steps;

  [[nodiscard]] std::vector<double> measured_at() const;  // particles
};

/// Particles of a measurement if nobody says how many.
inline constexpr std::size_t kMeasured = 1024;

/// Block steps from the first unit of time of the run's own particles, or of Plummer spheres, with up to `most`
/// particles. Own particles are integrated for some 20 s of one core at most.
[[nodiscard]] RunBlocks measured_blocks(const TimedRun& run, const HermiteOptions& options, std::size_t most);
/// Block steps scaled from a file of measurements, or from the standard ones if `file` is empty. Throws gdr::Error as
/// block_steps_from_csv().
[[nodiscard]] RunBlocks known_blocks(const TimedRun& run, const HermiteOptions& options, const std::string& file);

}  // namespace gdr::hostlib
