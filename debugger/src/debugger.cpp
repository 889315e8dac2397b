#include "gdr/debugger/debugger.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <set>

#include "expression.h"
#include "gdr/base/error.h"
#include "origin.h"
#include "timeline.h"

namespace gdr::debugger {
namespace {

using emulator::kParticlesPerRun;
using isa::Section;
using isa::Storage;

constexpr std::size_t kKeptPlaces = 48;

void require(bool holds, std::string_view argument, std::uint64_t value, std::uint64_t most) {
  if (!holds) throw Error(fmt::format("{} = {} is refused: it must be 0 to {}", argument, value, most));
}

std::optional<unsigned> whole_number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

struct Watched {
  Reference reference;
  unsigned element = 0;
};

}  // namespace

std::string text_of(const Position& position) {
  std::string text = position.run == 0 ? std::string() : fmt::format("run {}, ", position.run);
  text += isa::name_of(position.section);
  if (position.section == Section::loop_body) text += fmt::format(", iteration {}", position.iteration);
  return text + fmt::format(", line {}", position.line);
}

std::string text_of(const Focus& focus) {
  return fmt::format("chip {}, block {}, PE {}, element {}", focus.chip, focus.block, focus.pe, focus.element);
}

bool is_place_name(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames{"$peid",      "$bbid",   "$chip", "$element", "$run",
                                                   "$iteration", "$jvalid", "$i",    "$j"};
  return std::ranges::find(kNames, name) != kNames.end();
}

std::optional<StepUnit> step_unit_named(std::string_view name) {
  if (name == "line") return StepUnit::line;
  if (name == "iteration") return StepUnit::iteration;
  if (name == "record") return StepUnit::record;
  if (name == "run") return StepUnit::run;
  return std::nullopt;
}

class Debugger::Impl {
 public:
  explicit Impl(Job job) : job_(std::move(job)), symbols_(job_.program) {
    record();
    for (unsigned chip = 0; chip < recording_.chips; ++chip) clocks_.emplace_back(recording_, chip);
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      std::size_t number = 0;
      for (const isa::ProgramLine& coded : job_.program.lines(static_cast<Section>(section))) {
        CodeLine line{static_cast<Section>(section), number, {coded.position}, isa::print(isa::decoded(coded.word))};
        for (const auto& moved : job_.program.moved_into(line.section, number)) line.places.push_back(moved.position);
        code_[section].push_back(std::move(line));
        ++number;
      }
    }
    timeline_ = std::make_unique<Timeline>(recording_, clocks_[0], 0, 0, kKeptPlaces);
  }

  // ---- where
  // ---------------------------------------------------------------------------------------------------------

  [[nodiscard]] const Clock& clock() const { return clocks_[focus_.chip]; }
  [[nodiscard]] std::optional<Position> position() const { return clock().position(timeline_->now()); }

  [[nodiscard]] bool jvalid() const { return timeline_->block().done() || timeline_->block().next().jvalid; }

  [[nodiscard]] std::uint64_t i_count() const {
    const std::size_t fields = job_.program.record_fields(isa::Transfer::hlt);
    return fields == 0 ? 0 : job_.i_fields.size() / fields;
  }
  [[nodiscard]] std::uint64_t j_count() const {
    const std::size_t fields = job_.program.record_fields(isa::Transfer::elt);
    return fields == 0 ? 0 : job_.j_fields.size() / fields;
  }

  /// The run that it stands in; at the end the last one, before the first 0.
  [[nodiscard]] std::uint64_t run_here() const {
    if (const std::optional<Position> here = position()) return here->run;
    return clock().segments().empty() ? 0 : clock().segments().back().run;
  }

