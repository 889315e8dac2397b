// Steps, and moves to the next stop or to a pair of particles.
#include <fmt/format.h>

#include <algorithm>

#include "debugger_impl.h"
#include "gdr/base/error.h"

namespace gdr::debugger {

using emulator::kParticlesPerRun;
using isa::Section;

void Debugger::Impl::go_to_pair(std::optional<std::uint64_t> i, std::optional<std::uint64_t> j) {
  Focus focus = focus_;
  Position there = position().value_or(Position{1, Section::loop_body, 0, 0});
  there = {std::max<std::uint64_t>(there.run, 1), Section::loop_body, 0, 0};
  if (i) {
    if (i_count() == 0) throw Error("i: the kernel takes no i-particles");
    require(*i < i_count(), "i", *i, i_count() - 1);
    focus.element = *i % isa::kVectorElements;
    focus.pe = *i / isa::kVectorElements % isa::kPesPerBlock;
    if (type2()) {
      focus.block = *i / kParticlesPerRun % isa::kBlocks;
      focus.chip = static_cast<unsigned>(*i / (kParticlesPerRun * isa::kBlocks));
    } else {
      there.run = *i / kParticlesPerRun + 1;
    }
  }
  if (j) {
    if (j_count() == 0) throw Error("j: the kernel takes no j-records");
    require(*j < j_count(), "j", *j, j_count() - 1);
    const auto chip = static_cast<unsigned>(*j % recording_.chips);
    const auto block = static_cast<unsigned>(*j / recording_.chips % isa::kBlocks);
    if (type2() && i && (chip != focus.chip || block != focus.block)) {
      throw Error(fmt::format(
          "i-particle {} lives on chip {}, block {}, but j-record {} goes to chip {}, block {}: in a kernel of "
          "Type II they never meet",
          *i, focus.chip, focus.block, *j, chip, block));
    }
    focus.chip = chip;
    focus.block = block;
    there.iteration = *j / recording_.chips / isa::kBlocks;
  }
  const Moment moment = clocks_[focus.chip].moment(there);
  if (clocks_[focus.chip].position(moment) != there) {
    if (j) throw Error("the two never meet: the loop does not run so far");
    throw Error(fmt::format("no j-record lies on chip {}, where the focus is: name one, as in pair i={} j=0",
                            focus.chip, i.value_or(0)));
  }
  timeline_ = std::make_unique<Timeline>(recording_, clocks_[focus.chip], focus.chip, focus.block, kKeptPlaces);
  focus_ = focus;
  timeline_->seek(moment);
}

Stop Debugger::Impl::step(StepUnit unit, std::uint64_t count) {
  Moment there = timeline_->now();
  if (unit == StepUnit::line) {
    there += std::min(count, clock().end() - there);
  } else {
    for (std::uint64_t n = 0; n < count && there < clock().end(); ++n) there = next_of(unit, there);
  }
  if (const auto failed = seek(there)) return *failed;
  return there >= clock().end() ? Stop{StopReason::end, 0, {}} : Stop{};
}

Stop Debugger::Impl::back(StepUnit unit, std::uint64_t count) {
  Moment there = timeline_->now();
  if (unit == StepUnit::line) {
    there -= std::min(there, count);
  } else {
    for (std::uint64_t n = 0; n < count && there > 0; ++n) there = previous_of(unit, there);
  }
  timeline_->seek(there);
  return there == 0 ? Stop{StopReason::begin, 0, {}} : Stop{};
}

Stop Debugger::Impl::go_on() {
  const Position from = position().value_or(Position{});
  if (timeline_->now() >= clock().end()) return {StopReason::end, 0, {}};
  const std::vector<Clock::Line> lines = stopping_lines();
  Stop stop{StopReason::end, 0, {}};
  std::optional<Moment> next = clock().next(lines, timeline_->now());
  Moment first = timeline_->now();  // a breakpoint at the current position does not stop it
  for (; next; next = clock().next(lines, *next + 1)) {
    if (interrupted()) return {StopReason::interrupted, 0, {}};
    if (const auto failed = seek(*next)) return *failed;
    if (*next != first) {
      write_logs();
      if (const Breakpoint* hit = hit_here()) {
        stop = {StopReason::breakpoint, hit->number, {}};
        break;
      }
    }
    if (const auto changed = watch_step()) {
      stop = *changed;
      break;
    }
  }
  if (!next) {
    if (const auto failed = seek(clock().end())) return *failed;
  }
  return anywhere(from, stop);
}

Stop Debugger::Impl::go_back() {
  const std::vector<Clock::Line> lines = stopping_lines();
  for (std::optional<Moment> last = clock().previous(lines, timeline_->now()); last;
       last = clock().previous(lines, *last)) {
    if (interrupted()) return {StopReason::interrupted, 0, {}};
    timeline_->seek(*last);
    const Breakpoint* hit = hit_here();
    if (hit == nullptr) hit = hit_everywhere();
    if (hit != nullptr) return {StopReason::breakpoint, hit->number, {}};
    if (auto changed = watch_step()) {
      timeline_->seek(*last);
      return *changed;
    }
  }
  timeline_->seek(0);
  return {StopReason::begin, 0, {}};
}

Stop Debugger::Impl::go_to(Moment moment) {
  if (const auto failed = seek(moment)) return *failed;
  return {timeline_->now() == 0 ? StopReason::begin : StopReason::end, 0, {}};
}

std::uint64_t Debugger::Impl::executions(const std::vector<CodeLine>& code) const {
  return clock().executions(clock_lines(code), clock().end());
}

void Debugger::Impl::go_to_execution(const std::vector<CodeLine>& code, std::uint64_t count) {
  const std::vector<Clock::Line> lines = clock_lines(code);
  const std::uint64_t all = executions(code);
  if (count < 1 || count > all) throw Error(fmt::format("executed {} times, never {}", all, count));
  // Finds the last moment with fewer executions before it.
  Moment low = 0;
  Moment high = clock().end();
  while (low < high) {
    const Moment middle = low + (high - low + 1) / 2;
    if (clock().executions(lines, middle) < count) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  timeline_->seek(low);
}

std::optional<Stop> Debugger::Impl::seek(Moment moment) {
  try {
    timeline_->seek(moment);
  } catch (const emulator::Fault& fault) {
    return Stop{StopReason::fault, 0, fault.what()};
  }
  return std::nullopt;
}

std::vector<Clock::Line> Debugger::Impl::starts_of(StepUnit unit) const {
  const Section first =
      clock().lines_of(Section::loop_initialization) > 0 ? Section::loop_initialization : Section::loop_body;
  std::vector<Clock::Line> lines;
  for (const Section section :
       {Section::initialization, Section::loop_initialization, Section::loop_body, Section::loop_termination}) {
    const bool wanted = unit == StepUnit::iteration || unit == StepUnit::out ||
                        section == (unit == StepUnit::record ? Section::loop_body : first);
    if (wanted && clock().lines_of(section) > 0) lines.push_back({section, 0});
  }
  return lines;
}

bool Debugger::Impl::begins(StepUnit unit, Moment moment) const {
  const Position at = *clock().position(moment);
  if (unit == StepUnit::run) return at.iteration == 0;
  if (unit == StepUnit::record && j_count() > 0) return j_of(focus_, at.iteration) < j_count();
  return true;
}

const Debugger::Impl::Use* Debugger::Impl::innermost_use(const Position& here) const {
  const std::vector<Around> all = around(line_at(here).places.front());
  if (all.empty()) return nullptr;
  const auto found = std::ranges::find_if(
      uses_, [&](const Use& use) { return use.around == all.front() && use.section == here.section; });
  return found == uses_.end() ? nullptr : &*found;
}

Moment Debugger::Impl::next_of(StepUnit unit, Moment now) const {
  const std::optional<Position> here = clock().position(now);
  if (unit == StepUnit::over && here) {
    std::size_t last = here->line;
    for (const Use& use : uses_) {
      if (use.section == here->section && use.first == here->line) last = std::max(last, use.last);
    }
    return std::min(now + (last - here->line) + 1, clock().end());
  }
  if (unit == StepUnit::out && here) {
    if (const Use* use = innermost_use(*here)) return std::min(now + (use->last - here->line) + 1, clock().end());
  }
  const std::vector<Clock::Line> lines = starts_of(unit);
  std::optional<Moment> next = clock().next(lines, now + 1);
  while (next && !begins(unit, *next)) next = clock().next(lines, *next + 1);
  return next.value_or(clock().end());
}

Moment Debugger::Impl::previous_of(StepUnit unit, Moment now) const {
  if (unit == StepUnit::over && now > 0) {
    const Position before = *clock().position(now - 1);
    std::size_t first = before.line;
    for (const Use& use : uses_) {
      if (use.section == before.section && use.last == before.line) first = std::min(first, use.first);
    }
    return now - 1 - (before.line - first);
  }
  if (const std::optional<Position> here = clock().position(now); unit == StepUnit::out && here) {
    const Use* use = innermost_use(*here);
    if (use != nullptr && use->first < here->line) return now - (here->line - use->first);
  }
  const std::vector<Clock::Line> lines = starts_of(unit);
  std::optional<Moment> last = clock().previous(lines, now);
  while (last && !begins(unit, *last)) last = clock().previous(lines, *last);
  return last.value_or(0);
}

}  // namespace gdr::debugger
