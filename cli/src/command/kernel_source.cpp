#include "kernel_source.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/compiler/assemble.h"
#include "gdr/hostlib/kernel_program.h"

namespace gdr::cli {
namespace {

std::vector<std::string> clang_arguments(const std::vector<std::string>& definitions,
                                         const std::vector<std::string>& include_directories) {
  commandline::refuse_one_name_twice("-D", definitions);
  std::vector<std::string> arguments;
  for (const std::string& definition : definitions) arguments.push_back("-D" + definition);
  for (const std::string& directory : include_directories) arguments.push_back("-I" + directory);
  return arguments;
}

compiler::CompileOptions compile_options(const CompileChoices& choices, const std::vector<std::string>& definitions,
                                         const std::vector<std::string>& include_directories) {
  compiler::CompileOptions options;
  options.effort = static_cast<unsigned>(choices.effort);
  options.seed = choices.seed;
  options.fast = choices.fast;
  options.function = choices.function;
  options.clang = clang_arguments(definitions, include_directories);
  return options;
}

LoadedKernel read_object(const std::string& path) {
  LoadedKernel loaded{isa::read_object(path), {}};
  for (const std::string& file : loaded.program.files) {
    std::error_code ignored;
    const bool there = std::filesystem::is_regular_file(file, ignored);
    loaded.files.push_back({file, there ? base::read_file(file) : std::string()});
  }
  return loaded;
}

assembler::AssembleResult assemble_source(const std::string& path, const AssembleArguments& arguments) {
  require_source(path);
  assembler::AssembleResult result = assembler::assemble_file(path, arguments.options());
  arguments.show(assembler::format_diagnostics(result));
  return result;
}

}  // namespace

void CompileArguments::add_to(Command command) {
  CompileChoices::add_to(command);
  command.heading("Source");
  add_preprocessor_options(command, definitions, include_directories);
  command.heading(kUsualHeading);
}

compiler::CompileOptions CompileArguments::options() const {
  return compile_options(*this, definitions, include_directories);
}

CompiledKernel compile_kernel(const std::string& path, const compiler::CompileOptions& options, Wanted wanted,
                              const ShowDiagnostics& show) {
  CompiledKernel kernel;
  kernel.compiled = compiler::compile_file(path, options);
  show(compiler::format_diagnostics(kernel.compiled));
  if (kernel.compiled.source.empty()) return kernel;
  kernel.assembled = wanted == Wanted::program
                         ? compiler::assemble_compiled(kernel.compiled, options)
                         : assembler::assemble(kernel.compiled.source, kernel.compiled.kernel + ".vsm");
  show(assembler::format_diagnostics(kernel.assembled));
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

void require_source(const std::string& path) {
  constexpr std::string_view kElf = "\x7f\x45LF";  // as every object file begins
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return;  // a pipe can be read once only
  if (!base::read_file(path).starts_with(kElf)) return;
  throw Error(path + ": this is an object file, no source: 'gdr objdump' shows its lines, and 'gdr run' runs it");
}

std::string kernel_path(const std::string& file_or_name) {
  try {
    return hostlib::kernel_file(file_or_name);
  } catch (const hostlib::NoKernel& refusal) {
    throw UsageError(refusal.what());
  }
}

Check kernel_named(const std::vector<std::string>& allowed) {
  const auto name_of = [](const std::string& text) { return std::string(hostlib::kernel_name(text)); };
  Check check = one_of(allowed);
  check.refusal = [name_of, refusal = check.refusal](const std::string& text) { return refusal(name_of(text)); };
  check.plain = name_of;
  return check;
}

Json compiled_json(const std::string& file, const AssembleArguments& arguments) {
  if (!compiler::is_source(file)) return nullptr;
  const CompileChoices& chosen = arguments.compile;
  return {{"effort", chosen.effort}, {"seed", chosen.seed}, {"fast", chosen.fast}};
}

LoadedKernel load_kernel_file(const std::string& file, const AssembleArguments& arguments) {
  if (file.ends_with(".gdro")) {
    arguments.refuse_for_object(file);
    arguments.compile.refuse_for(file);
    return read_object(file);
  }
  const std::string path = kernel_path(file);
  const bool compiled = compiler::is_source(path);
  if (!compiled && !path.ends_with(".vsm")) {
    throw UsageError(path +
                     ": a kernel is a source (.vsm, or .cc, .cpp, .cxx, .ll, .bc, .lsump), an object file (.gdro), or "
                     "the name of one that comes with gdr");
  }
  CompiledKernel made;
  if (compiled) {
    arguments.refuse_for_compiled(path);
    made =
        compile_kernel(path, compile_options(arguments.compile, arguments.definitions, arguments.include_directories),
                       Wanted::program, arguments.show);
  } else {
    arguments.compile.refuse_for(file);
    made.assembled = assemble_source(path, arguments);
  }
  assembler::AssembleResult& result = made.assembled;
  if (!result.program) throw Error(path + (compiled ? ": not compiled" : ": not assembled"));
  const bool has_directories = !arguments.include_directories.empty() && !arguments.directories_are_shared;
  if (!compiled && has_directories && result.files.size() == 1) {
    throw UsageError(fmt::format("-I: has no effect on {}, which includes no file", path));
  }
  return {*std::move(result.program), std::move(result.files)};
}

}  // namespace gdr::cli
