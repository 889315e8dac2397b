// Breakpoints and watches: their lines, and which of them applies.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "debugger_impl.h"
#include "gdr/base/error.h"

namespace gdr::debugger {
namespace {

/// A line of the source may have become several of the kernel: a pass through them counts, and is told of, once.
void leave_first_of_sections(std::vector<Clock::Line>& lines) {
  std::ranges::sort(lines, {}, [](const Clock::Line& line) { return std::pair(line.section, line.line); });
  const auto rest = std::ranges::unique(lines, {}, &Clock::Line::section);
  lines.erase(rest.begin(), rest.end());
}

}  // namespace

using isa::Section;

std::vector<CodeLine> Debugger::Impl::lines_at(std::string_view place) const {
  const std::size_t colon = place.rfind(':');
  const bool with_file = colon != std::string_view::npos;
  const auto number = whole_number(with_file ? place.substr(colon + 1) : place);
  if (!number) throw Error(fmt::format("'{}' is refused: it must be LINE or FILE:LINE", place));
  const std::filesystem::path file = with_file ? place.substr(0, colon) : std::string_view();
  std::vector<CodeLine> found;
  std::set<unsigned> with_code;
  const auto is_wanted = [&](const isa::SourcePosition& position) {
    if (!is_file(position.file, file, with_file)) return false;
    with_code.insert(position.line);
    return position.line == *number;
  };
  for (const std::vector<CodeLine>& section : code_) {
    for (const CodeLine& line : section) {
      if (std::ranges::any_of(line.places, is_wanted)) found.push_back(line);
    }
  }
  // The scheduler gives lines without operations the place of another line.
  if (!std::ranges::all_of(found, [&](const CodeLine& line) { return is_idle(line); })) {
    std::erase_if(found, [&](const CodeLine& line) { return is_idle(line); });
  }
  // A use of a macro or a call is represented by the first of its lines.
  for (const Use& use : uses_) {
    if (!is_wanted(position_of(use.around))) continue;
    const CodeLine& first = code_[static_cast<std::size_t>(use.section)][use.first];
    const bool known = std::ranges::any_of(
        found, [&](const CodeLine& line) { return line.section == first.section && line.line == first.line; });
    if (!known) found.push_back(first);
  }
  if (found.empty()) {
    std::vector<unsigned> near;
    const auto after = with_code.upper_bound(*number);
    if (after != with_code.begin()) near.push_back(*std::prev(after));
    if (after != with_code.end()) near.push_back(*after);
    throw Error(fmt::format("no code stands at {}{}", place,
                            near.empty() ? "" : fmt::format("; the next lines with code: {}", fmt::join(near, ", "))));
  }
  return found;
}

unsigned Debugger::Impl::add_breakpoint(std::string_view place, const BreakpointOptions& options) {
  Stopping stopping;
  for (const CodeLine& line : lines_at(place)) stopping.lines.push_back({line.section, line.line});
  if (!options.condition.empty()) set_condition(stopping, options.condition);
  stopping.shown.place = std::string(place);
  stopping.shown.everywhere = options.everywhere && !options.condition.empty();
  if (stopping.shown.everywhere && !(options.hits.empty() && options.log.empty()))
    throw Error("a breakpoint that asks every element counts no hits and logs nothing");
  if (!options.hits.empty()) stopping.hits = hits_of(options.hits);
  if (!options.log.empty()) static_cast<void>(filled_in(options.log));  // names that are wrong are refused now
  stopping.shown.hits = options.hits;
  stopping.shown.log = options.log;
  if (!options.hits.empty() || !options.log.empty()) leave_first_of_sections(stopping.lines);
  return add(std::move(stopping));
}

Debugger::Impl::Hits Debugger::Impl::hits_of(std::string_view text) {
  Hits hits;
  std::string_view rest = text;
  const auto take = [&](std::string_view sign, Hits::Kind kind) {
    if (!rest.starts_with(sign)) return false;
    rest.remove_prefix(sign.size());
    hits.kind = kind;
    return true;
  };
  static_cast<void>(take(">=", Hits::Kind::from) || take(">", Hits::Kind::above) || take("%", Hits::Kind::every) ||
                    take("==", Hits::Kind::exactly) || take("=", Hits::Kind::exactly));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  const auto number = whole_number(rest);
  if (!number || *number < 1) {
    throw Error(fmt::format("hits: '{}' is refused: it must be N, >= N, > N or % N with N from 1 to {}", text,
                            std::numeric_limits<unsigned>::max()));
  }
  hits.number = *number;
  return hits;
}

bool Debugger::Impl::Hits::hold(std::uint64_t execution) const {
  switch (kind) {
    case Kind::exactly:
      return execution == number;
    case Kind::from:
      return execution >= number;
    case Kind::above:
      return execution > number;
    case Kind::every:
      return execution % number == 0;
  }
  return false;
}

/// False where a name of the expression has no word: a member of the j-record outside the loop body, a local variable
/// before its value is computed.
bool Debugger::Impl::has_words(const Expression& expression, isa::Section section, std::size_t line) const {
  bool all = true;
  expression.for_each_name([&](std::string_view name, const std::vector<std::uint64_t>& subscripts) {
    if (is_place_name(name) || constant(name)) return;
    if (const auto local = local_named(name, subscripts)) {
      all = all && locals_.look_up(local->name, section, line).symbol;
      return;
    }
    const Reference reference = symbols_.find(name, subscripts);
    require_single(reference);
    all = all && (reference.symbol.storage != isa::Storage::record || section == Section::loop_body);
  });
  return all;
}

/// One line of the source may be lines in several sections. Where a condition has no value at one of them, it does not
/// hold; if it has none at all of them, it is refused.
bool Debugger::Impl::may_hold(const Stopping& stopping, const Position& here) const {
  if (!stopping.condition) return true;
  return has_words(*stopping.condition, here.section, here.line) ||
         std::ranges::none_of(stopping.lines, [&](const Clock::Line& line) {
           return has_words(*stopping.condition, line.section, line.line);
         });
}

std::string Debugger::Impl::filled_in(std::string_view text) const {
  std::string filled;
  while (!text.empty()) {
    const std::size_t open = std::min(text.find('{'), text.size());
    filled += text.substr(0, open);
    if (open == text.size()) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) throw Error(fmt::format("log: '{}' has '{{' without '}}'", text));
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    const Expression expression(inside);
    const std::optional<Position> here = position();
    filled += here && has_words(expression, here->section, here->line) ? debugger::text_of(evaluate(expression))
                                                                       : std::string("?");
    text.remove_prefix(close + 1);
  }
  return filled;
}

