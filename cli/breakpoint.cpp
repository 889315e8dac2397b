#include "breakpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "command.h"

namespace gdr::cli {
namespace {

using isa::LongWord;
using isa::Width;

std::optional<unsigned> number_from(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// A word as hex and as the number it is if it is a floating-point one.
std::string shown(LongWord word, Width width) {
  if (width == Width::long_word) {
    return fmt::format("{} {:.17g}", isa::to_hex(word), emulator::flt72to64(word).value);
  }
  return fmt::format("{} {:.9g}", isa::to_hex(word.upper()), emulator::flt36to64(word.upper()).value);
}

}  // namespace

DumpSelection parse_dump(const std::string& text, unsigned chips) {
  DumpSelection selection;
  std::set<unsigned>* current = nullptr;
  unsigned most = 0;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view part = std::string_view(text).substr(begin, end - begin);
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
        throw UsageError(fmt::format("--dump: '{}' is refused: it must be chip, block or pe", key));
      }
      part.remove_prefix(colon + 1);
    }
    const auto number = number_from(part);
    if (current == nullptr || !number || *number > most) {
      throw UsageError(fmt::format("--dump: '{}' is refused: expected numbers such as pe:3,17 (here 0 to {})", part,
                                   current == nullptr ? emulator::kPesPerBlock - 1 : most));
    }
    current->insert(*number);
  }
  if (selection.chips.empty()) selection.chips = {0};
  if (selection.blocks.empty()) selection.blocks = {0};
  if (selection.pes.empty()) selection.pes = {0};
  return selection;
}

Breakpoint::Breakpoint(Device& device, const std::string& place, DumpSelection selection, unsigned long at,
                       std::FILE* out)
    : program_(device.program()),
      machine_(device.inspect()),
      place_(place),
      selection_(std::move(selection)),
      at_(at),
      out_(out) {
  const std::size_t colon = place.rfind(':');
  const auto line = colon == std::string::npos ? std::nullopt : number_from(std::string_view(place).substr(colon + 1));
  if (!line) throw UsageError(fmt::format("--break: '{}' is refused: it must be FILE:LINE", place));
  const std::filesystem::path file = place.substr(0, colon);
  std::vector<emulator::Breakpoint> lines;  // the code lines of the source line
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    const std::vector<isa::ProgramLine> code = program_.lines(static_cast<isa::Section>(section));
    for (std::size_t n = 0; n < code.size(); ++n) {
      const std::filesystem::path source = program_.files[code[n].position.file];
      if (code[n].position.line == *line && (source == file || source.filename() == file)) {
        lines.push_back({static_cast<isa::Section>(section), n, {}});
      }
    }
  }
  if (lines.empty()) throw UsageError(fmt::format("--break: no code stands at {}", place));
  machine_.set_breakpoints(std::move(lines), [this](const emulator::Stop& stop) { stopped(stop); });
}

Breakpoint::~Breakpoint() { machine_.set_breakpoints({}, {}); }

void Breakpoint::stopped(const emulator::Stop& stop) {
  if (!selection_.chips.contains(stop.chip) || !selection_.blocks.contains(stop.block)) return;
  if (++executions_[{stop.chip, stop.block}] == at_) dump(stop);
}

unsigned long Breakpoint::executions() const {
  unsigned long most = 0;
  for (const auto& [block, count] : executions_) most = std::max(most, count);
  return most;
}

void Breakpoint::dump(const emulator::Stop& stop) const {
  for (const unsigned pe : selection_.pes) {
    fmt::print(out_, "{} execution {}, iteration {}: chip {} block {} PE {}, $jvalid {}\n", place_, at_, stop.iteration,
               stop.chip, stop.block, pe, stop.jvalid ? "true" : "false");
    const emulator::PeRegisters registers = machine_.registers(stop.chip, stop.block, pe);
    for (unsigned element = 0; element < isa::kVectorElements; ++element) {
      fmt::print(out_, "  $lt[{}] {}  flags", element, shown(registers.t[element], Width::long_word));
      for (unsigned flag = 1; flag <= isa::kFlags; ++flag) {
        fmt::print(out_, " {}", (registers.flags[element] >> (flag - 1)) & 1);
      }
      fmt::print(out_, "\n");
    }
    for (const isa::Variable& variable : program_.variables) {
      if (variable.memory == isa::Memory::bm) continue;
      const auto count = static_cast<std::uint16_t>(variable.elements * (variable.vector ? isa::kVectorElements : 1));
      const auto words =
          machine_.read_pe(stop.chip, stop.block, pe, {variable.memory, variable.address, variable.width, count});
      for (std::size_t n = 0; n < words.size(); ++n) {
        fmt::print(out_, "  {}[{}] {}\n", variable.name, n, shown(words[n], variable.width));
      }
    }
    const auto gpr =
        machine_.read_pe(stop.chip, stop.block, pe, {isa::Memory::gpr, 0, Width::long_word, isa::kGprShortWords / 2});
    for (std::size_t n = 0; n < gpr.size(); ++n) {
      if (gpr[n] != LongWord{}) fmt::print(out_, "  $lr{} {}\n", 2 * n, shown(gpr[n], Width::long_word));
    }
  }
}

}  // namespace gdr::cli
