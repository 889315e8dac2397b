#include "gdr/debugger/dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace gdr::debugger {
namespace {

std::optional<unsigned> number_from(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Numbers, then bits; for a vector those of its four elements.
std::string shown(const Debugger& debugger, const Symbol& symbol, unsigned entry) {
  std::string numbers;
  std::string bits;
  for (unsigned element = 0; element < (symbol.vector ? isa::kVectorElements : 1); ++element) {
    const WordPlace place = symbol.word(entry, element);
    const isa::LongWord word = debugger.word(place);
    numbers += " " + text_of(word, place.width, symbol.type(), Format::natural);
    if (symbol.storage != isa::Storage::flag) bits += " " + text_of(word, place.width, false, Format::hex);
  }
  return fmt::format("  {}{}{}{}\n", symbol.entry_name(entry), numbers, bits.empty() ? "" : " ", bits);
}

/// The GPR words without a name.
std::string unnamed_gpr(const Debugger& debugger) {
  std::set<unsigned> named;
  for (const Symbol& symbol : debugger.symbols().all()) {
    if (symbol.storage != isa::Storage::gpr) continue;
    const unsigned words = isa::short_words(symbol.width) * (symbol.vector ? isa::kVectorElements : 1) * symbol.entries;
    for (unsigned n = 0; n < words; ++n) named.insert(symbol.address + n);
  }
  std::string text;
  for (unsigned address = 0; address < isa::kGprShortWords; address += 2) {
    if (named.contains(address) && named.contains(address + 1)) continue;
    const isa::LongWord word = debugger.word({isa::Storage::gpr, address, isa::Width::long_word, 0});
    if (word == isa::LongWord{}) continue;
    text += fmt::format("  $lr{} {}  {}\n", address, text_of(word, isa::Width::long_word, true, Format::natural),
                        isa::to_hex(word));
  }
  return text + "  GPR words that are not shown are 0\n";
}

std::string state_of_pe(const Debugger& debugger) {
  std::string text;
  for (const Symbol& symbol : debugger.symbols().all()) {
    // Outside the loop body there is no j-record.
    const bool in_body = debugger.position() && debugger.position()->section == isa::Section::loop_body;
    if (symbol.storage == isa::Storage::record && !in_body) continue;
    for (unsigned entry = 0; entry < symbol.entries; ++entry) text += shown(debugger, symbol, entry);
  }
  return text + unnamed_gpr(debugger);
}

}  // namespace

DumpSelection parse_dump(std::string_view text, unsigned chips) {
  DumpSelection selection;
  std::set<unsigned>* current = nullptr;
  unsigned most = 0;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    begin = end + 1;
    if (const std::size_t colon = part.find(':'); colon != std::string_view::npos) {
      const std::string_view key = part.substr(0, colon);
      if (key == "chip") {
        current = &selection.chips;
        most = chips - 1;
      } else if (key == "block") {
        current = &selection.blocks;
        most = emulator::kBlocks - 1;
      } else if (key == "pe") {
        current = &selection.pes;
        most = emulator::kPesPerBlock - 1;
      } else {
        throw Error(fmt::format("'{}' is refused: it must be chip, block or pe", key));
      }
      part.remove_prefix(colon + 1);
    }
    const auto number = number_from(part);
    if (current == nullptr || !number || *number > most) {
      throw Error(fmt::format("'{}' is refused: expected numbers such as pe:3,17 (here 0 to {})", part,
                              current == nullptr ? emulator::kPesPerBlock - 1 : most));
    }
    current->insert(*number);
  }
  if (selection.chips.empty()) selection.chips = {0};
  if (selection.blocks.empty()) selection.blocks = {0};
  if (selection.pes.empty()) selection.pes = {0};
  return selection;
}

std::string dump_at(Debugger& debugger, std::string_view place, const std::vector<CodeLine>& lines,
                    const DumpSelection& selection, std::uint64_t at) {
  std::string text;
  std::uint64_t most = 0;
  for (const unsigned chip : selection.chips) {
    for (const unsigned block : selection.blocks) {
      debugger.go_to_begin();
      debugger.set_focus({chip, block, 0, 0});
      const std::uint64_t executions = debugger.executions(lines);
      most = std::max(most, executions);
      if (executions < at) continue;
      try {
        debugger.go_to_execution(lines, at);
      } catch (const emulator::Fault&) {
        return text;
      }
      for (const unsigned pe : selection.pes) {
        debugger.set_focus({chip, block, pe, 0});
        text += fmt::format("{} execution {}, iteration {}: chip {} block {} PE {}, $jvalid {}\n", place, at,
                            debugger.position()->iteration, chip, block, pe, debugger.jvalid() ? "true" : "false");
        text += state_of_pe(debugger);
      }
    }
  }
  if (most < at) throw Error(fmt::format("{} was executed {} times, never {}", place, most, at));
  return text;
}

}  // namespace gdr::debugger
