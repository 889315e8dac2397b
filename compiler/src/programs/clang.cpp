#include "clang.h"

#include <fmt/format.h>

#include "gdr/base/data_file.h"
#include "gdr/base/environment.h"
#include "gdr/base/error.h"
#include "process.h"

namespace gdr::compiler {
namespace {

/// Straight lines without vectors of the host: what clang does for a processor with wide registers is of no use here.
std::vector<std::string> options() {
  return {"-O2",
          "-g",
          "-fstandalone-debug",
          "-fdebug-compilation-dir=/",  // else paths lose what they share with the folder that the program runs in
          "-fno-exceptions",
          "-fno-math-errno",
          "-fno-signed-zeros",
          "-fno-honor-nans",
          "-ffp-contract=off",
          "-fno-vectorize",
          "-fno-slp-vectorize",
          "-fno-builtin-memset",
          "-mllvm",
          "-unroll-threshold=20000",
          "-mllvm",
          "-unroll-max-percent-threshold-boost=1000",
          "-mllvm",
          "-inline-threshold=5000",
          "-mllvm",
          "-simplifycfg-sink-common=false",  // stores of different results would become one through a pointer
          "-D__GDR__=1",
          "-I" + kernel_headers(),
          "-fno-color-diagnostics",
          "-emit-llvm",
          "-c",
          "-o",
          "-"};
}

}  // namespace

std::string kernel_headers() { return base::data_file("kernels/cc/gdr/kernel.h").parent_path().parent_path().string(); }

ClangOutput run_clang(const std::filesystem::path& source, const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"-xc++", "-std=c++20"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_clang_as(source, all, source.string());
}

ClangOutput run_clang_as(const std::filesystem::path& source, const std::vector<std::string>& arguments,
                         const std::string& name) {
  if (source.filename().native().starts_with('@')) {
    // clang hands the name without its folder from one of its processes to the next.
    throw Error(fmt::format(
        "{}: clang takes a name that begins with @ for a file of arguments: give the source another name", name));
  }
  const std::string chosen = base::environment("GDR_CLANG");
  const std::vector<std::string> programs =
      chosen.empty() ? std::vector<std::string>{"clang++-19", GDR_CLANG_PROGRAM} : std::vector<std::string>{chosen};
  for (const std::string& program : programs) {
    std::vector<std::string> command{program};
    const std::vector<std::string> own = options();
    command.insert(command.end(), own.begin(), own.end());
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.push_back(file_argument(source));
    const MemoryFile bitcode("bitcode");
    const MemoryFile messages("messages");
    const int status = run_program(command, bitcode, messages);
    if (status == kNoProgram) continue;
    return {status == 0 ? bitcode.content() : std::string(), messages.content()};
  }
  throw Error(fmt::format(
      "{}: it takes clang 19 to compile C++, which is not found as {}: install it (clang-19), or name it in GDR_CLANG",
      name, programs.front()));
}

}  // namespace gdr::compiler
