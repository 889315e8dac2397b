#include "gdr/compiler/assemble.h"

namespace gdr::compiler {

assembler::AssembleResult assemble_compiled(const CompileResult& compiled, const CompileOptions& options) {
  assembler::AssembleOptions assembling;
  if (options.effort == 3) assembling.schedule = {assembler::ScheduleLevel::full, options.seed, 1, true};
  assembling.made_from = compiled.places;
  return assembler::assemble(compiled.source, compiled.kernel + ".vsm", assembling);
}

}  // namespace gdr::compiler
