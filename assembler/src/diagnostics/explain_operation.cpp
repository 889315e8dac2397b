#include "gdr/assembler/explain_operation.h"

#include <fmt/format.h>

#include <string_view>

#include "gdr/assembler/assembler.h"
#include "gdr/base/names.h"

namespace gdr::assembler {
namespace {

/// The form of its line, sources first: `fadd a b dst`.
std::string form_of(const isa::OperationInfo& info) {
  std::string form(info.mnemonic);
  constexpr std::string_view kSources[]{" a", " b"};
  for (unsigned n = 0; n < info.sources && n < 2; ++n) form += kSources[n];
  return info.has_destination ? form + " dst" : form;
}

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
