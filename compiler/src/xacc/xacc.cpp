// The order of the steps for directives of XcalableMP and OpenACC: check the program, compile loops for the board,
// rewrite the program, call MPI's compiler.
#include "gdr/compiler/xacc.h"

#include <fmt/format.h>

#include <sstream>

#include "assignments.h"
#include "gdr/base/data_file.h"
#include "gdr/base/environment.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/plugin.h"
#include "messages.h"
#include "plugin/xacc.h"
#include "programs/process.h"

namespace gdr::compiler {
namespace {

/// The year and month of the specification of XcalableMP (1.2) that the macro names.
constexpr const char* kVersion = "-D_XCALABLEMP=201311";

/// Behind each run of the board, in the code that goose.h makes: its time on the rank's clock.
constexpr const char* kAfterRun = "{ void gdr_xmp_board(double); gdr_xmp_board(gdr_goose_seconds(gdr_goose_loop)); }\n";

auto xacc_reader() {
  static const auto found = GDR_PLUGIN_FUNCTION("libgdr_xacc.so", GDR_XACC_FUNCTION);
  return found;
}

std::string mpi_compiler() {
  const std::string chosen = base::environment("MPICC");
  return chosen.empty() ? "mpicc" : chosen;
}

[[noreturn]] void refuse_compiler(const std::string& program) {
  throw Error(fmt::format("MPI's compiler is not found as {}: name it in MPICC", program));
}

/// The folder that contains xmp.h.
std::string xmp_headers() { return base::data_file("kernels/xacc/xmp.h").parent_path().string(); }

/// The -I and -D by which MPI's compiler finds mpi.h.
std::vector<std::string> mpi_arguments() {
  const MemoryFile out("show");
  const MemoryFile messages("messages");
  const int status = run_program({mpi_compiler(), "-show"}, out, messages);
  if (status == kNoProgram) refuse_compiler(mpi_compiler());
  std::vector<std::string> found;
  std::istringstream words(out.content());
  for (std::string word; words >> word;) {
    if (word.starts_with("-I") || word.starts_with("-D")) found.push_back(word);
  }
  return found;
}

/// Rewrites a text of the program, and adds what is told of it.
XaccUnit read(const XaccRequest& request, const std::string& file, XaccResult& result) {
  XaccUnit unit;
  xacc_reader()(request, unit);
  result.clang += unit.clang;
  if (unit.failed) result.diagnostics.push_back({file, 0, 0, "clang does not compile it"});
  for (const Message& error : unit.errors) {
    result.diagnostics.push_back(
        {error.place.file.empty() ? file : error.place.file, error.place.line, error.place.column, error.text});
  }
  return unit;
}

/// The linker's options for a library of ours.
void add_library(std::vector<std::string>& command, const std::string& name) {
  for (const std::filesystem::path& place : base::library_folders()) {
    std::error_code none;
    if (!std::filesystem::exists(place / ("lib" + name + ".so"), none)) continue;
    const std::string folder = std::filesystem::canonical(place, none).string();
    command.insert(command.end(), {"-L" + folder, "-Wl,-rpath," + folder});
    break;
  }
  command.push_back("-l" + name);
}

}  // namespace

bool xacc_available() { return xacc_reader() != nullptr; }

XaccResult compile_xacc(const std::filesystem::path& path, const XaccOptions& options) {
  const std::string file = path.string();
  if (!file.ends_with(".c")) throw Error(fmt::format("'{}' is no C file: its name must end in .c", file));
  if (xacc_reader() == nullptr) {
    throw Error("directives of XcalableMP take " + base::missing_plugin("libgdr_xacc.so", "Clang 19", "GDR_GOOSE"));
  }
  const std::string given = assignments_in_directives(base::read_file(path));
  XaccRequest request{file_argument(file), given, c_arguments()};
  request.arguments.emplace_back("-w");
  GooseOptions board{options.compile, options.host, kAfterRun};
  std::vector<std::string> found{kVersion, "-I" + xmp_headers()};
  for (const std::string& argument : mpi_arguments()) found.push_back(argument);
  board.compile.clang.insert(board.compile.clang.begin(), found.begin(), found.end());
  for (const std::string& argument : board.compile.clang) request.arguments.push_back(argument);
  for (std::string& argument : language_arguments(options.host)) request.arguments.push_back(std::move(argument));
  XaccResult result;
  XaccUnit unit = read(request, file, result);
  if (result.diagnostics.empty() && !unit.found)
    result.diagnostics.push_back({file, 0, 0, "the file has no directive: #pragma xmp or #pragma acc"});
  if (result.diagnostics.empty() && unit.board) {
    GooseResult compiled = compile_goose_text(given, file, board);
    result.clang += compiled.clang;
    result.diagnostics = std::move(compiled.diagnostics);
    result.warnings = std::move(compiled.warnings);
    result.kernels = std::move(compiled.kernels);
    request.text = std::move(compiled.source);
    if (result.diagnostics.empty()) unit = read(request, file, result);
  }
  if (result.diagnostics.empty()) result.source = std::move(unit.source);
  return result;
}

HostBuild build_xacc(const XaccResult& result, const std::filesystem::path& path, const std::filesystem::path& output,
                     const XaccOptions& options) {
  const MemoryFile source("program", result.source);
  const MemoryFile messages("messages");
  std::vector<std::string> command{
      mpi_compiler(), "-O2", "-iquote", folder_argument(path), "-I" + xmp_headers(), kVersion, "-Wno-unknown-pragmas"};
  for (const std::string& argument : options.compile.clang) command.push_back(argument);
  const bool object = output.extension() == ".o";
  command.insert(command.end(), {"-o", file_argument(output), "-xc"});
  if (object) command.push_back("-c");
  command.insert(command.end(), {file_argument(source.path()), "-xnone"});
  for (const std::string& argument : options.host) command.push_back(argument);
  if (!object) {
    add_library(command, "gdr_xmp");
    if (!result.kernels.empty()) add_library(command, "gdr");
    command.push_back("-lm");
  }
  const int status = run_program(command, messages, messages);
  if (status == kNoProgram) refuse_compiler(command.front());
  return {status == 0, messages.content()};
}

std::string format_diagnostics(const XaccResult& result) {
  return format_messages(format_messages(result.clang, result.warnings, "warning"), result.diagnostics);
}

}  // namespace gdr::compiler
