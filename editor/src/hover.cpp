// The text that is shown for the word under the pointer.
#include <fmt/format.h>

#include <algorithm>

#include "answers.h"
#include "gdr/assembler/explain_operation.h"
#include "gdr/base/data_file.h"
#include "gdr/isa/effects.h"

namespace gdr::editor {
namespace {

constexpr std::size_t kMostLinesTold = 8;  // for the lines that a macro or a repeat makes of one line
constexpr std::size_t kMostUsesTold = 4;
constexpr std::size_t kMostExpansionShown = 40;  // lines

/// Text for an operand that begins with `$`; empty if braces complete it or it is no register.
std::string register_text(std::string_view text) {
  text.remove_prefix(1);
  if (text == "peid" || text == "bbid") {
    return text == "peid" ? "Number of the PE in its block, 0 to 31, an integer."
                          : "Number of the block, 0 to 15, an integer.";
  }
  if (text.starts_with("ok") || text.starts_with("lok")) {
    return fmt::format(
        "Flag {}: one bit per vector element, taken from the result's sign, with `.z` from whether it is "
        "zero, with `.c` from its carry; the result is rounded to {}.",
        text.substr(text.find('k') + 1, 1), text.front() == 'l' ? "a long word" : "a short word");
  }
  const bool is_long = text.size() > 1 && text.front() == 'l';
  if (is_long) text.remove_prefix(1);
  const std::string_view width = is_long ? "long word (72 bits)" : "short word (36 bits)";
  if (text == "t" || text == "ti") {
    return fmt::format("T register, one word per vector element: {}.{}", is_long ? "all 72 bits" : "the upper 36 bits",
                       text == "ti" ? " The line before is claimed to have written it." : "");
  }
  std::size_t digits = 1;
  const bool indirect = text.size() > 1 && text[1] == 't';
  if (indirect) ++digits;
  std::size_t end = digits;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  if (end == digits || text.empty()) return "";
  std::string_view memory;
  if (text[0] == 'r') memory = "general-purpose register";
  if (text[0] == 'm') memory = "local memory";
  if (text[0] == 'b') memory = "broadcast memory";
  if (text[0] == 'j') memory = "broadcast memory, from the start of the current j-record";
  if (memory.empty()) return "";
  const bool vector = end < text.size() && text[end] == 'v';
  return fmt::format("{}: {} at short word {}{}{}.", memory, width, text.substr(digits, end - digits),
                     vector ? ", one for each vector element from there" : "",
                     indirect ? ", to which T is added as an integer" : "");
}

std::string_view memory_name(isa::Memory memory) {
  switch (memory) {
    case isa::Memory::gpr:
      return "registers";
    case isa::Memory::lm:
      return "local memory";
    case isa::Memory::bm:
      break;
  }
  return "broadcast memory";
}

/// The numbers of the host that a variable or a parameter takes, if they are fewer than travel.
std::string range_of(const isa::HostInteger& integer) {
  if (integer.is_any()) return "";
  return fmt::format(", whole numbers from {} to {}", integer.least(), integer.most());
}

/// Address that the assembler gave a variable or a parameter; empty if it is not known.
std::string placement_of(const Unit& unit, const std::string& name) {
  if (!unit.result.program) return "";
  for (const isa::Variable& variable : unit.result.program->variables) {
    if (variable.name != name) continue;
    const bool record = variable.transfer == isa::Transfer::elt;
    std::string travel;
    if (variable.conversion) travel = fmt::format(", {}", isa::info_of(*variable.conversion).name);
    travel += range_of(variable.integer);
    if (variable.reduction) travel += fmt::format(", reduced by {}", isa::info_of(*variable.reduction).mnemonic);
    if (variable.block != 0) travel += fmt::format(", of block {}", variable.block);
    return fmt::format("{} word{}, {}, {} {}from short word {}{}", name_of(variable.width),
                       variable.vector ? "s, one per vector element" : "",
                       variable.elements > 1 ? fmt::format("{} entries", variable.elements) : "one entry",
                       memory_name(variable.memory), record ? "of the j-record " : "", variable.address, travel);
  }
  for (const isa::Parameter& parameter : unit.result.program->parameters) {
    if (parameter.name == name) {
      return fmt::format("set by the host, {} unless it does{}; broadcast memory from short word {}",
                         parameter.default_value, range_of(parameter.integer), parameter.address);
    }
  }
  return "";
}

/// Text for a warning's name in a comment `# allow NAME`.
std::string warning_text(const At& at, const Token& comment) {
  std::string_view line = at.line_text();
  std::size_t begin = std::min(at.byte, line.size());
  std::size_t end = begin;
  const auto belongs = [](char c) { return is_word_character(c) || c == '-'; };
  while (begin > comment.begin && belongs(line[begin - 1])) --begin;
  while (end < line.size() && belongs(line[end])) ++end;
  const auto warning = assembler::warning_named(line.substr(begin, end - begin));
  if (!warning || comment.in(line).find("allow") == std::string_view::npos) return "";
  return assembler::explain(*warning);
}

std::string lines_text(const At& at) {
  const auto found = at.unit.code.find({at.file, at.line});
  if (found == at.unit.code.end()) return "";
  std::string text;
  for (std::size_t n = 0; n < std::min(found->second.size(), kMostLinesTold); ++n) {
    text += fmt::format("- {}\n", code_text(at.unit, found->second[n]));
  }
  if (found->second.size() > kMostLinesTold) {
    text += fmt::format("- and {} more\n", found->second.size() - kMostLinesTold);
  }
  return text;
}

/// For a line that uses a macro: the lines that it becomes, and how many clocks they take.
std::string expansion_text(const At& at) {
  const auto found = at.unit.uses.find({at.file, at.line});
  if (found == at.unit.uses.end()) return "";
  const std::vector<MacroUse>& uses = found->second;
  std::string text;
  for (std::size_t n = 0; n < std::min(uses.size(), kMostUsesTold); ++n) {
    text += fmt::format("- {}\n", use_text(uses[n]));
  }
  if (uses.size() > kMostUsesTold) text += fmt::format("- and {} more\n", uses.size() - kMostUsesTold);
  text += "\n```vsm\n";
  const std::vector<std::string>& lines = uses.front().texts;
  for (std::size_t n = 0; n < std::min(lines.size(), kMostExpansionShown); ++n) text += lines[n] + "\n";
  if (lines.size() > kMostExpansionShown) text += fmt::format("# and {} more\n", lines.size() - kMostExpansionShown);
  return text + "```\n";
}

}  // namespace

std::string use_text(const MacroUse& use) {
  const CodeLine& first = use.lines.front();
  const CodeLine& last = use.lines.back();
  if (use.lines.size() == 1) {
    return fmt::format("{}, line {}, clocks {} to {}", isa::name_of(first.section), first.number,
                       first.number * isa::kClocksPerLine, (first.number + 1) * isa::kClocksPerLine - 1);
  }
  return fmt::format("{}, lines {} to {}, clocks {} to {}: {} lines, {} clocks", isa::name_of(first.section),
                     first.number, last.number, first.number * isa::kClocksPerLine,
                     (last.number + 1) * isa::kClocksPerLine - 1, use.lines.size(),
                     use.lines.size() * isa::kClocksPerLine);
}

const Symbol* At::symbol() const {
  const Token* found = token();
  return found && found->symbol ? &unit.index.symbols()[*found->symbol] : nullptr;
}

bool comes_with_gdr(const Unit& unit, std::uint32_t file) {
  const std::filesystem::path path = unit.result.files[file].name;
  const auto own = base::find_data_file(std::filesystem::path("kernels/macros") / path.filename());
  return own && identity_of(*own) == identity_of(path);
}

std::string units_of(const isa::InstructionWord& word) {
  const isa::Effects effects = isa::effects(isa::decoded(word));
  std::string text;
  for (const isa::UnitInfo& unit : isa::units()) {
    if (!effects.busy(unit.unit)) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", unit.name);
  }
  return text.empty() ? "no unit" : text;
}

std::string code_text(const Unit& unit, const CodeLine& code) {
  const std::uint32_t first = code.number * isa::kClocksPerLine;
  std::string text = fmt::format("{}, line {}, clocks {} to {}: {}", isa::name_of(code.section), code.number, first,
                                 first + isa::kClocksPerLine - 1, units_of(code.word));
  const assembler::Analysis* analysis = unit.analysis();
  if (code.section != isa::Section::loop_body || !analysis || code.number >= analysis->body.size()) return text;
  const assembler::LineUse& use = analysis->body[code.number];
  std::string ports;
  for (const std::size_t port : use.ports) {
    ports += fmt::format("{}{}", ports.empty() ? "" : ", ", analysis->ports[port].name);
  }
  if (!ports.empty()) text += fmt::format("; takes {}", ports);
  text += fmt::format("; slack {}", use.slack);
  for (const assembler::HeldOperation& operation : use.operations) {
    text += fmt::format("; {}: {}", operation.operation, operation.text());
  }
  return text;
}

std::string description_of(const Unit& unit, const Symbol& symbol) {
  std::string text = fmt::format("**{}** `{}`\n\n```vsm\n", name_of(symbol.kind), symbol.name);
  for (const Place& place : symbol.declarations) {
    std::string_view line = unit.texts[place.file].line(place.line);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    text += fmt::format("{}\n", line);
  }
  text += "```\n";
  const bool placed = symbol.kind == SymbolKind::variable || symbol.kind == SymbolKind::parameter;
  if (const std::string where = placed ? placement_of(unit, symbol.name) : ""; !where.empty()) {
    text += fmt::format("\n{}\n", where);
  }
  return text;
}

json hover(const At& at) {
  const Token* token = at.token();
  std::string text;
  if (token && token->kind == TokenKind::comment) {
    text = warning_text(at, *token);
  } else if (const Symbol* symbol = at.symbol()) {
    text = description_of(at.unit, *symbol);
    if (symbol->kind == SymbolKind::macro) text += "\n" + expansion_text(at);
  } else {
    const std::string_view word = token ? token->in(at.line_text()) : std::string_view();
    if (token && token->kind == TokenKind::register_operand && !token->piece) text = register_text(word);
    if (const auto op = token && token->kind == TokenKind::mnemonic ? isa::op_named(word) : std::nullopt) {
      text = assembler::explain(*op);
    }
    const bool operand = !text.empty() && token->kind == TokenKind::register_operand;
    if (const std::string lines = operand ? "" : lines_text(at); !lines.empty()) {
      text += fmt::format("{}{}", text.empty() ? "" : "\n", lines);
    }
  }
  if (text.empty()) return nullptr;
  json answer{{"contents", {{"kind", "markdown"}, {"value", text}}}};
  if (token) answer["range"] = range_of(at.text(), at.line, token->begin, token->length);
  return answer;
}

}  // namespace gdr::editor
