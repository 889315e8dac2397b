#include "clang.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "gdr/base/data_file.h"
#include "gdr/base/environment.h"
#include "gdr/base/error.h"
#include "gdr/base/own_files.h"
#include "process.h"

namespace gdr::compiler {
namespace {

/// Clang reads the language alone: what follows are passes of ours, before which no result has been folded into others.
std::vector<std::string> options() {
  return {"-O2",  // else functions are marked as not to be optimised
          "-Xclang",
          "-disable-llvm-passes",
          "-g",
          "-fstandalone-debug",
          "-fdebug-compilation-dir=/",  // else paths lose what they share with the folder that the program runs in
          "-fno-exceptions",
          "-fno-math-errno",
          "-fno-signed-zeros",
          "-fno-honor-nans",
          "-ffp-contract=off",
          "-fno-builtin-memset",
          "-D__GDR__=1",
          "-I" + kernel_headers(),
          "-fno-color-diagnostics",
          "-emit-llvm",
          "-c",
          "-o",
          "-"};
}

/// The files of a rule of make, `target: file file`. Blanks and # in a name have a backslash before them and dollars
/// another dollar, and lines end in a backslash.
std::vector<std::string> files_of_rule(std::string_view rule) {
  std::vector<std::string> files(1);
  rule.remove_prefix(std::min(rule.size(), rule.find(": ") + 1));
  for (std::size_t at = 0; at < rule.size(); ++at) {
    const std::string_view two = rule.substr(at, 2);
    if (two == "\\\n") {
      ++at;
    } else if (two == "\\ " || two == "\\#" || two == "$$") {
      files.back() += rule[++at];
    } else if (rule[at] != ' ' && rule[at] != '\n') {
      files.back() += rule[at];
    } else if (!files.back().empty()) {
      files.emplace_back();
    }
  }
  if (files.back().empty()) files.pop_back();
  return files;
}

/// Without /proc, clang finds no file in memory by its name.
bool files_have_names() { return access("/proc/self/fd", X_OK) == 0; }

/// Holds a stand-in for the special functions of libstdc++'s <cmath> (bits/specfun.h there says more).
std::string headers_without_bodies() { return kernel_headers() + "/quick"; }

/// What clang gives with these arguments before and after those of all sources; nothing if there is no such program.
std::optional<ClangOutput> output_of(const std::string& program, const std::vector<std::string>& first,
                                     const std::vector<std::string>& arguments, const std::filesystem::path& source) {
  std::vector<std::string> command{program};
  for (const std::vector<std::string>& some : {options(), first, arguments})
    command.insert(command.end(), some.begin(), some.end());
  command.push_back(file_argument(source));
  const MemoryFile bitcode("bitcode");
  const MemoryFile messages("messages");
  const MemoryFile rule("rule");
  if (files_have_names()) command.insert(command.end(), {"-MD", "-MF", rule.path().string()});
  const int status = run_program(command, bitcode, messages);
  if (status == kNoProgram) return std::nullopt;
  for (const std::string& file : files_of_rule(rule.content())) base::refuse_expected_output(file);
  return ClangOutput{status == 0 ? bitcode.content() : std::string(), messages.content()};
}

}  // namespace

std::string kernel_headers() { return base::data_file("kernels/cc/gdr/kernel.h").parent_path().parent_path().string(); }

ClangOutput run_clang(const std::filesystem::path& source, const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"-xc++", "-std=c++20"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_clang_as(source, all, source.string());
}

ClangOutput run_clang_on(const std::string& text, const std::string& name, const std::vector<std::string>& arguments) {
  std::string quoted;
  for (const char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  const MemoryFile source("source", fmt::format("#line 1 \"{}\"\n{}", quoted, text));
  std::vector<std::string> all{"-xc++", "-std=c++20", "-iquote", folder_argument(name)};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_clang_as(source.path(), all, name);
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
    // A source that calls a special function compiles at the second try. A pipe has one.
    if (std::filesystem::is_regular_file(source)) {
      const auto quick = output_of(program, {"-I" + headers_without_bodies()}, arguments, source);
      if (quick && !quick->bitcode.empty()) return *quick;
    }
    if (auto whole = output_of(program, {}, arguments, source)) return *whole;
  }
  throw Error(fmt::format(
      "{}: it takes clang 19 to compile C++, which is not found as {}: install it (clang-19), or name it in GDR_CLANG",
      name, programs.front()));
}

}  // namespace gdr::compiler
