#include "clang.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "gdr/base/data_file.h"
#include "gdr/base/environment.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/own_files.h"
#include "header_cache.h"
#include "process.h"

namespace gdr::compiler {
namespace {

constexpr const char* kStandard = "-std=c++20";

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
std::string without_bodies() { return "-I" + kernel_headers() + "/quick"; }

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::vector<std::string>>& others) {
  for (const std::vector<std::string>& some : others) first.insert(first.end(), some.begin(), some.end());
  return first;
}

struct FinishedClang {
  int status = 0;
  std::string output;
  std::string messages;
  std::vector<std::string> files;  // that it has read; unknown without names of files in memory
};

FinishedClang finished(std::vector<std::string> command) {
  const MemoryFile output("bitcode");
  const MemoryFile messages("messages");
  const MemoryFile rule("rule");
  if (files_have_names()) command.insert(command.end(), {"-MD", "-MF", rule.path().string()});
  const int status = run_program(command, output, messages);
  return {status, output.content(), messages.content(), files_of_rule(rule.content())};
}

/// What clang gives with these arguments before and after those of all sources; nothing if there is no such program.
std::optional<ClangOutput> output_of(const std::string& program, const std::vector<std::string>& first,
                                     const std::vector<std::string>& arguments, const std::filesystem::path& source) {
  FinishedClang clang =
      finished(joined({program}, {options(), {"-emit-llvm", "-c"}, first, arguments, {file_argument(source)}}));
  if (clang.status == kNoProgram) return std::nullopt;
  for (const std::string& file : clang.files) base::refuse_expected_output(file);
  return ClangOutput{clang.status == 0 ? std::move(clang.output) : std::string(), std::move(clang.messages)};
}

/// The command by which clang reads the kernel header in advance.
std::vector<std::string> header_command(const std::string& program) {
  return joined({program},
                {options(), {without_bodies(), "-xc++-header", kStandard}, {kernel_headers() + "/gdr/kernel.h"}});
}

/// Compiles sources that begin with the kernel header, which clang takes as it has read it in advance: in an earlier
/// process, or else now.
class WithReadHeader {
 public:
  explicit WithReadHeader(std::string program) : program_(std::move(program)), cache_(header_command(program_)) {}

  /// Nothing if there is no such header.
  std::optional<ClangOutput> output_of_source(const std::vector<std::string>& arguments,
                                              const std::filesystem::path& source) {
    try {
      const std::string header = read_header();
      if (header.empty()) return std::nullopt;
      const MemoryFile file("header", header);
      return output_of(program_, {without_bodies(), "-include-pch", file.path().string(), "-fno-crash-diagnostics"},
                       arguments, source);
    } catch (const Error&) {
      return ClangOutput{};  // without the header it shows whether the source is at fault
    }
  }

  /// The source compiles without the header: another one is made next time, unless this one is new.
  void refuse() const {
    if (is_new_) {
      cache_.keep("", {});
    } else {
      cache_.remove();
    }
  }

 private:
  std::string read_header() {
    if (std::optional<std::string> kept = cache_.find()) return *std::move(kept);
    if (!cache_.can_keep()) return "";
    is_new_ = true;
    FinishedClang clang = finished(header_command(program_));
    if (clang.status != 0 || !clang.messages.empty()) clang.output.clear();  // messages would be lost
    cache_.keep(clang.output, clang.files);
    return std::move(clang.output);
  }

  std::string program_;
  HeaderCache cache_;
  bool is_new_ = false;
};

/// `name` is the file's name in gdr::Error. `begins_with_header`: the source begins with the kernel header, and no
/// argument can change what it says.
ClangOutput compiled(const std::filesystem::path& source, const std::vector<std::string>& arguments,
                     const std::string& name, bool begins_with_header) {
  if (source.filename().native().starts_with('@')) {
    // clang hands the name without its folder from one of its processes to the next.
    throw Error(fmt::format(
        "{}: clang takes a name that begins with @ for a file of arguments: give the source another name", name));
  }
  const std::string chosen = base::environment("GDR_CLANG");
  const std::vector<std::string> programs =
      chosen.empty() ? std::vector<std::string>{"clang++-19", GDR_CLANG_PROGRAM} : std::vector<std::string>{chosen};
  for (const std::string& program : programs) {
    // A source that calls a special function compiles at the last try. A pipe has one.
    if (std::filesystem::is_regular_file(source)) {
      std::optional<WithReadHeader> header;
      if (begins_with_header && files_have_names()) header.emplace(program);
      const auto with_header = header ? header->output_of_source(arguments, source) : std::nullopt;
      // Messages show how headers came to be included, which is lost here.
      if (with_header && !with_header->bitcode.empty() && with_header->messages.empty()) return *with_header;
      const auto quick = output_of(program, {without_bodies()}, arguments, source);
      if (quick && !quick->bitcode.empty()) {
        if (with_header && with_header->bitcode.empty()) header->refuse();
        return *quick;
      }
    }
    if (auto whole = output_of(program, {}, arguments, source)) return *whole;
  }
  throw Error(fmt::format(
      "{}: it takes clang 19 to compile C++, which is not found as {}: install it (clang-19), or name it in GDR_CLANG",
      name, programs.front()));
}

}  // namespace

std::string kernel_headers() { return base::data_file("kernels/cc/gdr/kernel.h").parent_path().parent_path().string(); }

ClangOutput run_clang(const std::filesystem::path& source, const std::vector<std::string>& arguments) {
  const bool begins_with_header = arguments.empty() && std::filesystem::is_regular_file(source) &&
                                  begins_with_kernel_header(base::read_file(source));
  return compiled(source, joined({"-xc++", kStandard}, {arguments}), source.string(), begins_with_header);
}

ClangOutput run_clang_on(const std::string& text, const std::string& name, const std::vector<std::string>& arguments) {
  std::string quoted;
  for (const char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  const MemoryFile source("source", fmt::format("#line 1 \"{}\"\n{}", quoted, text));
  return run_clang_as(source.path(), joined({"-xc++", kStandard, "-iquote", folder_argument(name)}, {arguments}), name);
}

ClangOutput run_clang_as(const std::filesystem::path& source, const std::vector<std::string>& arguments,
                         const std::string& name) {
  return compiled(source, arguments, name, false);
}

}  // namespace gdr::compiler
