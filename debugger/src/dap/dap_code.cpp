#include "dap_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "gdr/base/error.h"
#include "gdr/debugger/commands.h"

namespace gdr::debugger {
namespace {

using nlohmann::json;

// Distance of the sections' first addresses. No section has as many lines.
constexpr std::uint64_t kSectionAddresses = 0x10000;
constexpr std::uint64_t kMostInstructions = 100000;  // of one request

std::vector<const CodeLine*> all_lines(const Debugger& debugger) {
  std::vector<const CodeLine*> lines;
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    for (const CodeLine& line : debugger.code(static_cast<isa::Section>(section))) lines.push_back(&line);
  }
  return lines;
}

}  // namespace

std::string address_of(isa::Section section, std::size_t line) {
  return fmt::format("{:#x}", static_cast<std::uint64_t>(section) * kSectionAddresses + line);
}

json breakpoint_locations(const Debugger& debugger, std::string_view file, std::uint64_t first, std::uint64_t last,
                          int lines_from) {
  json locations = json::array();
  for (const isa::SourcePosition& place : debugger.places_in(file)) {
    if (place.line < first || place.line > last) continue;
    locations.push_back({{"line", static_cast<std::int64_t>(place.line) - 1 + lines_from},
                         {"column", static_cast<std::int64_t>(place.column) - 1 + lines_from}});
  }
  return {{"breakpoints", std::move(locations)}};
}

json disassembled(const Debugger& debugger, std::string_view address, std::int64_t offset, std::uint64_t count,
                  int lines_from) {
  if (count > kMostInstructions) {
    throw Error(fmt::format("instructionCount = {} is refused: it must be 0 to {}", count, kMostInstructions));
  }
  const std::vector<const CodeLine*> lines = all_lines(debugger);
  const auto at = std::ranges::find_if(
      lines, [&](const CodeLine* line) { return address_of(line->section, line->line) == address; });
  if (at == lines.end()) throw Error(fmt::format("memoryReference = {} is refused: no line has this address", address));
  json instructions = json::array();
  std::int64_t number = (at - lines.begin()) + offset;
  for (std::uint64_t n = 0; n < count; ++n, ++number) {
    if (number < 0 || number >= static_cast<std::int64_t>(lines.size())) {
      // The answer has as many instructions as were asked for.
      instructions.push_back({{"address", "-1"}, {"instruction", ""}, {"presentationHint", "invalid"}});
      continue;
    }
    const CodeLine& line = *lines[static_cast<std::size_t>(number)];
    const isa::SourcePosition& place = line.places.front();
    json one{{"address", address_of(line.section, line.line)},
             {"instruction", line.text},
             {"line", static_cast<std::int64_t>(place.line) - 1 + lines_from},
             {"column", static_cast<std::int64_t>(place.column) - 1 + lines_from}};
    if (line.line == 0) one["symbol"] = isa::name_of(line.section);
    if (place.file < debugger.program().files.size()) {
      std::error_code none;
      const std::filesystem::path path = std::filesystem::absolute(debugger.program().files[place.file], none);
      one["location"] = {{"name", path.filename().string()}, {"path", path.string()}};
    }
    instructions.push_back(std::move(one));
  }
  return {{"instructions", std::move(instructions)}};
}

json completions(const Debugger& debugger, std::string_view text, std::size_t column, int columns_from) {
  const std::string_view before = text.substr(0, std::min(column, text.size()));
  const auto of_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '.';  // of a member
  };
  std::size_t begin = before.size();
  while (begin > 0 && of_word(before[begin - 1])) --begin;
  const std::string_view word = before.substr(begin);
  json targets = json::array();
  std::set<std::string> told;
  const auto add = [&](const std::string& label, const char* type) {
    if (!label.starts_with(word) || !told.insert(label).second) return;
    targets.push_back({{"label", label},
                       {"type", type},
                       {"start", static_cast<std::int64_t>(begin) + columns_from},
                       {"length", word.size()}});
  };
  if (before.find_first_not_of(' ') >= begin || before.empty()) {
    std::string_view help = command_help();
    while (!help.empty()) {
      const std::string_view line = help.substr(0, help.find('\n'));
      add(std::string(line.substr(0, line.find_first_of(" ,"))), "keyword");
      help.remove_prefix(std::min(line.size() + 1, help.size()));
    }
  }
  // A program in another language has variables of its own; the names in assembly are those of words.
  for (const isa::ComputedValue& value : debugger.program().values) add(value.name, "variable");
  for (const Symbol& symbol : debugger.symbols().all()) {
    const bool of_assembly = symbol.kind == SymbolKind::own || symbol.kind == SymbolKind::register_name;
    if (!of_assembly || debugger.program().values.empty()) add(symbol.name, "variable");
  }
  for (const std::string_view name : place_names()) add(std::string(name), "value");
  return {{"targets", std::move(targets)}};
}

}  // namespace gdr::debugger
