#include "gdr/assembler/explain_operation.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"
#include "gdr/base/names.h"
#include "gdr/base/nearest.h"

namespace gdr::assembler {
namespace {

/// The form of its line, sources first: `fadd a b dst`.
std::string form_of(const isa::OperationInfo& info) {
  std::string form(info.mnemonic);
  constexpr std::string_view kSources[]{" a", " b"};
  for (unsigned n = 0; n < info.sources && n < 2; ++n) form += kSources[n];
  return info.has_destination ? form + " dst" : form;
}

/// First line of a long text, "# E0123: not enough memory for the variables", without its mark.
std::string_view heading(std::string_view text) { return text.substr(2, text.find('\n') - 2); }

}  // namespace

std::vector<std::string> explained_names() {
  std::vector<std::string> names;
  for (const unsigned number : diagnostic_numbers()) names.push_back(fmt::format("E{:04}", number));
  for (std::size_t n = 0; n < base::enumerators<Warning>(); ++n) {
    names.emplace_back(name_of(static_cast<Warning>(n)));
  }
  for (const isa::OperationInfo& operation : isa::operations()) names.emplace_back(operation.mnemonic);
  return names;
}

std::string explain(std::string_view name) {
  if (const auto warning = warning_named(name)) return explain(*warning) + "\n";
  if (const auto operation = isa::op_named(name)) return explain(*operation) + "\n";
  unsigned number = 0;
  const char* const first = name.data() + (name.find_first_of("EeWw") == 0 ? 1 : 0);
  const char* const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(first, last, number);
  const auto text = error == std::errc() && end == last ? explain(number) : std::nullopt;
  if (text) return *text + "\n";
  const std::vector<unsigned> known = diagnostic_numbers();
  throw Error(fmt::format("there is no diagnostic {} (known: E{:04} to E{:04}, names of warnings and of operations){}",
                          name, known.front(), known.back(), base::did_you_mean(std::string(name), explained_names())));
}

std::string list_of_explained() {
  std::string text;
  for (const unsigned number : diagnostic_numbers()) text += fmt::format("{}\n", heading(*explain(number)));
  text += "\nWarnings also have names:";
  for (std::size_t n = 0; n < base::enumerators<Warning>(); ++n) {
    text += fmt::format(" {}", name_of(static_cast<Warning>(n)));
  }
  text += "\nOperations:";
  for (const isa::OperationInfo& operation : isa::operations()) text += fmt::format(" {}", operation.mnemonic);
  return text + "\n\n'gdr explain E0123' shows a text with an example and its correction; it takes names as well.\n";
}

std::string page_of_diagnostics() {
  std::string text =
      "# Diagnostics of the assembler\n\n"
      "Every message ends in a number, such as `[E0123]`, which stands for the same mistake in every version. For "
      "each\n"
      "number this page says what is wrong, and shows a source that gives it and the corrected source; the `kernel`\n"
      "line is left out. `gdr explain --markdown` prints the page, `gdr explain E0123` one text.\n"
      "[Warnings](warnings.md) explains how to choose among warnings.\n";
  for (const unsigned number : diagnostic_numbers()) text += fmt::format("\n#{}", *explain(number));
  return text;
}

std::string explain(isa::Op operation) {
  const isa::OperationInfo& info = isa::info_of(operation);
  std::string text = fmt::format("# {}\n\n`{}`: {}\n", info.mnemonic, form_of(info), info.meaning);
  if (info.unit == isa::Unit::none) return text;
  const isa::UnitInfo& unit = isa::info_of(info.unit);
  text += fmt::format(
      "\nUnit: {}. A line takes {} clocks. The result can be read through T {} line later, and from registers and "
      "memories "
      "{} lines later.\n",
      unit.name, isa::kClocksPerLine, unit.forward_latency, unit.register_latency);
  if (info.second_source_is_short) text += "\nThe second source is a short word.\n";
  if (info.claims_adder) text += "\nIt also occupies the adder of its line.\n";
  if (info.half != isa::ProductHalf::none) {
    text +=
        fmt::format("\nIt is one half of a long product: the line {1} must contain `{0}` with the same operands.\n",
                    isa::info_of(info.other_half).mnemonic, info.half == isa::ProductHalf::first ? "after" : "before");
  }
  if (info.reduces)
    text += "\nThe nodes of the reduction tree can also execute it, so a result may be reduced by it (`rrn`).\n";
  return text;
}

}  // namespace gdr::assembler
