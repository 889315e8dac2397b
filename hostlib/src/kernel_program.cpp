#include "gdr/hostlib/kernel_program.h"

#include <fmt/format.h>

#include "gdr/assembler/assembler.h"
#include "gdr/base/description.h"
#include "gdr/base/error.h"

namespace gdr::hostlib {

isa::Program kernel_program(std::string_view name, const std::map<std::string, std::string>& definitions) {
  const std::string file_name = fmt::format("{}.vsm", name);
  for (const std::filesystem::path& directory : base::data_directories()) {
    const std::filesystem::path file = directory / "kernels" / file_name;
    if (!std::filesystem::is_regular_file(file)) continue;
    assembler::AssembleResult result = assembler::assemble_file(file, {.definitions = definitions});
    if (!result.program) throw Error(assembler::format_diagnostics(result));
    return *std::move(result.program);
  }
  throw Error(fmt::format("kernel {} is not found in the data directories; GDR_DATA_DIR names one", name));
}

}  // namespace gdr::hostlib
