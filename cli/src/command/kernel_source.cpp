#include "kernel_source.h"

#include <cstdio>
#include <filesystem>

#include "gdr/base/data_file.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/compiler/assemble.h"

namespace gdr::cli {
namespace {

std::vector<std::string> clang_arguments(const std::vector<std::string>& definitions,
                                         const std::vector<std::string>& include_directories) {
  std::vector<std::string> arguments;
  for (const std::string& definition : definitions) arguments.push_back("-D" + definition);
  for (const std::string& directory : include_directories) arguments.push_back("-I" + directory);
  return arguments;
}

}  // namespace

void CompileArguments::add_to(Command command) {
  command
      .add_option("-O", effort,
                  "effort for few lines: 1 takes a schedule of a few, 2 the best of thousands in less than a second, 3 "
                  "of many more in less than ten")
      .check(whole_in_range(1, 3))
      .capture_default_str();
  command.add_option("--seed", seed, "seed of the search for schedules; the same seed gives the same lines")
      .capture_default_str();
  command.add_option("--function", function, "the pair function, where the file has several").value_name("NAME");
  add_preprocessor_options(command, definitions, include_directories);
}

compiler::CompileOptions CompileArguments::options() const {
  compiler::CompileOptions chosen;
  chosen.effort = static_cast<unsigned>(effort);
  chosen.seed = seed;
  chosen.function = function;
  chosen.clang = clang_arguments(definitions, include_directories);
  return chosen;
}

CompiledKernel compile_kernel(const std::string& path, const compiler::CompileOptions& options, Wanted wanted) {
  CompiledKernel kernel;
  kernel.compiled = compiler::compile_file(path, options);
  std::fputs(compiler::format_diagnostics(kernel.compiled).c_str(), stderr);
  if (kernel.compiled.source.empty()) return kernel;
  kernel.assembled = wanted == Wanted::program
                         ? compiler::assemble_compiled(kernel.compiled, options)
                         : assembler::assemble(kernel.compiled.source, kernel.compiled.kernel + ".vsm");
  std::fputs(assembler::format_diagnostics(kernel.assembled).c_str(), stderr);
  if (!kernel.assembled.program) {
    throw Error(path + ": the compiler wrote a kernel that the assembler refuses: this is a fault of the compiler");
  }
  return kernel;
}

std::vector<std::string> LoadedKernel::texts() const {
  std::vector<std::string> all;
  for (const assembler::SourceFile& file : files) all.push_back(file.text);
  return all;
}

namespace {

LoadedKernel read_object(const std::string& path) {
  LoadedKernel loaded{isa::read_object(path), {}, {}};
  for (const std::string& file : loaded.program.files) {
    std::error_code ignored;
    const bool there = std::filesystem::is_regular_file(file, ignored);
    loaded.files.push_back({file, there ? base::read_file(file) : std::string()});
  }
  return loaded;
}

assembler::AssembleResult assemble_source(const std::string& path, const AssembleArguments& arguments) {
  assembler::AssembleResult result = assembler::assemble_file(path, arguments.options());
  std::fputs(assembler::format_diagnostics(result).c_str(), stderr);
  return result;
}

}  // namespace

LoadedKernel load_kernel_file(const std::string& file, const AssembleArguments& arguments) {
  if (file.ends_with(".gdro")) {
    arguments.refuse_for_object(file);
    return read_object(file);
  }
  const bool by_name = file.find_first_of("./") == std::string::npos;
  const std::string path = by_name ? base::data_file("kernels/" + file + ".vsm").string() : file;
  const bool compiled = compiler::is_source(path);
  if (!compiled && !path.ends_with(".vsm")) {
    throw UsageError(path +
                     ": a kernel is a source (.vsm, or .cc, .cpp, .cxx, .ll, .bc, .lsump), an object file (.gdro), or "
                     "the name of one that comes with gdr");
  }
  CompiledKernel made;
  if (compiled) {
    compiler::CompileOptions options;
    arguments.refuse_for_compiled(path);
    options.clang = clang_arguments(arguments.definitions, arguments.include_directories);
    made = compile_kernel(path, options);
  } else {
    made.assembled = assemble_source(path, arguments);
  }
  assembler::AssembleResult& result = made.assembled;
  if (!result.program) throw Error(path + (compiled ? ": not compiled" : ": not assembled"));
  return {*std::move(result.program), std::move(result.files), std::move(made.compiled.numbered)};
}

}  // namespace gdr::cli
