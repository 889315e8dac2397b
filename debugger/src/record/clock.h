// Consecutive numbers for the lines that a chip executes in a recording. They do not depend on the data.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "gdr/debugger/position.h"
#include "recording.h"

namespace gdr::debugger {

/// A point in time, as the number of lines that a chip has executed.
using Moment = std::uint64_t;

/// Lines that run without a command of the host between them: section `initialization`, or a piece of the loop.
struct Segment {
  Moment first = 0;
  std::uint64_t lines = 0;
  const emulator::Piece* piece = nullptr;  // null: section `initialization`
  std::uint64_t iterations = 0;
  std::size_t command = 0;  // index into the recording's commands
  std::uint64_t run = 0;
  [[nodiscard]] Moment end() const { return first + lines; }
};

/// The moments of one chip. The recording must outlive it.
class Clock {
 public:
  Clock(const Recording& recording, unsigned chip);

  /// Segments with lines, in order.
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  [[nodiscard]] Moment end() const { return segments_.empty() ? 0 : segments_.back().end(); }
  /// The segment that executes a line at this moment; nothing at the end.
  [[nodiscard]] const Segment* segment_at(Moment moment) const;
  /// Position of the line that comes next; nothing at the end.
  [[nodiscard]] std::optional<Position> position(Moment moment) const;
  /// The first moment at or after this position.
  [[nodiscard]] Moment moment(const Position& position) const;
  /// The first moment at or after `from` (next), or the last one before `before` (previous), at which one of these
  /// lines comes next.
  struct Line {
    isa::Section section = isa::Section::initialization;
    std::size_t line = 0;
  };
  [[nodiscard]] std::optional<Moment> next(std::span<const Line> lines, Moment from) const;
  [[nodiscard]] std::optional<Moment> previous(std::span<const Line> lines, Moment before) const;
  /// How often one of these lines is executed before a moment.
  [[nodiscard]] std::uint64_t executions(std::span<const Line> lines, Moment before) const;
  [[nodiscard]] std::size_t lines_of(isa::Section section) const { return lines_[static_cast<std::size_t>(section)]; }

 private:
  [[nodiscard]] std::optional<Moment> next_in(const Segment& segment, const Line& line, Moment from) const;
  [[nodiscard]] std::optional<Moment> previous_in(const Segment& segment, const Line& line, Moment before) const;
  /// Moments of a line in a segment: first, first + step, ..., `count` of them.
  struct Series {
    Moment first = 0;
    std::uint64_t step = 1;
    std::uint64_t count = 0;
  };
  [[nodiscard]] Series series(const Segment& segment, const Line& line) const;

  std::array<std::size_t, isa::kSections> lines_{};
  std::vector<Segment> segments_;
};

}  // namespace gdr::debugger
