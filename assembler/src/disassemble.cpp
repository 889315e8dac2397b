#include "gdr/assembler/disassemble.h"

#include <fmt/format.h>

#include "gdr/isa/line.h"

namespace gdr::assembler {
namespace {

std::string_view name_of(isa::Width width) { return width == isa::Width::long_word ? "long" : "short"; }

std::string declaration(const isa::Variable& variable) {
  std::string text = fmt::format("{} {} {} {}", variable.memory == isa::Memory::bm ? "bvar" : "var",
                                 variable.vector ? "vector" : "scalar", name_of(variable.width), variable.name);
  for (const std::uint16_t dimension : variable.dimensions) text += fmt::format("[{}]", dimension);
  if (variable.transfer != isa::Transfer::none) text += fmt::format(" {}", isa::name_of(variable.transfer));
  if (variable.conversion) text += fmt::format(" {}", isa::info_of(*variable.conversion).name);
  if (variable.reduction) text += fmt::format(" {}", isa::info_of(*variable.reduction).mnemonic);
  if (variable.memory == isa::Memory::gpr) text += " in gpr";
  if (variable.packed) text += " packed";
  return text;
}

/// `collect c[1] not_first`. A collect names whole leading subscripts, so its entries say which.
std::string statement(const isa::Program& program, const isa::CollectStep& collect) {
  const isa::Variable& variable = program.variables[collect.variable];
  std::string text = fmt::format("{} {}", collect.kName, variable.name);
  unsigned first = collect.first;
  unsigned below = variable.elements;
  for (const std::uint16_t dimension : variable.dimensions) {
    if (below == collect.entries) break;
    below /= dimension;
    text += fmt::format("[{}]", first / below);
    first %= below;
  }
  return text + (collect.not_first ? " not_first" : "");
}

}  // namespace

std::string disassemble(const isa::Program& program) {
  std::string out = fmt::format("kernel {}\n", program.kernel);
  if (program.flops != 0) out += fmt::format("flops {}\n", program.flops);
  for (const isa::Variable& variable : program.variables) out += fmt::format("{}\n", declaration(variable));
  for (const isa::Parameter& parameter : program.parameters) {
    out += fmt::format("param {} : {} {} = {}\n", parameter.name, name_of(parameter.width),
                       isa::info_of(parameter.conversion).name, parameter.default_value);
  }
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    if (program.sections[section].empty()) continue;
    out += fmt::format("{}\n", isa::name_of(static_cast<isa::Section>(section)));
    const isa::Visitor text{[](const isa::ProgramLine& line) { return isa::print(isa::decoded(line.word)); },
                            [](const isa::TransferStep& transfer) { return std::string(transfer.kName); },
                            [&](const isa::CollectStep& collect) { return statement(program, collect); }};
    for (const isa::Step& step : program.sections[section]) out += fmt::format("  {}\n", std::visit(text, step));
  }
  return out;
}

}  // namespace gdr::assembler
