#include "gdr/assembler/disassemble.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "gdr/assembler/assembler.h"
#include "gdr/isa/effects.h"
#include "gdr/isa/experiment.h"
#include "gdr/isa/line.h"
#include "gdr/isa/named_registers.h"

namespace gdr::assembler {
namespace {

std::string declaration(const isa::Variable& variable) {
  std::string text = fmt::format("{} {} {} {}", variable.memory == isa::Memory::bm ? "bvar" : "var",
                                 variable.vector ? "vector" : "scalar", name_of(variable.width), variable.name);
  for (const std::uint16_t dimension : variable.dimensions) text += fmt::format("[{}]", dimension);
  if (variable.transfer == isa::Transfer::none && variable.conversion) {  // a result of experiments
    text += fmt::format(" {}", isa::name_of(isa::Transfer::rrn));
  }
  if (variable.transfer != isa::Transfer::none) text += fmt::format(" {}", isa::name_of(variable.transfer));
  if (variable.conversion) text += fmt::format(" {}", isa::info_of(*variable.conversion).name);
  if (!variable.integer.is_any()) text += fmt::format(" {}", name_of(variable.integer));
  if (variable.reduction) text += fmt::format(" {}", isa::info_of(*variable.reduction).mnemonic);
  if (variable.block != 0) text += fmt::format(" select {}", variable.block);
  if (variable.memory == isa::Memory::gpr) text += " in gpr";
  if (variable.packed) text += " packed";
  return text;
}

/// ` block 3`, ` block each`, or nothing.
std::string text_of(const isa::BlockChoice& blocks) {
  switch (blocks.kind) {
    case isa::BlockChoice::Kind::reduced:
      break;
    case isa::BlockChoice::Kind::one:
      return fmt::format(" block {}", blocks.block);
    case isa::BlockChoice::Kind::each:
      return " block each";
  }
  return {};
}

/// `collect c[1] block each not_first`. A collect names whole leading subscripts, so they follow from the number of its
/// entries.
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
  return text + text_of(collect.blocks) + (collect.not_first ? " not_first" : "");
}

/// Adds names for the words of `variable`: for whole entries, and for the elements of vectors.
void add_names(const isa::Variable& variable, isa::RegisterNames& names) {
  if (variable.memory == isa::Memory::bm) return;
  const std::string_view prefix = variable.memory == isa::Memory::gpr ? isa::kGprPrefix : isa::kLmPrefix;
  const unsigned word = isa::short_words(variable.width);
  const unsigned entry_words = word * (variable.vector ? isa::kVectorElements : 1);
  for (unsigned entry = 0; entry < variable.elements; ++entry) {
    std::string name = variable.name;
    unsigned below = variable.elements;
    unsigned rest = entry;
    for (const std::uint16_t dimension : variable.dimensions) {
      below /= dimension;
      name += fmt::format("[{}]", rest / below);
      rest %= below;
    }
    const auto add = [&](unsigned address, bool vector, const std::string& text) {
      names[isa::register_text(prefix, static_cast<std::uint16_t>(address), variable.width, vector)] = text;
    };
    const unsigned address = variable.address + entry * entry_words;
    add(address, variable.vector, name);
    for (unsigned element = 0; variable.vector && element < isa::kVectorElements; ++element) {
      add(address + element * word, false, fmt::format("{}[{}]", name, element));
    }
  }
}

/// The results that a line of the loop body writes whatever $jvalid says, as those do that `--pipeline` put under a
/// flag. An assembler puts every other write to a result under it.
isa::AlwaysWritten always_written(const isa::Program& program, const isa::Line& line) {
  const auto ungated = [&](const isa::WritePort& port, isa::Memory memory, isa::Role role) {
    if (port.source == isa::Unit::none || port.predicate.jvalid) return false;
    const isa::Effects effects = isa::effects(line);
    return std::any_of(effects.writes().begin(), effects.writes().end(), [&](const isa::Access& write) {
      if (write.role != role) return false;
      const isa::WordRange words = isa::extent_of(write, line.vlen);
      return std::any_of(program.variables.begin(), program.variables.end(), [&](const isa::Variable& variable) {
        if (variable.transfer != isa::Transfer::rrn || variable.memory != memory) return false;
        const unsigned length =
            variable.elements * isa::short_words(variable.width) * (variable.vector ? isa::kVectorElements : 1);
        return words.meets({variable.address, variable.address + length});
      });
    });
  };
  return {ungated(line.gpr_write, isa::Memory::gpr, isa::Role::gpr_write),
          ungated(line.lm_write, isa::Memory::lm, isa::Role::lm_write)};
}

/// Source of a program. `heading` is put after the kernel's name.
std::string source_of(const isa::Program& program, std::string_view heading, const isa::RegisterNames& names) {
  std::string out =
      fmt::format("kernel {}{}{}\n", program.kernel, isa::is_experiment(program) ? " experiment" : "", heading);
  if (program.flops != 0) out += fmt::format("flops {}\n", program.flops);
  for (const isa::Variable& variable : program.variables) out += fmt::format("{}\n", declaration(variable));
  for (const isa::Parameter& parameter : program.parameters) {
    out += fmt::format("param {} : {} {}{} = {}\n", parameter.name, name_of(parameter.width),
                       isa::info_of(parameter.conversion).name,
                       parameter.integer.is_any() ? "" : " " + name_of(parameter.integer), parameter.default_value);
  }
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    if (program.sections[section].empty()) continue;
    out += fmt::format("{}\n", isa::name_of(static_cast<isa::Section>(section)));
    const bool body = static_cast<isa::Section>(section) == isa::Section::loop_body;
    const isa::Visitor text{[&](const isa::ProgramLine& word) {
                              const isa::Line line = isa::decoded(word.word);
                              return isa::print(line, names,
                                                body ? always_written(program, line) : isa::AlwaysWritten());
                            },
                            [](const isa::TransferStep& transfer) { return std::string(transfer.kName); },
                            [&](const isa::CollectStep& collect) { return statement(program, collect); }};
    for (const isa::Step& step : program.sections[section]) out += fmt::format("  {}\n", std::visit(text, step));
  }
  return out;
}

}  // namespace

std::string disassemble(const isa::Program& program) { return source_of(program, "", {}); }

std::string disassemble_with_names(const isa::Program& program) {
  isa::RegisterNames names;
  for (const isa::Variable& variable : program.variables) add_names(variable, names);
  std::string source = source_of(program, "", names);
  std::set<std::string_view> told;
  for (const Diagnostic& diagnostic : assemble(source, program.kernel).diagnostics) {
    if (diagnostic.warning) told.insert(name_of(*diagnostic.warning));
  }
  if (told.empty()) return source;
  return source_of(program, fmt::format("  # allow {}", fmt::join(told, ", ")), names);
}

}  // namespace gdr::assembler
