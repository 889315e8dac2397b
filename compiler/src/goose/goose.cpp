// The order of the steps for marked loops: find them, compile each pair function, replace the loops by calls, call the
// host's compiler.
#include "gdr/compiler/goose.h"

#include <fmt/format.h>

#include "gdr/base/environment.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/plugin.h"
#include "gdr/compiler/assemble.h"
#include "goose_text.h"
#include "import/importer.h"
#include "messages.h"
#include "microcode/lower.h"
#include "plugin/goose.h"
#include "programs/clang.h"
#include "programs/process.h"

namespace gdr::compiler {
namespace {

auto goose_reader() {
  static const auto found = GDR_PLUGIN_FUNCTION("libgdr_goose.so", GDR_GOOSE_FUNCTION);
  return found;
}

/// Arguments of clang and of the host's compiler that select the language.
std::vector<std::string> language(bool cplusplus) {
  if (cplusplus) return {"-xc++", "-std=gnu++17"};
  return c_arguments();
}

/// Arguments for the host's compiler that clang needs, too.
std::vector<std::string> shared_arguments(const GooseOptions& options) {
  std::vector<std::string> shared = options.compile.clang;
  for (std::string& argument : language_arguments(options.host)) shared.push_back(std::move(argument));
  return shared;
}

void add(std::vector<Diagnostic>& diagnostics, const std::vector<Message>& messages) {
  for (const Message& one : messages)
    diagnostics.push_back({one.place.file, one.place.line, one.place.column, one.text});
}

/// The first column of a line that has text; code that is generated from the line has other columns.
unsigned first_column(const std::string& text, unsigned line) {
  std::size_t begin = 0;
  for (unsigned n = 1; n < line && begin != std::string::npos; ++n) {
    begin = text.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  const std::size_t first = begin == std::string::npos ? begin : text.find_first_not_of(" \t", begin);
  return first == std::string::npos ? 1 : static_cast<unsigned>(first - begin) + 1;
}

/// Rewords a message: users of marked loops do not see results as members of records.
std::string in_words_of_loops(const std::string& text) {
  if (text == kLongFunction) return std::string(kLongFunction) + "; or ask for precision(\"mixed\") or \"single\"";
  if (text != kResultForms) return text;
  return "a result must be accumulated, in a way that does not depend on the order of j: a[i] += ..., a[i] -= ..., "
         "a[i] = "
         "fmin(a[i], ...) or fmax; integers also |=, &=, ^=; and under a condition";
}

isa::Program compile_loop(const GooseLoop& loop, bool cplusplus, const std::string& text, const std::string& file,
                          const GooseOptions& options, GooseResult& result) {
  const MemoryFile source("goose", loop.source);
  std::vector<std::string> arguments = language(cplusplus);
  arguments.insert(arguments.end(), {"-w", "-fexceptions", "-iquote", folder_argument(file)});
  const std::vector<std::string> shared = shared_arguments(options);
  arguments.insert(arguments.end(), shared.begin(), shared.end());
  const ClangOutput clang = run_clang_as(source.path(), arguments, file);
  GooseKernel kernel;
  kernel.line = loop.place.line;
  if (clang.bitcode.empty()) {
    result.clang += clang.messages;
    result.diagnostics.push_back({file, loop.place.line, 1, "clang does not compile the pairs of this loop"});
    return {};
  }
  CompileOptions compile = options.compile;
  compile.function = loop.name;
  kernel.compiled = compile_ir(optimised(clang.bitcode), file, compile);
  for (Diagnostic& one : kernel.compiled.diagnostics) {
    // What is in a header stands there as it was written.
    if (one.file == file) one.column = first_column(text, one.line);
    one.message = in_words_of_loops(one.message);
    result.diagnostics.push_back(std::move(one));
  }
  if (kernel.compiled.source.empty()) return {};
  assembler::AssembleResult assembled = assemble_compiled(kernel.compiled, compile);
  if (!assembled.program) {
    throw Error(
        fmt::format("{}: the compiler wrote a kernel that the assembler refuses: this is a fault of the compiler\n{}",
                    file, assembler::format_diagnostics(assembled)));
  }
  result.kernels.push_back(std::move(kernel));
  return *std::move(assembled.program);
}

bool is_cplusplus(std::string_view name) { return !name.ends_with(".c"); }

}  // namespace

bool goose_available() { return goose_reader() != nullptr && available(); }

bool is_program(std::string_view name) {
  return name.ends_with(".c") || name.ends_with(".cc") || name.ends_with(".cpp") || name.ends_with(".cxx");
}

GooseResult compile_goose(const std::filesystem::path& path, const GooseOptions& options) {
  return compile_goose_text(base::read_file(path), path.string(), options);
}

GooseResult compile_goose_text(const std::string& text, const std::string& file, const GooseOptions& options) {
  if (!is_program(file))
    throw Error(fmt::format("'{}' is no C or C++ file: its name must end in .c, .cc, .cpp or .cxx", file));
  require_import();
  if (goose_reader() == nullptr) refuse_without("goose pragmas", "libgdr_goose.so", "Clang 19", "GDR_GOOSE");
  GooseRequest request{file_argument(file), text, is_cplusplus(file), language(is_cplusplus(file))};
  const std::vector<std::string> shared = shared_arguments(options);
  request.arguments.insert(request.arguments.end(), {"-w", "-D__GDR__=1", "-I" + kernel_headers()});
  request.arguments.insert(request.arguments.end(), shared.begin(), shared.end());
  GooseUnit unit;
  goose_reader()(request, unit);
  GooseResult result;
  result.clang = unit.clang;
  if (unit.failed) result.diagnostics.push_back({file, 0, 0, "clang does not compile it"});
  add(result.diagnostics, unit.errors);
  add(result.warnings, unit.warnings);
  if (result.diagnostics.empty() && unit.loops.empty()) {
    result.diagnostics.push_back(
        {file, 0, 0,
         "no loop is marked: #pragma goose parallel for loopcounter(i, j) precision(\"double\") "
         "result(...) stands before a loop over i with one over j in it"});
  }
  if (!result.diagnostics.empty()) return result;
  std::vector<isa::Program> programs;
  for (const GooseLoop& loop : unit.loops)
    programs.push_back(compile_loop(loop, request.cplusplus, text, file, options, result));
  if (!result.diagnostics.empty()) return result;
  std::vector<CompiledLoop> loops;
  for (std::size_t n = 0; n < programs.size(); ++n)
    loops.push_back({unit.loops[n], programs[n], result.kernels[n].compiled.numbered});
  result.source = program_with_calls(text, file, loops, options.after_run);
  return result;
}

HostBuild build_goose(const GooseResult& result, const std::filesystem::path& path, const std::filesystem::path& output,
                      const GooseOptions& options) {
  const bool cplusplus = is_cplusplus(path.string());
  const std::string chosen = base::environment(cplusplus ? "CXX" : "CC");
  const std::string program = !chosen.empty() ? chosen : cplusplus ? "c++" : "cc";
  const MemoryFile source("program", result.source);
  const MemoryFile messages("messages");
  std::vector<std::string> command{
      program, "-O2", "-iquote", folder_argument(path), "-I" + kernel_headers(), "-Wno-unknown-pragmas"};
  for (const std::string& argument : options.compile.clang) command.push_back(argument);
  const bool object = output.extension() == ".o";
  command.insert(command.end(), {"-o", file_argument(output), cplusplus ? "-xc++" : "-xc"});
  if (object) command.push_back("-c");
  command.push_back(file_argument(source.path()));
  command.push_back("-xnone");
  for (const std::string& argument : options.host) command.push_back(argument);
  if (!object) {
    for (const std::filesystem::path& place : base::library_folders()) {
      std::error_code none;
      if (!std::filesystem::exists(place / "libgdr.so", none)) continue;
      const std::string folder = std::filesystem::canonical(place, none).string();
      command.insert(command.end(), {"-L" + folder, "-Wl,-rpath," + folder});
      break;
    }
    command.insert(command.end(), {"-lgdr", "-lm"});
  }
  const int status = run_program(command, messages, messages);
  if (status == kNoProgram) {
    throw Error(
        fmt::format("the host's compiler is not found as {}: name it in {}", program, cplusplus ? "CXX" : "CC"));
  }
  return {status == 0, messages.content()};
}

std::string format_diagnostics(const GooseResult& result) {
  return format_messages(format_messages(result.clang, result.warnings, "warning"), result.diagnostics);
}

}  // namespace gdr::compiler
