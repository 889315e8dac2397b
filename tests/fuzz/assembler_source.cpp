// Any source: diagnostics are well formed, a program comes out if and only if none of them is an error, and what comes
// out is valid, disassembles to a source of the same program, survives its object file and can be scheduled.
#include <variant>

#include "fuzz.h"
#include "gdr/assembler/assembler.h"
#include "gdr/assembler/disassemble.h"
#include "gdr/assembler/listing.h"
#include "gdr/assembler/stubs.h"

namespace gdr {
namespace {

using assembler::AssembleOptions;
using assembler::AssembleResult;
using assembler::Diagnostic;

/// A disassembled source has no places, no names of registers, and nothing that the scheduler moved.
isa::Program without_places(isa::Program program) {
  program.files.clear();
  program.aliases.clear();
  program.moved.clear();
  program.origins.clear();
  program.expanded.clear();
  for (auto& section : program.sections) {
    for (isa::Step& step : section) std::visit([](auto& kind) { kind.position = {}; }, step);
  }
  for (isa::Variable& variable : program.variables) variable.position = {};
  for (isa::Parameter& parameter : program.parameters) parameter.position = {};
  return program;
}

bool has_error(const AssembleResult& result) {
  bool error = false;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    error = error || diagnostic.severity == assembler::Severity::error;
    FUZZ_HOLDS(diagnostic.where.file < result.files.size());
    FUZZ_HOLDS(diagnostic.where.line >= 1 && diagnostic.where.column >= 1 && diagnostic.where.length >= 1);
    FUZZ_HOLDS(assembler::explain(diagnostic.number));
  }
  return error;
}

}  // namespace
}  // namespace gdr

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gdr;
  const std::string_view text = fuzz::text_of(data, size);
  if (text.find("include") != std::string_view::npos) return 0;  // reads files of the host
  AssembleOptions options;
  options.definitions["n"] = "3";
  options.compat_il = size % 2 == 1;
  const AssembleResult result = assembler::assemble(text, "fuzz.vsm", options);
  static_cast<void>(assembler::format_diagnostics(result));
  FUZZ_HOLDS(result.program.has_value() != has_error(result));
  if (!result.program) return 0;
  isa::validate(*result.program);
  static_cast<void>(assembler::listing(*result.program, result.files));
  static_cast<void>(assembler::generate_stubs(*result.program));
  const AssembleResult again = assembler::assemble(assembler::disassemble(*result.program), "again.vsm");
  FUZZ_HOLDS(again.program);
  FUZZ_HOLDS(without_places(*again.program) == without_places(*result.program));
  FUZZ_HOLDS(isa::deserialize(isa::serialize(*result.program), "fuzz.gdro") == *result.program);
  options.schedule = {.level = size % 3 == 0 ? assembler::ScheduleLevel::full : assembler::ScheduleLevel::list,
                      .effort = 0.002};
  const AssembleResult packed = assembler::assemble(text, "fuzz.vsm", options);
  FUZZ_HOLDS(packed.program);
  static_cast<void>(assembler::listing(*packed.program, packed.files));
  FUZZ_HOLDS(assembler::assemble(assembler::disassemble(*packed.program), "packed.vsm").program);
  return 0;
}
