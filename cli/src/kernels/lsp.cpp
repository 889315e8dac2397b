// `gdr lsp`: the language server on standard input and output.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <regex>

#include "command/assemble_arguments.h"
#include "command/command.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/message_framing.h"
#include "gdr/compiler/assemble.h"
#include "gdr/editor/server.h"

namespace gdr::cli {
namespace {

/// Adds the diagnostics of a compilation to a result, and the files that they name.
class EditorDiagnostics {
 public:
  explicit EditorDiagnostics(assembler::AssembleResult& result) : result_(result) {}

  void add(const compiler::Diagnostic& diagnostic, assembler::Severity severity) {
    assembler::Diagnostic one;
    one.severity = severity;
    one.where = {file(diagnostic.file), std::max(diagnostic.line, 1U), std::max(diagnostic.column, 1U), 1};
    one.message = diagnostic.message;
    result_.diagnostics.push_back(std::move(one));
  }

  /// Clang's lines `FILE:LINE:COL: error: TEXT`.
  void add_of_clang(const std::string& messages) {
    static const std::regex kLine("([^:\n]+):([0-9]+):([0-9]+): (error|warning|fatal error): ([^\n]+)");
    for (std::sregex_iterator at(messages.begin(), messages.end(), kLine), end; at != end; ++at) {
      const auto number = [&](std::size_t group) { return static_cast<unsigned>(std::stoul((*at)[group].str())); };
      add({(*at)[1].str(), number(2), number(3), (*at)[5].str()},
          (*at)[4].str() == "warning" ? assembler::Severity::warning : assembler::Severity::error);
    }
  }

  /// Index of a file, which is added if it is not there.
  std::uint32_t file(const std::string& name) {
    for (std::uint32_t n = 0; n < result_.files.size(); ++n) {
      if (result_.files[n].name == name) return n;
    }
    std::error_code none;
    const bool there = std::filesystem::is_regular_file(name, none);
    result_.files.push_back({name, there ? base::read_file(name) : std::string()});
    return static_cast<std::uint32_t>(result_.files.size() - 1);
  }

 private:
  assembler::AssembleResult& result_;
};

assembler::AssembleResult compiled_for_editor(const std::filesystem::path& path, const AssembleArguments& arguments) {
  compiler::CompileOptions options;
  options.effort = 1;  // while the function is written
  for (const std::string& definition : arguments.definitions) options.clang.push_back("-D" + definition);
  for (const std::string& directory : arguments.include_directories) options.clang.push_back("-I" + directory);
  assembler::AssembleResult result;
  try {
    const compiler::CompileResult compiled = compiler::compile_file(path, options);
    if (!compiled.source.empty()) result = compiler::assemble_compiled(compiled, options);
    result.diagnostics.clear();
    EditorDiagnostics diagnostics(result);
    diagnostics.file(path.string());
    diagnostics.add_of_clang(compiled.clang);
    for (const compiler::Diagnostic& one : compiled.warnings) diagnostics.add(one, assembler::Severity::warning);
    for (const compiler::Diagnostic& one : compiled.diagnostics) diagnostics.add(one, assembler::Severity::error);
  } catch (const Error& error) {
    EditorDiagnostics(result).add({path.string(), 1, 1, error.what()}, assembler::Severity::error);
  }
  return result;
}

int serve(const AssembleArguments& arguments) {
  const auto send = [](std::string_view message) {
    fmt::print("{}", base::framed(message));
    std::fflush(stdout);
  };
  editor::LanguageServer server(arguments.options(), send, [&](const std::filesystem::path& path) {
    return compiled_for_editor(path, arguments);
  });
  base::MessageFraming framing;
  std::array<char, 65536> bytes;
  for (;;) {
    const ssize_t count = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    framing.push({bytes.data(), static_cast<std::size_t>(count)});
    while (const std::optional<std::string> message = framing.next()) {
      if (!server.handle(*message)) return server.was_shut_down() ? kSuccess : kFailure;
    }
    server.settle();
  }
  return server.was_shut_down() ? kSuccess : kFailure;
}

}  // namespace

void add_lsp(Command program, const std::string& name) {
  const auto [command, arguments] = program.add_command<AssembleArguments>(
      name, "language server for editors: diagnostics, names and clocks of assembly source", "gdr lsp -I macros",
      serve);
  arguments->add_source_options(command);
}

}  // namespace gdr::cli
