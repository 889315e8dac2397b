// `gdr lsp`: the language server on standard input and output.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "command/assemble_arguments.h"
#include "command/command.h"
#include "gdr/base/message_framing.h"
#include "gdr/editor/server.h"

namespace gdr::cli {
namespace {

int serve(const AssembleArguments& arguments) {
  editor::LanguageServer server(arguments.options(), [](std::string_view message) {
    fmt::print("{}", base::framed(message));
    std::fflush(stdout);
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
  auto arguments = std::make_shared<AssembleArguments>();
  const Command command =
      program.add_command(name, "language server for editors: diagnostics, names and clocks of assembly source",
                          "gdr lsp -I macros", [arguments] { return serve(*arguments); });
  arguments->add_source_options(command);
}

}  // namespace gdr::cli
