// Emulated time as a trace in the JSON form that Chrome's and Perfetto's viewers open: host, stages, and for chosen
// chips every line, unit, port and stall.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gdr/emulator/board_time.h"

namespace gdr::hostlib {

/// What of a run is shown line by line. Host and stages are always there.
struct TraceOptions {
  std::vector<unsigned> chips{0};
  std::vector<unsigned> blocks{0};  // whose records on their way through IDP are shown
  std::uint64_t run = 0;            // trigger: lines are shown from this run of 128 i-particles on
  std::uint64_t first_clock = 0;    // of that run's chip clocks
  std::uint64_t last_clock = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most_bytes = 8000000;
};

/// Throws gdr::Error for a chip or block that there is not. For programs that compute for hours before they trace.
void validate(const TraceOptions& options, unsigned chips);

struct Trace {
  std::string json;
  std::uint64_t events = 0;
  bool complete = true;  // false: the limit cut it off
};

/// `board` must have kept its calls. Events of a track nest and follow one another; the clocks of the slices below a
/// run add up to its clocks. Throws gdr::Error for a chip or block that there is not.
[[nodiscard]] Trace make_trace(const emulator::BoardTime& board, const isa::Program& program,
                               const TraceOptions& options);

}  // namespace gdr::hostlib
