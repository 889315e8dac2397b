#include "kernel_source.h"

#include <cstdio>

#include "gdr/base/error.h"
#include "gdr/compiler/assemble.h"

namespace gdr::cli {

void CompileArguments::add_to(Command command) {
  command
      .add_option("-O", effort,
                  "effort for few lines: 1 takes a schedule of a few, 2 the best of thousands in less than a second, 3 "
                  "of many more in less than ten")
      .check(whole_in_range(1, 3))
      .capture_default_str();
  command.add_option("--seed", seed, "of the search for schedules: the same seed gives the same lines")
      .capture_default_str();
  command.add_option("--function", function, "the pair function, where the file has several");
  command.add_option("-D", definitions, "define a name for C++: NAME=VALUE, or NAME for 1 (repeatable)");
  command.add_option("-I", include_directories, "folder to look for included files in (repeatable)");
}

compiler::CompileOptions CompileArguments::options() const {
  compiler::CompileOptions chosen;
  chosen.effort = static_cast<unsigned>(effort);
  chosen.seed = seed;
  chosen.function = function;
  for (const std::string& definition : definitions) chosen.clang.push_back("-D" + definition);
  for (const std::string& directory : include_directories) chosen.clang.push_back("-I" + directory);
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

RunnableKernel load_compiled(const std::string& path) {
  CompiledKernel kernel = compile_kernel(path);
  if (!kernel.assembled.program) throw Error(path + ": not compiled");
  RunnableKernel made{*std::move(kernel.assembled.program), {}, std::move(kernel.compiled.numbered)};
  for (assembler::SourceFile& file : kernel.assembled.files) made.sources.push_back(std::move(file.text));
  return made;
}

}  // namespace gdr::cli
