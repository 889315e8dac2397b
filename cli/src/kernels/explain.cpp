#include <fmt/format.h>

#include <charconv>

#include "command/command.h"
#include "gdr/assembler/assembler.h"
#include "gdr/assembler/explain_operation.h"

namespace gdr::cli {
namespace {

int explain(const std::string& code) {
  if (const auto warning = assembler::warning_named(code)) {
    fmt::print("{}\n", assembler::explain(*warning));
    return kSuccess;
  }
  if (const auto operation = isa::op_named(code)) {
    fmt::print("{}\n", assembler::explain(*operation));
    return kSuccess;
  }
  unsigned number = 0;
  const char* first = code.data() + (code.starts_with('E') || code.starts_with('W') ? 1 : 0);
  const char* last = code.data() + code.size();
  const auto [end, error] = std::from_chars(first, last, number);
  const auto text = error == std::errc() && end == last ? assembler::explain(number) : std::nullopt;
  if (!text) {
    const auto known = assembler::diagnostic_numbers();
    throw UsageError(
        fmt::format("there is no diagnostic {} (known: E{:04} to E{:04}, names of warnings and of operations)", code,
                    known.front(), known.back()));
  }
  fmt::print("{}\n", *text);
  return kSuccess;
}

}  // namespace

void add_explain(Command program, const std::string& name) {
  auto code = std::make_shared<std::string>();
  const Command command = program.add_command(name, "long text of a diagnostic of the assembler, or of an operation",
                                              "gdr explain E0123", [code] { return explain(*code); });
  command
      .add_option(
          "code", *code,
          "number of the diagnostic, such as E0123, name of a warning, such as unused, or operation, such as fadd")
      .required();
}

}  // namespace gdr::cli
