#include "gdr/debugger/debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "debugger_impl.h"
#include "gdr/base/error.h"

namespace gdr::debugger {

using emulator::kParticlesPerRun;
using isa::Section;

void require(bool holds, std::string_view argument, std::uint64_t value, std::uint64_t most) {
  if (!holds) throw Error(fmt::format("{} = {} is refused: it must be 0 to {}", argument, value, most));
}

std::optional<unsigned> whole_number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string text_of(const Position& position) {
  std::string text = position.run == 0 ? std::string() : fmt::format("run {}, ", position.run);
  text += isa::name_of(position.section);
  if (position.section == Section::loop_body) text += fmt::format(", iteration {}", position.iteration);
  return text + fmt::format(", line {}", position.line);
}

std::string text_of(const Focus& focus) {
  return fmt::format("chip {}, block {}, PE {}, element {}", focus.chip, focus.block, focus.pe, focus.element);
}

std::span<const std::string_view> place_names() {
  static constexpr std::array<std::string_view, 9> kNames{"$peid",      "$bbid",   "$chip", "$element", "$run",
                                                          "$iteration", "$jvalid", "$i",    "$j"};
  return kNames;
}

bool is_place_name(std::string_view name) { return std::ranges::find(place_names(), name) != place_names().end(); }

std::optional<StepUnit> step_unit_named(std::string_view name) {
  if (name == "line") return StepUnit::line;
  if (name == "iteration") return StepUnit::iteration;
  if (name == "record") return StepUnit::record;
  if (name == "run") return StepUnit::run;
  if (name == "over") return StepUnit::over;
  if (name == "out") return StepUnit::out;
  return std::nullopt;
}

Debugger::Impl::Impl(Job job) : job_(std::move(job)), symbols_(job_.program), locals_(job_.program) {
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
  find_own_file();
  find_uses();
  timeline_ = std::make_unique<Timeline>(recording_, clocks_[0], 0, 0, kKeptPlaces);
}

/// No line stands in the source that a compiler wrote.
void Debugger::Impl::find_own_file() {
  for (const auto section : {Section::loop_body, Section::loop_initialization}) {
    const std::vector<CodeLine>& lines = code_[static_cast<std::size_t>(section)];
    const bool in_first =
        std::ranges::any_of(lines, [](const CodeLine& line) { return line.places.front().file == 0; });
    if (in_first) return;
    if (!lines.empty() && own_file_ == 0 && job_.program.uses_around(lines.front().places.front()).empty()) {
      own_file_ = job_.program.frames_of(lines.front().places.front()).back().position.file;
    }
  }
}

std::vector<Debugger::Impl::Around> Debugger::Impl::around(const isa::SourcePosition& place) const {
  const isa::Program& program = job_.program;
  std::vector<Around> found;
  for (std::uint32_t function = place.function; function != 0;) {
    const std::optional<isa::SourcePosition>& call = program.functions[function - 1].call;
    if (call) found.push_back({true, function - 1});
    function = call ? call->function : 0;
  }
  for (const isa::Origin* use : program.uses_around(place)) {
    found.push_back({false, static_cast<std::uint32_t>(use - program.origins.data())});
  }
  return found;
}

const isa::SourcePosition& Debugger::Impl::position_of(const Around& around) const {
  return around.is_call ? *job_.program.functions[around.index].call : job_.program.origins[around.index].position;
}

void Debugger::Impl::find_uses() {
  std::map<std::pair<Around, Section>, std::size_t> known;  // index into uses_
  for (const std::vector<CodeLine>& section : code_) {
    for (const CodeLine& line : section) {
      for (const isa::SourcePosition& place : line.places) {
        for (const Around& each : around(place)) {
          const auto [found, fresh] = known.try_emplace({each, line.section}, uses_.size());
          if (fresh) uses_.push_back({each, line.section, line.line, line.line});
          uses_[found->second].last = line.line;
        }
      }
    }
  }
}

std::uint64_t Debugger::Impl::i_count() const {
  const std::size_t fields = job_.program.record_fields(isa::Transfer::hlt);
  return fields == 0 ? 0 : job_.i_fields.size() / fields;
}

std::uint64_t Debugger::Impl::j_count() const {
  const std::size_t fields = job_.program.record_fields(isa::Transfer::elt);
  return fields == 0 ? 0 : job_.j_fields.size() / fields;
}

std::uint64_t Debugger::Impl::run_here() const {
  if (const std::optional<Position> here = position()) return here->run;
  return clock().segments().empty() ? 0 : clock().segments().back().run;
}

std::uint64_t Debugger::Impl::i_of(const Focus& focus, std::uint64_t run) const {
  const std::uint64_t place = focus.pe * isa::kVectorElements + focus.element;
  if (type2()) return (std::uint64_t{focus.chip} * isa::kBlocks + focus.block) * kParticlesPerRun + place;
  return (std::max<std::uint64_t>(run, 1) - 1) * kParticlesPerRun + place;
}

bool Debugger::Impl::at_work(const Focus& focus, std::uint64_t run) const {
  return i_count() == 0 || i_of(focus, run) < i_count();
}

std::optional<std::uint64_t> Debugger::Impl::i_particle(const Focus& focus) const {
  const std::uint64_t run = run_here();
  const std::uint64_t i = i_of(focus, run);
  return (run > 0 || type2()) && i < i_count() ? std::optional(i) : std::nullopt;
}

std::uint64_t Debugger::Impl::j_of(const Focus& focus, std::uint64_t iteration) const {
  return (iteration * isa::kBlocks + focus.block) * recording_.chips + focus.chip;
}

std::optional<std::uint64_t> Debugger::Impl::j_record() const {
  const std::optional<Position> here = position();
  if (!here || here->section != Section::loop_body) return std::nullopt;
  const std::uint64_t j = j_of(focus_, here->iteration);
  return j < j_count() ? std::optional(j) : std::nullopt;
}

void Debugger::Impl::set_focus(const Focus& focus) {
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

void Debugger::Impl::start(Device& device) const {
  device.load(job_.program);
  for (const auto& [name, value] : job_.parameters) device.set_parameter(name, value);
  device.write_j(0, job_.j_fields);
}

void Debugger::Impl::record() {
  DeviceOptions options = job_.device;
  options.timing = false;
  options.threads = 1;
  Device device(options, make_recorder(recording_));
  start(device);
  static_cast<void>(device.run(job_.i_fields, job_.records));
}

Moment Debugger::Impl::moment_on(unsigned chip) const {
  const std::optional<Position> here = position();
  return here ? clocks_[chip].moment(*here) : clocks_[chip].end();
}

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
  return impl_->add_breakpoint(place, BreakpointOptions{std::string(condition), everywhere, {}, {}});
}
unsigned Debugger::add_breakpoint(std::string_view place, const BreakpointOptions& options) {
  return impl_->add_breakpoint(place, options);
}
void Debugger::set_log(std::function<void(std::string_view text)> log) { impl_->log_ = std::move(log); }
std::vector<isa::SourcePosition> Debugger::places_in(std::string_view file) const { return impl_->places_in(file); }
void Debugger::set_word(const Reference& reference, const Value& value) { impl_->set_word(reference, value); }
const std::vector<CodeLine>& Debugger::code(isa::Section section) const { return impl_->code(section); }
unsigned Debugger::add_watch(std::string_view name, std::string_view condition) {
  return impl_->add_watch(name, condition);
}

void Debugger::renumber(unsigned number, unsigned wanted) { impl_->renumber(number, wanted); }
bool Debugger::remove(unsigned number) { return impl_->remove(number); }
std::vector<Breakpoint> Debugger::breakpoints() const { return impl_->breakpoints(); }
isa::LongWord Debugger::word(const WordPlace& place) const { return impl_->word(place); }
Value Debugger::evaluate(std::string_view expression) const { return impl_->evaluate(Expression(expression)); }
Reference Debugger::resolve(std::string_view name) const { return impl_->resolve(name); }

std::vector<Symbol> Debugger::locals() const { return impl_->locals(); }
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
