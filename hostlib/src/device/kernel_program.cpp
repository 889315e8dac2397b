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
namespace {

constexpr const char* kAssembly = ".vsm";
const std::filesystem::path kFolder = "kernels";  // in a data folder

}  // namespace

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

std::string_view kernel_name(std::string_view name) {
  if (name.ends_with(kAssembly)) name.remove_suffix(std::string_view(kAssembly).size());
  return name;
}

isa::Program kernel_program(std::string_view name, const std::map<std::string, std::string>& definitions) {
  const std::string wanted = fmt::format("kernels/{}{}", kernel_name(name), kAssembly);
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

std::string kernel_file(const std::string& file_or_name) {
  const std::filesystem::path path = file_or_name;
  std::error_code none;
  if (path.has_extension() && std::filesystem::exists(path, none)) return file_or_name;
  const bool in_folder = path.begin() != path.end() && *path.begin() == kFolder;
  const bool is_name = !path.has_extension() && (!path.has_parent_path() || path.parent_path() == kFolder);
  if (!path.has_parent_path() || in_folder) {
    const std::string file = is_name ? file_or_name + kAssembly : file_or_name;
    if (const auto found = base::find_data_file(in_folder ? std::filesystem::path(file) : kFolder / file)) {
      return found->string();
    }
  }
  if (std::filesystem::is_directory(path, none)) throw NoKernel(file_or_name + ": a folder is no kernel");
  const std::vector<std::string> known = kernel_names();
  if (is_name) {
    throw NoKernel(fmt::format("no kernel is called '{}' (known: {}; or name a file: .vsm, .cc, .gdro){}", file_or_name,
                               fmt::join(known, ", "), base::did_you_mean(path.filename().string(), known)));
  }
  if (!path.has_parent_path() && path.extension() == kAssembly) {
    if (const auto meant = base::nearest(path.stem().string(), known)) {
      throw Error(
          fmt::format("{}: cannot be read: No such file or directory; did you mean '{}'?", file_or_name, *meant));
    }
  }
  return file_or_name;  // what reads it says why it cannot
}

}  // namespace gdr::hostlib
