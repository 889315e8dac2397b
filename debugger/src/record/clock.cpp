#include "clock.h"

#include <algorithm>

namespace gdr::debugger {

using isa::Section;

Clock::Clock(const Recording& recording, unsigned chip) {
  for (std::size_t n = 0; n < isa::kSections; ++n) {
    lines_[n] = recording.program.lines(static_cast<Section>(n)).size();
  }
  Moment now = 0;
  for (std::size_t n = 0; n < recording.commands.size(); ++n) {
    Segment segment;
    segment.first = now;
    segment.command = n;
    if (const auto* piece = std::get_if<emulator::Piece>(&recording.commands[n])) {
      if (piece->chip != chip) continue;
      segment.piece = piece;
      segment.run = piece->run;
      segment.iterations = (piece->records + isa::kBlocks - 1) / isa::kBlocks;
      segment.lines = segment.iterations * lines_of(Section::loop_body);
      if (piece->begins) segment.lines += lines_of(Section::loop_initialization);
      if (piece->ends) segment.lines += lines_of(Section::loop_termination);
    } else if (std::holds_alternative<InitializeCommand>(recording.commands[n])) {
      segment.lines = lines_of(Section::initialization);
    }
    if (segment.lines == 0) continue;
    now += segment.lines;
    segments_.push_back(segment);
  }
}

const Segment* Clock::segment_at(Moment moment) const {
  const auto after = std::ranges::upper_bound(segments_, moment, {}, &Segment::first);
  if (after == segments_.begin()) return nullptr;
  const Segment& found = *(after - 1);
  return moment < found.end() ? &found : nullptr;
}

std::optional<Position> Clock::position(Moment moment) const {
  const Segment* segment = segment_at(moment);
  if (segment == nullptr) return std::nullopt;
  std::uint64_t offset = moment - segment->first;
  Position position;
  position.run = segment->run;
  if (segment->piece == nullptr) {
    position.line = offset;
    return position;
  }
  if (segment->piece->begins) {
    if (offset < lines_of(Section::loop_initialization)) {
      position.section = Section::loop_initialization;
      position.line = offset;
      return position;
    }
    offset -= lines_of(Section::loop_initialization);
  }
  const std::uint64_t body = lines_of(Section::loop_body);
  if (offset < body * segment->iterations) {
    position.section = Section::loop_body;
    position.iteration = segment->piece->first_iteration + offset / body;
    position.line = offset % body;
    return position;
  }
  position.section = Section::loop_termination;
  position.line = offset - body * segment->iterations;
  return position;
}

Moment Clock::moment(const Position& wanted) const {
  // Positions increase with moments.
  Moment low = 0;
  Moment high = end();
  while (low < high) {
    const Moment middle = low + (high - low) / 2;
    if (*position(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

Clock::Series Clock::series(const Segment& segment, const Line& line) const {
  if (line.line >= lines_of(line.section)) return {};
  if (segment.piece == nullptr) {
    return line.section == Section::initialization ? Series{segment.first + line.line, 1, 1} : Series{};
  }
  const std::uint64_t start = segment.piece->begins ? lines_of(Section::loop_initialization) : 0;
  const std::uint64_t body = lines_of(Section::loop_body);
  switch (line.section) {
    case Section::initialization:
      return {};
    case Section::loop_initialization:
      return segment.piece->begins ? Series{segment.first + line.line, 1, 1} : Series{};
    case Section::loop_body:
      return {segment.first + start + line.line, body, segment.iterations};
    case Section::loop_termination:
      break;
  }
  if (!segment.piece->ends) return {};
  return {segment.first + start + body * segment.iterations + line.line, 1, 1};
}

std::optional<Moment> Clock::next_in(const Segment& segment, const Line& line, Moment from) const {
  const Series all = series(segment, line);
  if (all.count == 0) return std::nullopt;
  const std::uint64_t skipped = from <= all.first ? 0 : (from - all.first + all.step - 1) / all.step;
  if (skipped >= all.count) return std::nullopt;
  return all.first + skipped * all.step;
}

std::optional<Moment> Clock::previous_in(const Segment& segment, const Line& line, Moment before) const {
  const Series all = series(segment, line);
  if (all.count == 0 || before <= all.first) return std::nullopt;
  return all.first + std::min(all.count - 1, (before - all.first - 1) / all.step) * all.step;
}

std::uint64_t Clock::executions(std::span<const Line> lines, Moment before) const {
  std::uint64_t count = 0;
  for (const Segment& segment : segments_) {
    if (segment.first >= before) break;
    for (const Line& line : lines) {
      const Series all = series(segment, line);
      if (all.count > 0 && all.first < before) count += std::min(all.count, (before - all.first - 1) / all.step + 1);
    }
  }
  return count;
}

std::optional<Moment> Clock::next(std::span<const Line> lines, Moment from) const {
  for (auto segment = std::ranges::upper_bound(segments_, from, {}, [](const Segment& s) { return s.end(); });
       segment != segments_.end(); ++segment) {
    std::optional<Moment> found;
    for (const Line& line : lines) {
      const std::optional<Moment> here = next_in(*segment, line, from);
      if (here && (!found || *here < *found)) found = here;
    }
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<Moment> Clock::previous(std::span<const Line> lines, Moment before) const {
  for (auto segment = std::ranges::lower_bound(segments_, before, {}, &Segment::first); segment != segments_.begin();) {
    --segment;
    std::optional<Moment> found;
    for (const Line& line : lines) {
      const std::optional<Moment> here = previous_in(*segment, line, before);
      if (here && (!found || *here > *found)) found = here;
    }
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace gdr::debugger
