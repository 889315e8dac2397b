// Names of sections, and queries about a program's lines and variables.
#include "gdr/isa/program.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gdr::isa {
namespace {

struct SectionNames {
  std::string_view name;
  std::string_view key;
};
constexpr std::array<SectionNames, kSections> kSectionNames{{{"initialization", "initialization"},
                                                             {"loop initialization", "loop_initialization"},
                                                             {"loop body", "loop_body"},
                                                             {"loop termination", "loop_termination"}}};

}  // namespace

std::string_view name_of(Section section) { return kSectionNames[static_cast<std::size_t>(section)].name; }

const SourcePosition& position_of(const Step& step) {
  return std::visit([](const auto& kind) -> const SourcePosition& { return kind.position; }, step);
}

std::string_view key_of(Section section) { return kSectionNames[static_cast<std::size_t>(section)].key; }

std::vector<ProgramLine> Program::lines(Section section) const {
  std::vector<ProgramLine> lines;
  lines.reserve(steps(section).size());
  for (const Step& step : steps(section)) {
    if (const auto* line = std::get_if<ProgramLine>(&step)) lines.push_back(*line);
  }
  return lines;
}

std::span<const MovedOperation> Program::moved_into(Section section, std::size_t line) const {
  const auto place = [](const MovedOperation& operation) {
    return std::pair<Section, std::size_t>(operation.section, operation.line);
  };
  const auto found = std::ranges::equal_range(moved, std::pair(section, line), {}, place);
  return std::span(moved).subspan(static_cast<std::size_t>(found.begin() - moved.begin()),
                                  static_cast<std::size_t>(found.end() - found.begin()));
}

std::vector<SourcePosition> Program::positions_of(Section section, std::size_t line) const {
  std::vector<SourcePosition> positions;
  std::size_t number = 0;
  for (const Step& step : steps(section)) {
    const auto* coded = std::get_if<ProgramLine>(&step);
    if (coded != nullptr && number++ == line) positions.push_back(coded->position);
  }
  for (const MovedOperation& operation : moved_into(section, line)) positions.push_back(operation.position);
  return positions;
}

SourcePosition Program::position_of(Section section, std::size_t line, Unit unit) const {
  const std::span<const MovedOperation> moved_here = moved_into(section, line);
  const auto found = std::ranges::find_if(
      moved_here, [&](const MovedOperation& operation) { return (operation.units & bit_of(unit)) != 0; });
  return found != moved_here.end() ? found->position : positions_of(section, line).front();
}

std::vector<SourceFrame> Program::frames_of(const SourcePosition& position) const {
  std::vector<SourceFrame> frames;
  for (std::optional<SourcePosition> at = position; at;) {
    const SourceFunction* function = at->function == 0 ? nullptr : &functions[at->function - 1];
    frames.push_back({function == nullptr ? std::string_view() : function->name, *at});
    at = function == nullptr ? std::nullopt : function->call;
  }
  return frames;
}

std::vector<SourcePosition> Program::source_lines_of(Section section, std::size_t line) const {
  std::vector<SourcePosition> lines;
  const auto add = [&](const SourcePosition& position) {
    const bool known = std::ranges::any_of(
        lines, [&](const SourcePosition& other) { return other.file == position.file && other.line == position.line; });
    if (!known) lines.push_back(position);
  };
  const std::vector<SourcePosition> positions = positions_of(section, line);
  for (const SourcePosition& position : positions) add(position);
  for (const SourcePosition& position : positions) {
    for (const SourceFrame& frame : frames_of(position)) add(frame.position);
  }
  return lines;
}

std::vector<const Origin*> Program::uses_around(const SourcePosition& position) const {
  std::vector<const Origin*> uses;
  for (std::uint32_t at = position.origin; at != 0; at = origins[at - 1].position.origin) {
    if (!origins[at - 1].macro.empty()) uses.push_back(&origins[at - 1]);
  }
  return uses;
}

const std::string* Program::expanded_text(const SourcePosition& position) const {
  const auto place = [](const SourcePosition& at) { return std::tuple(at.origin, at.file, at.line, at.column); };
  const auto found = std::ranges::lower_bound(expanded, place(position), {},
                                              [&](const ExpandedText& text) { return place(text.position); });
  return found != expanded.end() && place(found->position) == place(position) ? &found->text : nullptr;
}

bool Program::is_type2() const {
  return std::any_of(sections.begin(), sections.end(), [](const std::vector<Step>& steps) {
    return std::any_of(steps.begin(), steps.end(),
                       [](const Step& step) { return !std::holds_alternative<ProgramLine>(step); });
  });
}

namespace {

bool any_collect(const Program& program, bool (*holds)(const CollectStep&)) {
  return std::ranges::any_of(program.sections, [&](const std::vector<Step>& steps) {
    return std::ranges::any_of(steps, [&](const Step& step) {
      const auto* const collect = std::get_if<CollectStep>(&step);
      return collect != nullptr && holds(*collect);
    });
  });
}

}  // namespace

bool Program::names_blocks() const {
  return std::ranges::any_of(variables, [](const Variable& variable) { return variable.block != 0; }) ||
         has_separate_results();
}

bool Program::has_separate_results() const {
  return any_collect(*this, [](const CollectStep& collect) { return collect.blocks.is_separate(); });
}

bool Program::has_combined_results() const {
  return any_collect(*this, [](const CollectStep& collect) { return !collect.blocks.is_separate(); });
}

unsigned Program::address_of(const CollectStep& collect) const {
  return variables[collect.variable].address + 2u * kVectorElements * collect.first;
}

std::vector<const Variable*> Program::variables_by(Transfer transfer) const {
  std::vector<const Variable*> chosen;
  for (const Variable& variable : variables) {
    if (variable.transfer == transfer) chosen.push_back(&variable);
  }
  return chosen;
}

std::size_t Program::record_fields(Transfer transfer) const {
  std::size_t fields = 0;
  for (const Variable& variable : variables) {
    if (variable.transfer == transfer) fields += variable.elements;
  }
  return fields;
}

}  // namespace gdr::isa
