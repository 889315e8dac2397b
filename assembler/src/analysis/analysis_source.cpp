#include "analysis_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/counted.h"
#include "gdr/isa/effects.h"

namespace gdr::assembler {

using base::counted;

std::vector<std::string_view> trimmed_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string occupancy(const isa::Line& line) {
  const isa::Effects effects = isa::effects(line);
  std::string text = "....";
  if (effects.busy(isa::Unit::adder)) text[0] = effects.works(isa::Unit::adder) ? 'A' : 'a';
  if (effects.busy(isa::Unit::multiplier)) text[1] = 'M';
  if (effects.busy(isa::Unit::alu)) text[2] = 'I';
  if (effects.reads_bm()) text[3] = 'r';
  if (effects.writes_bm()) text[3] = 'w';
  return text;
}

SourceLines::SourceLines(const AnalysedSources& sources) {
  std::vector<std::vector<std::string_view>> texts;
  for (const SourceFile& file : sources.files) texts.push_back(trimmed_lines(file.text));
  const auto shown = [&](const isa::SourcePosition& at, const std::string& otherwise) {
    const bool known = at.file < texts.size() && at.line >= 1 && at.line - 1 < texts[at.file].size();
    const std::string_view file =
        at.file < sources.program.files.size() ? std::string_view(sources.program.files[at.file]) : "?";
    return fmt::format("{}:{}: {}", file, at.line, known ? texts[at.file][at.line - 1] : std::string_view(otherwise));
  };
  const isa::Program& program = sources.program;
  const auto add_calls = [&](const isa::SourcePosition& at, std::vector<std::string>& calls) {
    const std::vector<isa::SourceFrame> frames = program.frames_of(at);
    for (std::size_t n = 1; n < frames.size(); ++n) {
      std::string call = fmt::format("{}, called by {} at {}", frames[n - 1].function, frames[n].function,
                                     shown(frames[n].position, ""));
      if (std::ranges::find(calls, call) == calls.end()) calls.push_back(std::move(call));
    }
  };
  const auto in_full = [&](const isa::SourcePosition& at) {
    const std::string* expanded = program.expanded_text(at);
    return expanded == nullptr ? std::string() : *expanded;
  };
  std::size_t number = 0;
  for (const isa::ProgramLine& coded : program.lines(isa::Section::loop_body)) {
    const isa::Line decoded = isa::decoded(coded.word);
    Line line;
    line.printed = isa::print(decoded);
    line.text = shown(coded.position, line.printed);
    line.units = occupancy(decoded);
    line.expanded = in_full(coded.position);
    line.places = program.source_lines_of(isa::Section::loop_body, number);
    add_calls(coded.position, line.calls);
    for (const isa::MovedOperation& operation : program.moved_into(isa::Section::loop_body, number)) {
      line.moved.push_back(shown(operation.position, in_full(operation.position)));
      add_calls(operation.position, line.calls);
    }
    for (const isa::Origin* use : program.uses_around(coded.position))
      line.uses.push_back(shown(use->position, use->what));
    for (const isa::SourcePosition& place : program.positions_of(isa::Section::loop_body, number)) {
      for (const isa::Origin* use : program.uses_around(place)) line.places.push_back(use->position);
    }
    lines_.push_back(std::move(line));
    ++number;
  }
}

std::size_t SourceLines::moved_operations() const {
  std::size_t count = 0;
  for (const Line& line : lines_) count += line.moved.size();
  return count;
}

std::vector<const PortUse*> busiest_first(const Analysis& analysis, std::size_t most) {
  std::vector<const PortUse*> ports;
  for (const PortUse& port : analysis.ports) {
    if (port.busy > 0) ports.push_back(&port);
  }
  std::stable_sort(ports.begin(), ports.end(),
                   [](const PortUse* a, const PortUse* b) { return a->share() > b->share(); });
  if (ports.size() > most) ports.resize(most);
  return ports;
}

namespace {

std::string no_room_text(const NoRoomIn& none, const Analysis& analysis) {
  if (none.name.empty()) {
    return fmt::format("in {}, none is left for {} of line {} between what comes before it and what comes after it",
                       counted(none.lines, "line"), none.operation, none.line);
  }
  const auto port = std::ranges::find_if(analysis.ports, [&](const PortUse& known) { return known.name == none.name; });
  const unsigned lines = none.last - none.first + 1;
  const std::string place =
      lines == 1 ? fmt::format("line {}", none.first) : fmt::format("lines {} to {}", none.first, none.last);
  return fmt::format("in {}, the {} would be taken {} in {}, which {} room for {}", counted(none.lines, "line"),
                     none.name, counted(none.uses, "time"), place, lines == 1 ? "has" : "have", port->each * lines);
}

}  // namespace

std::string limit_text(const Analysis& analysis) {
  const unsigned least = analysis.least_lines();
  const auto port =
      std::max_element(analysis.ports.begin(), analysis.ports.end(),
                       [](const PortUse& a, const PortUse& b) { return a.least_lines() < b.least_lines(); });
  const SharedUse& shared = analysis.shared;
  const bool by_chain = analysis.chain_lines >= port->least_lines();
  const std::string reason =
      analysis.no_room.lines > 0 ? no_room_text(analysis.no_room, analysis)
      : shared.least_lines() > std::max(analysis.chain_lines, port->least_lines())
          ? fmt::format("the {} is taken {} from line {} on, and {} must follow", shared.name,
                        counted(shared.uses, "time"), shared.first, counted(shared.after, "line"))
      : by_chain
          ? fmt::format("a chain of {} takes {}", counted(analysis.chain.size(), "operation"),
                        counted(analysis.chain_lines, "line"))
          : fmt::format("the {} is taken {}", port->name, port->needed == 1 ? "once" : counted(port->needed, "time"));
  if (least >= analysis.lines) {
    return analysis.lines == 1 ? "the line cannot go: " + reason
                               : fmt::format("none of the {} lines can go: {}", analysis.lines, reason);
  }
  return fmt::format("at least {} with these registers and operations ({}); the kernel has {} more",
                     counted(least, "line"), reason, analysis.lines - least);
}

}  // namespace gdr::assembler
