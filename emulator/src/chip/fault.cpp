// Faults and the places of programs and chips that they name.
#include <fmt/format.h>

#include "gdr/emulator/chip.h"

namespace gdr::emulator {

std::string source_place(const isa::Program& program, isa::Section section, std::size_t line, isa::Unit unit) {
  if (line >= program.lines(section).size()) return fmt::format("{}, line {}", isa::name_of(section), line);
  const isa::SourcePosition position = program.position_of(section, line, unit);
  if (position.file >= program.files.size()) return fmt::format("{}, line {}", isa::name_of(section), line);
  return fmt::format("{}:{}:{}", program.files[position.file], position.line, position.column);
}

std::string text_of(const PePlace& place) {
  std::string text = fmt::format("chip {}, block {}, PE {}, element {}, {}", place.chip, place.block, place.pe,
                                 place.element, isa::name_of(place.section));
  if (place.section == isa::Section::loop_body) text += fmt::format(", iteration {}", place.iteration);
  if (place.run > 1) text += fmt::format(", run {}", place.run);
  return text;
}

Fault::Fault(FaultKind kind, const isa::Program& program, isa::Section section, std::size_t line,
             const std::string& why, const std::optional<PePlace>& place)
    : Fault(kind, section, line, fmt::format("{}: fault: {}", source_place(program, section, line), why), place) {}

Fault::Fault(FaultKind kind, isa::Section section, std::size_t line, std::string text,
             const std::optional<PePlace>& place)
    : Error(place ? fmt::format("{} ({})", text, text_of(*place)) : text),
      kind_(kind),
      section_(section),
      line_(line),
      text_(std::move(text)),
      place_(place) {}

Fault Fault::on_chip(unsigned chip) const {
  std::optional<PePlace> place = place_;
  if (place) place->chip = chip;
  return {kind_, section_, line_, text_, place};
}

}  // namespace gdr::emulator