std::vector<isa::SourcePosition> Debugger::Impl::places_in(std::string_view file) const {
  std::map<std::uint32_t, isa::SourcePosition> by_line;
  const auto add = [&](const isa::SourcePosition& position) {
    if (!is_file(position.file, file, true)) return;
    const auto [known, fresh] = by_line.emplace(position.line, position);
    if (!fresh && position.column < known->second.column) known->second = position;
  };
  for (const std::vector<CodeLine>& section : code_) {
    for (const CodeLine& line : section) {
      if (is_idle(line)) continue;
      for (const isa::SourcePosition& position : line.places) add(position);
    }
  }
  for (const Use& use : uses_) add(position_of(use.around));
  std::vector<isa::SourcePosition> places;
  for (const auto& [line, position] : by_line) places.push_back(position);
  return places;
}

unsigned Debugger::Impl::add_watch(std::string_view name, std::string_view condition) {
  Stopping stopping;
  stopping.watched = resolve(name);
  if (!stopping.watched->single())
    throw Error(fmt::format("watch: {} has {} entries: choose one of them", name, stopping.watched->entries));
  stopping.lines = writers(job_.program, watched_place(*stopping.watched));
  if (stopping.lines.empty()) throw Error(fmt::format("watch: no line writes {}", name));
  if (!condition.empty()) set_condition(stopping, condition);
  stopping.shown.place = std::string(name);
  stopping.shown.watch = true;
  return add(std::move(stopping));
}