  /// The i-particle of an element in a run, whether there is such a one or not.
  [[nodiscard]] std::uint64_t i_of(const Focus& focus, std::uint64_t run) const {
    const std::uint64_t place = focus.pe * isa::kVectorElements + focus.element;
    if (type2()) return (std::uint64_t{focus.chip} * isa::kBlocks + focus.block) * kParticlesPerRun + place;
    return (std::max<std::uint64_t>(run, 1) - 1) * kParticlesPerRun + place;
  }
  [[nodiscard]] bool at_work(const Focus& focus, std::uint64_t run) const {
    return i_count() == 0 || i_of(focus, run) < i_count();
  }
  [[nodiscard]] std::optional<std::uint64_t> i_particle(const Focus& focus) const {
    const std::uint64_t run = run_here();
    const std::uint64_t i = i_of(focus, run);
    return (run > 0 || type2()) && i < i_count() ? std::optional(i) : std::nullopt;
  }

  [[nodiscard]] std::uint64_t j_of(const Focus& focus, std::uint64_t iteration) const {
    return (iteration * isa::kBlocks + focus.block) * recording_.chips + focus.chip;
  }
  [[nodiscard]] std::optional<std::uint64_t> j_record() const {
    const std::optional<Position> here = position();
    if (!here || here->section != Section::loop_body) return std::nullopt;
    const std::uint64_t j = j_of(focus_, here->iteration);
    return j < j_count() ? std::optional(j) : std::nullopt;
  }

  void set_focus(const Focus& focus) {
    require(focus.chip < recording_.chips, "chip", focus.chip, recording_.chips - 1);
    require(focus.block < isa::kBlocks, "block", focus.block, isa::kBlocks - 1);
    require(focus.pe < isa::kPesPerBlock, "pe", focus.pe, isa::kPesPerBlock - 1);
    require(focus.element < isa::kVectorElements, "element", focus.element, isa::kVectorElements - 1);
    if (focus.chip != focus_.chip || focus.block != focus_.block) {
      auto other = std::make_unique<Timeline>(recording_, clocks_[focus.chip], focus.chip, focus.block, kKeptPlaces);
      other->seek(moment_on(focus.chip));
      timeline_ = std::move(other);
    }
    focus_ = focus;
  }

  void go_to_pair(std::optional<std::uint64_t> i, std::optional<std::uint64_t> j) {
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
    if (clocks_[focus.chip].position(moment) != there) throw Error("the two never meet: the loop does not run so far");
    timeline_ = std::make_unique<Timeline>(recording_, clocks_[focus.chip], focus.chip, focus.block, kKeptPlaces);
    focus_ = focus;
    timeline_->seek(moment);
  }

  // ---- moving
  // --------------------------------------------------------------------------------------------------------

  Stop step(StepUnit unit, std::uint64_t count) {
    Moment there = timeline_->now();
    if (unit == StepUnit::line) {
      there += std::min(count, clock().end() - there);
    } else {
      for (std::uint64_t n = 0; n < count && there < clock().end(); ++n) there = next_of(unit, there);
    }
    if (const auto failed = seek(there)) return *failed;
    return there >= clock().end() ? Stop{StopReason::end, 0, {}} : Stop{};
  }

  Stop back(StepUnit unit, std::uint64_t count) {
    Moment there = timeline_->now();
    if (unit == StepUnit::line) {
      there -= std::min(there, count);
    } else {
      for (std::uint64_t n = 0; n < count && there > 0; ++n) there = previous_of(unit, there);
    }
    timeline_->seek(there);
    return there == 0 ? Stop{StopReason::begin, 0, {}} : Stop{};
  }

