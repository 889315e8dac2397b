#include "gdr/compiler/assemble.h"

#include <algorithm>

namespace gdr::compiler {

std::map<std::uint32_t, std::vector<assembler::WrittenPlace>> made_from(const CompileResult& compiled) {
  std::map<std::uint32_t, std::vector<assembler::WrittenPlace>> made;
  for (const auto& [line, places] : compiled.places) {
    std::vector<assembler::WrittenPlace>& of_line = made[line];
    for (const WrittenPlace& place : places) of_line.push_back({place.file, place.line, std::max(place.column, 1U)});
  }
  return made;
}

assembler::AssembleResult assemble_compiled(const CompileResult& compiled, const CompileOptions& options) {
  assembler::AssembleOptions assembling;
  if (options.effort == 3) assembling.schedule = {assembler::ScheduleLevel::full, options.seed, 1, true};
  assembling.made_from = made_from(compiled);
  return assembler::assemble(compiled.source, compiled.kernel + ".vsm", assembling);
}

}  // namespace gdr::compiler
