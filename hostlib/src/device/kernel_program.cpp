#include "gdr/hostlib/kernel_program.h"

#include <fmt/format.h>

#include "gdr/assembler/assembler.h"
#include "gdr/base/data_file.h"
#include "gdr/base/error.h"

namespace gdr::hostlib {

isa::Program kernel_program(std::string_view name, const std::map<std::string, std::string>& definitions) {
  const std::filesystem::path file = base::data_file(fmt::format("kernels/{}.vsm", name));
  assembler::AssembleResult result = assembler::assemble_file(file, {.definitions = definitions});
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *std::move(result.program);
}

}  // namespace gdr::hostlib