  Stop go_on() {
    const Position from = position().value_or(Position{});
    if (timeline_->now() >= clock().end()) return {StopReason::end, 0, {}};
    const std::vector<Clock::Line> lines = stopping_lines();
    Stop stop{StopReason::end, 0, {}};
    std::optional<Moment> next = clock().next(lines, timeline_->now());
    Moment first = timeline_->now();  // a breakpoint where it stands does not hold it up
    for (; next; next = clock().next(lines, *next + 1)) {
      if (interrupted()) return {StopReason::interrupted, 0, {}};
      if (const auto failed = seek(*next)) return *failed;
      if (*next != first) {
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

  Stop go_back() {
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

  Stop go_to(Moment moment) {
    if (const auto failed = seek(moment)) return *failed;
    return {timeline_->now() == 0 ? StopReason::begin : StopReason::end, 0, {}};
  }

  [[nodiscard]] std::uint64_t executions(const std::vector<CodeLine>& code) const {
    return clock().executions(clock_lines(code), clock().end());
  }

  void go_to_execution(const std::vector<CodeLine>& code, std::uint64_t count) {
    const std::vector<Clock::Line> lines = clock_lines(code);
    const std::uint64_t all = executions(code);
    if (count < 1 || count > all) throw Error(fmt::format("executed {} times, never {}", all, count));
    // The last moment with fewer executions before it.
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

  // ---- stops
  // ---------------------------------------------------------------------------------------------------------

  [[nodiscard]] std::vector<CodeLine> lines_at(std::string_view place) const {
    const std::size_t colon = place.rfind(':');
    const bool with_file = colon != std::string_view::npos;
    const auto number = whole_number(with_file ? place.substr(colon + 1) : place);
    if (!number) throw Error(fmt::format("'{}' is refused: it must be LINE or FILE:LINE", place));
    const std::filesystem::path file = with_file ? place.substr(0, colon) : std::string_view();
    std::vector<CodeLine> found;
    std::set<unsigned> with_code;
    for (const std::vector<CodeLine>& section : code_) {
      for (const CodeLine& line : section) {
        const bool here = std::ranges::any_of(line.places, [&](const isa::SourcePosition& position) {
          if (!is_file(position.file, file, with_file)) return false;
          with_code.insert(position.line);
          return position.line == *number;
        });
        if (here) found.push_back(line);
      }
    }
    // The scheduler leaves the place of another line to lines that do nothing.
    if (!std::ranges::all_of(found, [&](const CodeLine& line) { return is_idle(line); })) {
      std::erase_if(found, [&](const CodeLine& line) { return is_idle(line); });
    }
    if (found.empty()) {
      std::vector<unsigned> near;
      const auto after = with_code.upper_bound(*number);
      if (after != with_code.begin()) near.push_back(*std::prev(after));
      if (after != with_code.end()) near.push_back(*after);
      throw Error(
          fmt::format("no code stands at {}{}", place,
                      near.empty() ? "" : fmt::format("; the next lines with code: {}", fmt::join(near, ", "))));
    }
    return found;
  }

  unsigned add_breakpoint(std::string_view place, std::string_view condition, bool everywhere) {
    Stopping stopping;
    for (const CodeLine& line : lines_at(place)) stopping.lines.push_back({line.section, line.line});
    if (!condition.empty()) set_condition(stopping, condition);
    stopping.shown.place = std::string(place);
    stopping.shown.everywhere = everywhere && !condition.empty();
    return add(std::move(stopping));
  }

  unsigned add_watch(std::string_view name, std::string_view condition) {
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

  bool remove(unsigned number) {
    return std::erase_if(stops_, [&](const Stopping& stopping) { return stopping.shown.number == number; }) > 0;
  }

  [[nodiscard]] std::vector<Breakpoint> breakpoints() const {
    std::vector<Breakpoint> shown;
    for (const Stopping& stopping : stops_) shown.push_back(stopping.shown);
    return shown;
  }

  // ---- looking
  // -------------------------------------------------------------------------------------------------------

  [[nodiscard]] isa::LongWord word(const WordPlace& place) const {
    return word_in(timeline_->block(), place, focus_.pe);
  }

  [[nodiscard]] Value evaluate(const Expression& expression, const emulator::BlockStepper& block, const Focus& focus,
                               std::uint64_t run) const {
    return expression.evaluate([&](std::string_view name, const std::vector<std::uint64_t>& subscripts) {
      if (is_place_name(name)) return place_value(name, block, focus, run);
      const Reference reference = symbols_.find(name, subscripts);
      require_single(reference);
      const WordPlace place = reference.symbol.word(reference.first, reference.element.value_or(focus.element));
      return value_of(word_in(block, place, focus.pe), place.width, reference.symbol.floating);
    });
  }
  [[nodiscard]] Value evaluate(const Expression& expression) const {
    return evaluate(expression, timeline_->block(), focus_, run_here());
  }

  [[nodiscard]] Reference resolve(std::string_view name) const {
    std::size_t end = 0;
    while (end < name.size() && name[end] != '[') ++end;
    const std::string_view plain = name.substr(0, end);
    std::vector<std::uint64_t> subscripts;
    while (end < name.size()) {
      const std::size_t close = name.find(']', end);
      const auto subscript =
          close == std::string_view::npos ? std::nullopt : whole_number(name.substr(end + 1, close - end - 1));
      if (name[end] != '[' || !subscript)
        throw Error(fmt::format("'{}' is refused: it must be a name such as x, x[1] or x[1][3]", name));
      subscripts.push_back(*subscript);
      end = close + 1;
    }
    return symbols_.find(plain, subscripts);
  }

  [[nodiscard]] std::vector<PlacedWord> everywhere(const Reference& reference, unsigned entry, bool all_blocks) const {
    std::vector<PlacedWord> words;
    for (unsigned chip = 0; chip < recording_.chips; ++chip) {
      for (unsigned block = 0; block < isa::kBlocks; ++block) {
        const bool own = chip == focus_.chip && block == focus_.block;
        if (!own && !all_blocks) continue;
        std::optional<Timeline> other;
        if (!own) {
          other.emplace(recording_, clocks_[chip], chip, block, 0);
          other->seek(moment_on(chip));
        }
        const emulator::BlockStepper& at = own ? timeline_->block() : other->block();
        for_each_element(chip, block, run_here(), [&](const Focus& focus) {
          const bool chosen = !reference.element || *reference.element == focus.element;
          const bool scalar = !reference.symbol.vector && reference.symbol.storage != Storage::t;
          if (!chosen || (scalar && focus.element != 0)) return;
          words.push_back({focus, word_in(at, reference.symbol.word(entry, focus.element), focus.pe)});
        });
      }
    }
    return words;
  }

  [[nodiscard]] Origin why(const Reference& reference, unsigned depth) const {
    if (!reference.single())
      throw Error(fmt::format("why: {} has {} entries: choose one of them", reference.symbol.name, reference.entries));
    const unsigned element = reference.element.value_or(focus_.element);
    const Moment now = timeline_->now();
    OriginSearch search{recording_, clock(), symbols_, *timeline_, focus_.pe, element, host_writer()};
    Origin origin = search.find(reference.symbol.word(reference.first, element), reference.symbol.floating, now, depth);
    timeline_->seek(now);
    return origin;
  }

  [[nodiscard]] const CodeLine& line_at(const Position& position) const {
    return code_.at(static_cast<std::size_t>(position.section)).at(position.line);
  }

  [[nodiscard]] std::optional<std::string> source_line(const isa::SourcePosition& place) const {
    if (place.file >= job_.sources.size() || place.line == 0) return std::nullopt;
    const std::string& text = job_.sources[place.file];
    std::size_t begin = 0;
    for (std::uint32_t line = 1; line < place.line; ++line) {
      begin = text.find('\n', begin);
      if (begin == std::string::npos) return std::nullopt;
      ++begin;
    }
    if (begin >= text.size()) return std::nullopt;
    std::string line = text.substr(begin, text.find('\n', begin) - begin);
    if (line.ends_with('\r')) line.pop_back();
    return line;
  }

  [[nodiscard]] const Events& events() const {
    if (!events_) {
      events_.emplace();
      DeviceOptions options = job_.device;
      options.engine = emulator::Engine::simd;
      Device device(options);
      start(device);
      try {
        static_cast<void>(device.run(job_.i_fields, job_.records));
      } catch (const emulator::Fault& fault) {
        events_->fault = fault.what();
      }
      events_->counts = device.counters().fp;
      events_->first = device.first_events();
    }
    return *events_;
  }

  std::function<bool()> interrupted_;
  Job job_;
  Symbols symbols_;
  Recording recording_;
  Focus focus_;
  std::unique_ptr<Timeline> timeline_;

 private:
  struct Stopping {
    Breakpoint shown;
    std::vector<Clock::Line> lines;
    std::optional<Expression> condition;
    std::optional<Reference> watched;
  };

  [[nodiscard]] bool is_idle(const CodeLine& line) const {
    const isa::Effects effects = isa::effects(isa::decoded(job_.program.lines(line.section)[line.line].word));
    return effects.reads().empty() && effects.writes().empty();
  }
  [[nodiscard]] static std::vector<Clock::Line> clock_lines(const std::vector<CodeLine>& code) {
    std::vector<Clock::Line> lines;
    for (const CodeLine& line : code) lines.push_back({line.section, line.line});
    return lines;
  }
  [[nodiscard]] bool type2() const { return job_.program.is_type2(); }
  [[nodiscard]] bool interrupted() const { return interrupted_ && interrupted_(); }

  void start(Device& device) const {
    device.load(job_.program);
    for (const auto& [name, value] : job_.parameters) device.set_parameter(name, value);
    device.write_j(0, job_.j_fields);
  }

  void record() {
    DeviceOptions options = job_.device;
    options.timing = false;
    options.threads = 1;
    Device device(options, make_recorder(recording_));
    start(device);
    static_cast<void>(device.run(job_.i_fields, job_.records));
  }

  /// The moment of another chip at which it stands where the focus does.
  [[nodiscard]] Moment moment_on(unsigned chip) const {
    const std::optional<Position> here = position();
    return here ? clocks_[chip].moment(*here) : clocks_[chip].end();
  }

  /// Nothing if it got there.
  std::optional<Stop> seek(Moment moment) {
    try {
      timeline_->seek(moment);
    } catch (const emulator::Fault& fault) {
      return Stop{StopReason::fault, 0, fault.what()};
    }
    return std::nullopt;
  }

  /// Lines that steps of this unit may lead to.
  [[nodiscard]] std::vector<Clock::Line> starts_of(StepUnit unit) const {
    const Section first =
        clock().lines_of(Section::loop_initialization) > 0 ? Section::loop_initialization : Section::loop_body;
    std::vector<Clock::Line> lines;
    for (const Section section :
         {Section::initialization, Section::loop_initialization, Section::loop_body, Section::loop_termination}) {
      const bool wanted =
          unit == StepUnit::iteration || section == (unit == StepUnit::record ? Section::loop_body : first);
      if (wanted && clock().lines_of(section) > 0) lines.push_back({section, 0});
    }
    return lines;
  }
  /// True if a step of this unit leads to one of them.
  [[nodiscard]] bool begins(StepUnit unit, Moment moment) const {
    const Position at = *clock().position(moment);
    if (unit == StepUnit::run) return at.iteration == 0;
    if (unit == StepUnit::record && j_count() > 0) return j_of(focus_, at.iteration) < j_count();
    return true;
  }
  [[nodiscard]] Moment next_of(StepUnit unit, Moment now) const {
    const std::vector<Clock::Line> lines = starts_of(unit);
    std::optional<Moment> next = clock().next(lines, now + 1);
    while (next && !begins(unit, *next)) next = clock().next(lines, *next + 1);
    return next.value_or(clock().end());
  }
  [[nodiscard]] Moment previous_of(StepUnit unit, Moment now) const {
    const std::vector<Clock::Line> lines = starts_of(unit);
    std::optional<Moment> last = clock().previous(lines, now);
    while (last && !begins(unit, *last)) last = clock().previous(lines, *last);
    return last.value_or(0);
  }

  [[nodiscard]] bool is_file(std::uint32_t number, const std::filesystem::path& file, bool with_file) const {
    if (!with_file) return number == 0;
    const std::filesystem::path source = job_.program.files[number];
    return source == file || (!file.has_parent_path() && source.filename() == file) ||
           source.lexically_normal() == file.lexically_normal() ||
           std::filesystem::absolute(source).lexically_normal() == file.lexically_normal();
  }

  void set_condition(Stopping& stopping, std::string_view condition) {
    stopping.condition.emplace(condition);
    stopping.condition->for_each_name([&](std::string_view name, const std::vector<std::uint64_t>& subscripts) {
      if (!is_place_name(name)) require_single(symbols_.find(name, subscripts));
    });
    stopping.shown.condition = std::string(condition);
  }

  static void require_single(const Reference& reference) {
    if (reference.single()) return;
    throw Error(fmt::format("{} has {} entries: choose one of them", reference.symbol.name, reference.entries));
  }

  /// The record window is the iteration's only while it lasts.
  [[nodiscard]] isa::LongWord word_in(const emulator::BlockStepper& block, const WordPlace& place, unsigned pe) const {
    if (place.storage == Storage::record && (block.done() || block.next().section != Section::loop_body)) {
      throw Error(fmt::format("{}: there is no j-record outside the loop body", symbols_.name_of(place)));
    }
    return read_word(block, place, pe);
  }

  unsigned add(Stopping stopping) {
    stopping.shown.number = ++numbers_;
    stops_.push_back(std::move(stopping));
    return numbers_;
  }

  /// Lines at which the focus may have to stop.
  [[nodiscard]] std::vector<Clock::Line> stopping_lines() const {
    std::vector<Clock::Line> lines;
    for (const Stopping& stopping : stops_) lines.insert(lines.end(), stopping.lines.begin(), stopping.lines.end());
    return lines;
  }

  [[nodiscard]] static bool stands_at(const Stopping& stopping, const Position& here) {
    return std::ranges::any_of(stopping.lines, [&](const Clock::Line& line) {
      return line.section == here.section && line.line == here.line;
    });
  }

  /// The breakpoint that holds for the focus here.
  [[nodiscard]] const Breakpoint* hit_here() const {
    const std::optional<Position> here = position();
    for (const Stopping& stopping : stops_) {
      if (!here || stopping.watched || stopping.shown.everywhere || !stands_at(stopping, *here)) continue;
      if (!stopping.condition || evaluate(*stopping.condition).truth()) return &stopping.shown;
    }
    return nullptr;
  }

  [[nodiscard]] WordPlace watched_place(const Reference& reference) const {
    return reference.symbol.word(reference.first, reference.element.value_or(focus_.element));
  }

  /// Executes the next line if it may change a watched word; what changed, if anything did.
  std::optional<Stop> watch_step() {
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
      const bool floating = stopping->watched->symbol.floating;
      return Stop{StopReason::watch, stopping->shown.number,
                  fmt::format("{}: {} -> {}", stopping->shown.place,
                              debugger::text_of(before, place.width, floating, Format::natural),
                              debugger::text_of(after, place.width, floating, Format::natural))};
    }
    return std::nullopt;
  }

  /// Calls `visit` for every element that works on data.
  template <class Visit>
  void for_each_element(unsigned chip, unsigned block, std::uint64_t run, Visit visit) const {
    for (unsigned pe = 0; pe < isa::kPesPerBlock; ++pe) {
      for (unsigned element = 0; element < isa::kVectorElements; ++element) {
        const Focus focus{chip, block, pe, element};
        if (!at_work(focus, run)) continue;
        visit(focus);
      }
    }
  }

  /// The first element of a block for which a condition of `everywhere` holds at this line.
  [[nodiscard]] std::optional<std::pair<const Stopping*, Focus>> hit_in(const Timeline& timeline,
                                                                        const Position& here) const {
    for (const Stopping& stopping : stops_) {
      if (!stopping.shown.everywhere || !stands_at(stopping, here)) continue;
      std::optional<Focus> first;
      for_each_element(timeline.chip(), timeline.block_number(), here.run, [&](const Focus& focus) {
        if (!first && evaluate(*stopping.condition, timeline.block(), focus, here.run).truth()) first = focus;
      });
      if (first) return std::pair(&stopping, *first);
    }
    return std::nullopt;
  }

  /// If a condition of `everywhere` holds somewhere between `from` and where the focus has come, goes there.
  Stop anywhere(const Position& from, Stop stop) {
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

  /// Backwards only the block of the focus is asked.
  [[nodiscard]] const Breakpoint* hit_everywhere() {
    const std::optional<Position> here = position();
    if (!here) return nullptr;
    const auto hit = hit_in(*timeline_, *here);
    if (!hit) return nullptr;
    focus_ = hit->second;
    return &hit->first->shown;
  }

  [[nodiscard]] Value place_value(std::string_view name, const emulator::BlockStepper& block, const Focus& focus,
                                  std::uint64_t run) const {
    const auto whole = [](std::uint64_t value) { return Value{true, 0, static_cast<isa::int128>(value)}; };
    const Value none{true, 0, -1};
    if (name == "$peid") return whole(focus.pe);
    if (name == "$bbid") return whole(focus.block);
    if (name == "$chip") return whole(focus.chip);
    if (name == "$element") return whole(focus.element);
    if (name == "$run") return whole(run);
    if (name == "$i")
      return at_work(focus, run) && i_count() > 0 && (run > 0 || type2()) ? whole(i_of(focus, run)) : none;
    if (block.done()) throw Error(fmt::format("{}: the run is over", name));
    const emulator::NextLine next = block.next();
    if (name == "$iteration") return whole(next.iteration);
    if (name == "$jvalid") return whole(next.jvalid ? 1 : 0);
    const std::uint64_t j = j_of(focus, next.iteration);  // $j
    return next.section == Section::loop_body && j < j_count() ? whole(j) : none;
  }

  /// What the host wrote to a word before a moment: since which moment, and what it is.
  [[nodiscard]] HostWriter host_writer() const {
    return [this](const WordPlace& place, Moment before) -> std::optional<HostWrite> {
      const auto inside = [&](const Symbol& symbol) {
        return symbol.storage == place.storage && place.address >= symbol.address &&
               place.address < symbol.address + symbol.entries * std::max(symbol.stride, 1u);
      };
      for (const Symbol& symbol : symbols_.all()) {
        if (symbol.kind == SymbolKind::parameter && inside(symbol)) {
          return HostWrite{0, fmt::format("parameter {}, set by the host", symbol.name)};
        }
        if (symbol.kind != SymbolKind::input || !inside(symbol)) continue;
        Moment since = 0;
        std::uint64_t run = 0;
        for (const Segment& segment : clock().segments()) {
          if (segment.piece == nullptr || segment.first > before) continue;
          if (segment.piece->begins) since = segment.first;
          run = segment.run;
        }
        if (run == 0) return std::nullopt;
        Focus of_word = focus_;
        of_word.element = (place.address - symbol.address) % symbol.stride / isa::short_words(symbol.width);
        const std::uint64_t i = i_of(of_word, run);
        const std::string entry = symbol.entry_name((place.address - symbol.address) / symbol.stride);
        return HostWrite{since, i < i_count() ? fmt::format("i-data: {} of i-particle {}", entry, i)
                                              : fmt::format("i-data: {} of i-particle {}, repeated to fill the PE",
                                                            entry, i_count() - 1)};
      }
      if (place.storage == Storage::record) {
        const std::optional<Position> here = clock().position(before);
        if (!here) return std::nullopt;
        const std::uint64_t j = j_of(focus_, here->iteration);
        return HostWrite{before, j < j_count() ? fmt::format("j-data: {} of j-record {}", symbols_.name_of(place), j)
                                               : std::string("no j-record: zeros, $jvalid is false")};
      }
      return std::nullopt;
    };
  }

  std::vector<Clock> clocks_;
  std::array<std::vector<CodeLine>, isa::kSections> code_;
  std::vector<Stopping> stops_;
  unsigned numbers_ = 0;
  mutable std::optional<Events> events_;
};

Debugger::Debugger(Job job) : impl_(std::make_unique<Impl>(std::move(job))) {}
Debugger::~Debugger() = default;
Debugger::Debugger(Debugger&&) noexcept = default;
Debugger& Debugger::operator=(Debugger&&) noexcept = default;

const isa::Program& Debugger::program() const { return impl_->job_.program; }
const Symbols& Debugger::symbols() const { return impl_->symbols_; }
unsigned Debugger::chips() const { return impl_->recording_.chips; }
const Focus& Debugger::focus() const { return impl_->focus_; }
std::optional<Position> Debugger::position() const { return impl_->position(); }
bool Debugger::jvalid() const { return impl_->jvalid(); }
std::optional<std::uint64_t> Debugger::i_particle() const { return impl_->i_particle(impl_->focus_); }
std::optional<std::uint64_t> Debugger::j_record() const { return impl_->j_record(); }
void Debugger::set_focus(const Focus& focus) { impl_->set_focus(focus); }
void Debugger::go_to_pair(std::optional<std::uint64_t> i, std::optional<std::uint64_t> j) { impl_->go_to_pair(i, j); }
Stop Debugger::step(StepUnit unit, std::uint64_t count) { return impl_->step(unit, count); }
Stop Debugger::back(StepUnit unit, std::uint64_t count) { return impl_->back(unit, count); }
Stop Debugger::go_on() { return impl_->go_on(); }
Stop Debugger::go_back() { return impl_->go_back(); }
Stop Debugger::go_to_begin() { return impl_->go_to(0); }
Stop Debugger::go_to_end() { return impl_->go_to(impl_->clock().end()); }
void Debugger::go_to_execution(const std::vector<CodeLine>& lines, std::uint64_t count) {
  impl_->go_to_execution(lines, count);
}
std::uint64_t Debugger::executions(const std::vector<CodeLine>& lines) const { return impl_->executions(lines); }
void Debugger::set_interrupt(std::function<bool()> interrupted) { impl_->interrupted_ = std::move(interrupted); }
std::vector<CodeLine> Debugger::lines_at(std::string_view place) const { return impl_->lines_at(place); }
unsigned Debugger::add_breakpoint(std::string_view place, std::string_view condition, bool everywhere) {
  return impl_->add_breakpoint(place, condition, everywhere);
}
unsigned Debugger::add_watch(std::string_view name, std::string_view condition) {
  return impl_->add_watch(name, condition);
}
bool Debugger::remove(unsigned number) { return impl_->remove(number); }
std::vector<Breakpoint> Debugger::breakpoints() const { return impl_->breakpoints(); }
isa::LongWord Debugger::word(const WordPlace& place) const { return impl_->word(place); }
Value Debugger::evaluate(std::string_view expression) const { return impl_->evaluate(Expression(expression)); }
Reference Debugger::resolve(std::string_view name) const { return impl_->resolve(name); }
std::vector<PlacedWord> Debugger::everywhere(const Reference& reference, unsigned entry, bool all_blocks) const {
  return impl_->everywhere(reference, entry, all_blocks);
}
Origin Debugger::why(const Reference& reference, unsigned depth) const { return impl_->why(reference, depth); }
std::optional<CodeLine> Debugger::line() const {
  const std::optional<Position> here = impl_->position();
  return here ? std::optional(impl_->line_at(*here)) : std::nullopt;
}
CodeLine Debugger::line_at(const Position& position) const { return impl_->line_at(position); }
std::optional<std::string> Debugger::source_line(const isa::SourcePosition& place) const {
  return impl_->source_line(place);
}
const std::vector<std::string>& Debugger::sources() const { return impl_->job_.sources; }
const Debugger::Events& Debugger::events() const { return impl_->events(); }

}  // namespace gdr::debugger
