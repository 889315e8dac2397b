#include <fmt/format.h>

#include <charconv>

#include "command/command.h"
#include "gdr/assembler/assembler.h"
#include "gdr/assembler/explain_operation.h"
#include "gdr/base/names.h"
#include "gdr/base/nearest.h"

namespace gdr::cli {
namespace {

/// First line of a long text, "# E0123: not enough memory for the variables", without its mark.
std::string_view heading(std::string_view text) { return text.substr(2, text.find('\n') - 2); }

/// All diagnostics in one line each.
int list_all() {
  for (const unsigned number : assembler::diagnostic_numbers()) {
    fmt::print("{}\n", heading(*assembler::explain(number)));
  }
  fmt::print("\nWarnings also have names:");
  for (std::size_t n = 0; n < base::enumerators<assembler::Warning>(); ++n) {
    fmt::print(" {}", assembler::name_of(static_cast<assembler::Warning>(n)));
  }
  fmt::print("\nOperations:");
  for (const isa::OperationInfo& operation : isa::operations()) fmt::print(" {}", operation.mnemonic);
  fmt::print("\n\n'gdr explain E0123' shows a text with an example and its correction; it takes names as well.\n");
  return kSuccess;
}

/// The page docs/kernels/diagnostics.md: the same texts, after one another.
int print_page() {
  fmt::print(
      "# Diagnostics of the assembler\n\n"
      "Every message ends in a number, such as `[E0123]`, which stands for the same mistake in every version. For "
      "each\n"
      "number this page says what is wrong, and shows a source that gives it and the corrected source; the `kernel`\n"
      "line is left out. `gdr explain --markdown` prints the page, `gdr explain E0123` one text.\n"
      "[Warnings](warnings.md) tells how to choose among warnings.\n");
  for (const unsigned number : assembler::diagnostic_numbers()) {
    fmt::print("\n#{}", *assembler::explain(number));
  }
  return kSuccess;
}

struct ExplainOptions {
  std::string code;
  bool markdown = false;
};

int explain(const ExplainOptions& options) {
  const std::string& code = options.code;
  if (options.markdown) return print_page();
  if (code.empty()) return list_all();
  if (const auto warning = assembler::warning_named(code)) {
    fmt::print("{}\n", assembler::explain(*warning));
    return kSuccess;
  }
  if (const auto operation = isa::op_named(code)) {
    fmt::print("{}\n", assembler::explain(*operation));
    return kSuccess;
  }
  unsigned number = 0;
  const char* first = code.data() + (code.find_first_of("EeWw") == 0 ? 1 : 0);
  const char* last = code.data() + code.size();
  const auto [end, error] = std::from_chars(first, last, number);
  const auto text = error == std::errc() && end == last ? assembler::explain(number) : std::nullopt;
  if (!text) {
    const auto known = assembler::diagnostic_numbers();
    throw UsageError(
        fmt::format("there is no diagnostic {} (known: E{:04} to E{:04}, names of warnings and of operations){}", code,
                    known.front(), known.back(), base::did_you_mean(code, assembler::explained_names())));
  }
  fmt::print("{}\n", *text);
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
  command.add_flag("--markdown", options->markdown, "print the page docs/kernels/diagnostics.md").excludes(code);
}

}  // namespace gdr::cli
