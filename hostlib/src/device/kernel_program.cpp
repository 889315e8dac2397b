#include "gdr/hostlib/kernel_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <set>

#include "gdr/assembler/assembler.h"
#include "gdr/base/data_file.h"
#include "gdr/base/description.h"
#include "gdr/base/error.h"
#include "gdr/base/nearest.h"

namespace gdr::hostlib {

std::vector<std::string> kernel_names() {
  std::set<std::string> names;
  for (const std::filesystem::path& directory : base::data_directories()) {
    std::error_code none;
    std::filesystem::directory_iterator entry(directory / "kernels", none);
    for (; !none && entry != std::filesystem::directory_iterator(); entry.increment(none)) {
      if (entry->path().extension() == ".vsm") names.insert(entry->path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

isa::Program kernel_program(std::string_view name, const std::map<std::string, std::string>& definitions) {
  const std::string wanted = fmt::format("kernels/{}.vsm", name);
  if (!base::find_data_file(wanted)) {
    const std::vector<std::string> known = kernel_names();
    if (!known.empty()) {
      throw Error(fmt::format("no kernel is called '{}' (known: {}){}", name, fmt::join(known, ", "),
                              base::did_you_mean(name, known)));
    }
  }
  const std::filesystem::path file = base::data_file(wanted);  // without any kernel it says where it looked
  assembler::AssembleResult result = assembler::assemble_file(file, {.definitions = definitions});
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *std::move(result.program);
}

}  // namespace gdr::hostlib