void Debugger::Impl::renumber(unsigned number, unsigned wanted) {
  for (Stopping& stopping : stops_) {
    if (stopping.shown.number == number) stopping.shown.number = wanted;
  }
  numbers_ = std::max(numbers_, wanted);
}

bool Debugger::Impl::remove(unsigned number) {
  return std::erase_if(stops_, [&](const Stopping& stopping) { return stopping.shown.number == number; }) > 0;
}

std::vector<Breakpoint> Debugger::Impl::breakpoints() const {
  std::vector<Breakpoint> shown;
  for (const Stopping& stopping : stops_) shown.push_back(stopping.shown);
  return shown;
}

bool Debugger::Impl::is_idle(const CodeLine& line) const {
  const isa::Effects effects = isa::effects(isa::decoded(job_.program.lines(line.section)[line.line].word));
  return effects.reads().empty() && effects.writes().empty();
}

std::vector<Clock::Line> Debugger::Impl::clock_lines(const std::vector<CodeLine>& code) {
  std::vector<Clock::Line> lines;
  for (const CodeLine& line : code) lines.push_back({line.section, line.line});
  return lines;
}

bool Debugger::Impl::is_file(std::uint32_t number, const std::filesystem::path& file, bool with_file) const {
  if (!with_file) return number == own_file_;
  const std::filesystem::path source = job_.program.files[number];
  if (source == file || (!file.has_parent_path() && source.filename() == file) ||
      source.lexically_normal() == file.lexically_normal() ||
      std::filesystem::absolute(source).lexically_normal() == file.lexically_normal()) {
    return true;
  }
  std::error_code none;  // one of the two may name the file by a link
  return std::filesystem::equivalent(source, file, none);
}

void Debugger::Impl::set_condition(Stopping& stopping, std::string_view condition) {
  stopping.condition.emplace(condition);
  stopping.condition->for_each_name([&](std::string_view name, const std::vector<std::uint64_t>& subscripts) {
    // A local variable may have its word at the breakpoint alone.
    if (is_place_name(name) || constant(name) || local_named(name, subscripts)) return;
    require_single(symbols_.find(name, subscripts));
  });
  stopping.shown.condition = std::string(condition);
}

unsigned Debugger::Impl::add(Stopping stopping) {
  stopping.shown.number = ++numbers_;
  stops_.push_back(std::move(stopping));
  return numbers_;
}

std::vector<Clock::Line> Debugger::Impl::stopping_lines() const {
  std::vector<Clock::Line> lines;
  for (const Stopping& stopping : stops_) lines.insert(lines.end(), stopping.lines.begin(), stopping.lines.end());
  return lines;
}

bool Debugger::Impl::stands_at(const Stopping& stopping, const Position& here) {
  return std::ranges::any_of(
      stopping.lines, [&](const Clock::Line& line) { return line.section == here.section && line.line == here.line; });
}

bool Debugger::Impl::applies(const Stopping& stopping, const Position& here) const {
  if (stopping.watched || stopping.shown.everywhere || !stands_at(stopping, here)) return false;
  if (stopping.hits && !stopping.hits->hold(clock().executions(stopping.lines, timeline_->now()) + 1)) return false;
  return !stopping.condition || (may_hold(stopping, here) && evaluate(*stopping.condition).truth());
}

const Breakpoint* Debugger::Impl::hit_here() const {
  const std::optional<Position> here = position();
  for (const Stopping& stopping : stops_) {
    if (here && stopping.shown.log.empty() && applies(stopping, *here)) return &stopping.shown;
  }
  return nullptr;
}

