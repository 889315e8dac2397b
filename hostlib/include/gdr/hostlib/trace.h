// Emulated time as a trace in the JSON format that Chrome's and Perfetto's viewers open. The trace shows the host and
// the stages, and for chosen chips every line, unit, port and stall.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gdr/emulator/board_time.h"

namespace gdr::hostlib {

/// The part of a run that is shown line by line. Host and stages are always shown.
struct TraceOptions {
  std::vector<unsigned> chips{0};
  std::vector<unsigned> blocks{0};  // blocks whose records are shown on their way through IDP
  std::uint64_t run = 0;            // trigger: lines are shown from this run of 128 i-particles on
  std::uint64_t first_clock = 0;    // window of chip clocks, counted from the start of a run
  std::uint64_t last_clock = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most_bytes = 8000000;
};

/// Throws gdr::Error for a chip or block that does not exist, and for a window without clocks. Programs that compute
/// for hours before they write a trace call this function first.
void validate(const TraceOptions& options, unsigned chips);

struct Trace {
  std::string json;
  std::uint64_t events = 0;
  bool complete = true;  // false if the trace was cut off at most_bytes
  std::string no_lines;  // why no lines are shown, if the board's runs or their clocks end before the requested ones
};

/// `board` must have kept its calls. The events of a track nest or follow one another, and the clocks of the slices
/// below a run add up to the clocks of the run. Throws gdr::Error as validate() does.
[[nodiscard]] Trace make_trace(const emulator::BoardTime& board, const isa::Program& program,
                               const TraceOptions& options);

}  // namespace gdr::hostlib
