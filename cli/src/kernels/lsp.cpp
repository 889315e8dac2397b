// `gdr lsp`: the language server on standard input and output.

#include <filesystem>

#include "command/assemble_arguments.h"
#include "command/command.h"
#include "gdr/commandline/message_input.h"
#include "gdr/compiler/for_editor.h"
#include "gdr/editor/server.h"

namespace gdr::cli {
namespace {

/// While the function is written, a short search for schedules is enough.
compiler::CompileOptions options_of(const AssembleArguments& arguments) {
  compiler::CompileOptions options;
  options.effort = 1;
  for (const std::string& definition : arguments.definitions) options.clang.push_back("-D" + definition);
  for (const std::string& directory : arguments.include_directories) options.clang.push_back("-I" + directory);
  return options;
}

int serve(const AssembleArguments& arguments) {
  editor::LanguageServer server(arguments.options(), commandline::send_message, [&](const std::filesystem::path& path) {
    return compiler::assembled_for_editor(path, options_of(arguments));
  });
  commandline::MessageInput input;
  while (const std::optional<std::string> message = input.next()) {
    if (!server.handle(*message)) break;
    if (input.is_empty()) server.settle();
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