void Debugger::Impl::write_logs() const {
  const std::optional<Position> here = position();
  if (!here || !log_) return;
  for (const Stopping& stopping : stops_) {
    if (!stopping.shown.log.empty() && applies(stopping, *here)) log_(filled_in(stopping.shown.log));
  }
}

WordPlace Debugger::Impl::watched_place(const Reference& reference) const {
  return reference.symbol.word(reference.first, reference.element.value_or(focus_.element));
}

std::optional<Stop> Debugger::Impl::watch_step() {
  const std::optional<Position> here = position();
  std::vector<std::pair<const Stopping*, isa::LongWord>> watching;
  for (const Stopping& stopping : stops_) {
    if (here && stopping.watched && stands_at(stopping, *here))
      watching.emplace_back(&stopping, word(watched_place(*stopping.watched)));
  }
  if (watching.empty()) return std::nullopt;
  if (auto failed = seek(timeline_->now() + 1)) return failed;
  for (const auto& [stopping, before] : watching) {
    const WordPlace place = watched_place(*stopping->watched);
    const isa::LongWord after = word(place);
    if (after == before) continue;
    if (stopping->condition && !evaluate(*stopping->condition).truth()) continue;
    const NumberType type = stopping->watched->symbol.type();
    return Stop{StopReason::watch, stopping->shown.number,
                fmt::format("{}: {} -> {}", stopping->shown.place,
                            debugger::text_of(before, place.width, type, Format::natural),
                            debugger::text_of(after, place.width, type, Format::natural))};
  }
  return std::nullopt;
}

std::optional<std::pair<const Debugger::Impl::Stopping*, Focus>> Debugger::Impl::hit_in(const Timeline& timeline,
                                                                                        const Position& here) const {
  for (const Stopping& stopping : stops_) {
    if (!stopping.shown.everywhere || !stands_at(stopping, here) || !may_hold(stopping, here)) continue;
    std::optional<Focus> first;
    for_each_element(timeline.chip(), timeline.block_number(), here.run, [&](const Focus& focus) {
      if (!first && evaluate(*stopping.condition, timeline.block(), focus, here.run).truth()) first = focus;
    });
    if (first) return std::pair(&stopping, *first);
  }
  return std::nullopt;
}

Stop Debugger::Impl::anywhere(const Position& from, Stop stop) {
  std::vector<Clock::Line> lines;
  for (const Stopping& stopping : stops_) {
    if (stopping.shown.everywhere) lines.insert(lines.end(), stopping.lines.begin(), stopping.lines.end());
  }
  if (lines.empty()) return stop;
  std::optional<Position> best = position();
  std::optional<Focus> found;
  for (unsigned chip = 0; chip < recording_.chips; ++chip) {
    for (unsigned block = 0; block < isa::kBlocks; ++block) {
      if (interrupted()) return {StopReason::interrupted, 0, {}};
      const Clock& clock = clocks_[chip];
      Timeline timeline(recording_, clock, chip, block, 0);
      for (auto next = clock.next(lines, clock.moment(from)); next; next = clock.next(lines, *next + 1)) {
        const Position here = *clock.position(*next);
        if (best && here >= *best) break;
        if (here == from) continue;
        timeline.seek(*next);
        const auto hit = hit_in(timeline, here);
        if (!hit) continue;
        best = here;
        found = hit->second;
        stop = {StopReason::breakpoint, hit->first->shown.number, {}};
        break;
      }
    }
  }
  if (!found) return stop;
  timeline_ = std::make_unique<Timeline>(recording_, clocks_[found->chip], found->chip, found->block, kKeptPlaces);
  focus_ = *found;
  timeline_->seek(clock().moment(*best));
  return stop;
}

const Breakpoint* Debugger::Impl::hit_everywhere() {
  const std::optional<Position> here = position();
  if (!here) return nullptr;
  const auto hit = hit_in(*timeline_, *here);
  if (!hit) return nullptr;
  focus_ = hit->second;
  return &hit->first->shown;
}

}  // namespace gdr::debugger
