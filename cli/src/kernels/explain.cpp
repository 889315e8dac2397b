#include <fmt/format.h>

#include <charconv>

#include "command/command.h"
#include "gdr/assembler/assembler.h"
#include "gdr/assembler/explain_operation.h"
#include "gdr/base/names.h"
#include "gdr/base/nearest.h"

namespace gdr::cli {
namespace {

/// All that explain() takes.
std::vector<std::string> known_codes() {
  std::vector<std::string> known;
  for (const unsigned number : assembler::diagnostic_numbers()) known.push_back(fmt::format("E{:04}", number));
  for (std::size_t n = 0; n < base::enumerators<assembler::Warning>(); ++n) {
    known.emplace_back(assembler::name_of(static_cast<assembler::Warning>(n)));
  }
  for (const isa::OperationInfo& operation : isa::operations()) known.emplace_back(operation.mnemonic);
  return known;
}

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
  const char* first = code.data() + (code.find_first_of("EeWw") == 0 ? 1 : 0);
  const char* last = code.data() + code.size();
  const auto [end, error] = std::from_chars(first, last, number);
  const auto text = error == std::errc() && end == last ? assembler::explain(number) : std::nullopt;
  if (!text) {
    const auto known = assembler::diagnostic_numbers();
    throw UsageError(
        fmt::format("there is no diagnostic {} (known: E{:04} to E{:04}, names of warnings and of operations){}", code,
                    known.front(), known.back(), base::did_you_mean(code, known_codes())));
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
