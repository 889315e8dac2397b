#include "command/command.h"
#include "gdr/assembler/explain_operation.h"

namespace gdr::cli {
namespace {

struct ExplainOptions {
  std::string code;
  bool markdown = false;
};

int explain(const ExplainOptions& options) {
  write_text("-", options.markdown       ? assembler::page_of_diagnostics()
                  : options.code.empty() ? assembler::list_of_explained()
                                         : from_command_line("", [&] { return assembler::explain(options.code); }));
  return kSuccess;
}

}  // namespace

void add_explain(Command program, const std::string& name) {
  const auto [command, options] = program.add_command<ExplainOptions>(
      name, "explain a diagnostic of the assembler, or an operation", "gdr explain E0123", explain);
  const Option code = command.add_option(
      "code", options->code,
      "number of the diagnostic, such as E0123, name of a warning, such as unused, or operation, such as fadd; without "
      "it, a list of all");
  command.add_flag("--markdown", options->markdown).excludes(code);
}

}  // namespace gdr::cli
