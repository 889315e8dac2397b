#include "gdr/assembler/listing.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <optional>
#include <vector>

#include "analysis/analysis_source.h"
#include "gdr/isa/effects.h"
#include "gdr/isa/loop_bound.h"
#include "gdr/isa/waiting_line.h"

namespace gdr::assembler {
namespace {

constexpr double kElementsPerChip = double{isa::kBlocks} * isa::kPesPerBlock * isa::kVectorElements;
// The board of the published figures: Koike et al. 2009, section 4.2 (DGEMM and HPL).
constexpr double kChips = 4;
constexpr double kClockMHz = 400;

/// Width of line number, clock, units and word with what stands between them.
constexpr std::size_t kMovedColumn = 2 + 4 + 1 + 6 + 2 + 4 + 2 + isa::kInstructionBits / 4 + 2;

std::string hex_of(const isa::InstructionWord& word) {
  std::string text;
  for (auto part = word.parts.rbegin(); part != word.parts.rend(); ++part) text += fmt::format("{:016x}", *part);
  return text;
}

std::string_view name_of(isa::Memory memory) {
  switch (memory) {
    case isa::Memory::gpr:
      return "gpr";
    case isa::Memory::lm:
      return "lm";
    case isa::Memory::bm:
      break;
  }
  return "bm";
}

void list_layout(std::string& out, const isa::Program& program) {
  out += "data (addresses in short words; of elt variables from the start of the j-record)\n";
  for (const isa::Variable& variable : program.variables) {
    std::string dimensions;
    for (const std::uint16_t dimension : variable.dimensions) dimensions += fmt::format("[{}]", dimension);
    std::string travel(isa::name_of(variable.transfer));
    if (variable.transfer == isa::Transfer::none && variable.conversion) {  // a result of experiments
      travel = isa::name_of(isa::Transfer::rrn);
    }
    if (variable.conversion) travel += fmt::format(" {}", isa::info_of(*variable.conversion).name);
    if (variable.reduction) travel += fmt::format(" {}", isa::info_of(*variable.reduction).mnemonic);
    if (variable.block != 0) travel += fmt::format(" select {}", variable.block);
    const std::string line =
        fmt::format("  {:<4}{:>5}  {:<7}{:<6}{:<7}{}{}", name_of(variable.memory), variable.address,
                    variable.vector ? "vector" : "scalar", name_of(variable.width), variable.packed ? "packed" : "",
                    variable.name, dimensions);
    out += travel.empty() ? fmt::format("{}\n", line) : fmt::format("{:<48} {}\n", line, travel);
  }
  for (const isa::Parameter& parameter : program.parameters) {
    const std::string line = fmt::format("  {:<4}{:>5}  {:<7}{:<6}{:<7}{}", "bm", parameter.address, "param",
                                         name_of(parameter.width), "", parameter.name);
    out += fmt::format("{:<48} {} = {}\n", line, isa::info_of(parameter.conversion).name, parameter.default_value);
  }
  out += fmt::format("  j-record: {} long words\n", program.record_words);
}

/// ` from block 3`, ` from each block`, or nothing.
std::string from_blocks(const isa::BlockChoice& blocks) {
  switch (blocks.kind) {
    case isa::BlockChoice::Kind::reduced:
      break;
    case isa::BlockChoice::Kind::one:
      return fmt::format(" from block {}", blocks.block);
    case isa::BlockChoice::Kind::each:
      return " from each block";
  }
  return {};
}

void list_section(std::string& out, const isa::Program& program, isa::Section section,
                  const std::vector<std::vector<std::string_view>>& sources) {
  const std::vector<isa::Step>& steps = program.steps(section);
  if (steps.empty()) return;
  out += fmt::format("\n{}\n", isa::name_of(section));
  std::size_t index = 0;  // of the next line
  const std::vector<isa::ProgramLine> lines = program.lines(section);
  const auto source_at = [&](const isa::SourcePosition& at) -> std::optional<std::string> {
    if (const std::string* expanded = program.expanded_text(at)) return *expanded;
    if (at.file >= sources.size() || at.line - 1 >= sources[at.file].size()) return std::nullopt;
    return std::string(sources[at.file][at.line - 1]);
  };
  const auto name_of_file = [&](const isa::SourcePosition& at) {
    return at.file < program.files.size() ? std::string_view(program.files[at.file]) : "?";
  };
  const auto list_line = [&](const isa::ProgramLine& coded) {
    const auto& [word, position] = coded;
    const isa::Line line = isa::decoded(word);
    const std::string source = isa::is_waiting(lines, index)
                                   ? std::string(isa::kWaits)
                                   : fmt::format("{}:{}: {}", name_of_file(position), position.line,
                                                 source_at(position).value_or(isa::print(line)));
    out += fmt::format("  {:>4} {:>6}  {}  {}  {}\n", index, index * isa::kClocksPerLine, occupancy(line), hex_of(word),
                       source);
    for (const isa::MovedOperation& operation : program.moved_into(section, index)) {
      const isa::SourcePosition& other = operation.position;
      out += fmt::format("{:>{}}{}:{}: {}\n", "+ ", kMovedColumn, name_of_file(other), other.line,
                         source_at(other).value_or(""));
    }
    ++index;
  };
  const auto list_move = [&](const std::string& text) {
    out += fmt::format("  {:>4} {:>6}  {}\n", "", index * isa::kClocksPerLine, text);
  };
  const isa::Visitor list{list_line, [&](const isa::TransferStep& transfer) { list_move(std::string(transfer.kName)); },
                          [&](const isa::CollectStep& collect) {
                            list_move(fmt::format("{} {} words of {}{}{}", collect.kName, collect.words_out(),
                                                  program.variables[collect.variable].name, from_blocks(collect.blocks),
                                                  collect.not_first ? ", not in the first iteration" : ""));
                          }};
  for (const isa::Step& step : steps) std::visit(list, step);
}

void list_summary(std::string& out, const isa::Program& program) {
  out += "\nsummary\n";
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    out += fmt::format("  {:<22}{:>5} lines\n", isa::name_of(static_cast<isa::Section>(section)),
                       program.lines(static_cast<isa::Section>(section)).size());
  }
  std::array<unsigned, isa::kUnits + 1> busy{};
  for (const isa::ProgramLine& code : program.lines(isa::Section::loop_body)) {
    const isa::Effects effects = isa::effects(isa::decoded(code.word));
    for (const isa::UnitInfo& info : isa::units()) {
      if (effects.busy(info.unit)) ++busy[static_cast<std::size_t>(info.unit)];
    }
  }
  const isa::LoopBound bound = isa::loop_bound(program);
  out += "  busy lines of the body:";
  for (const isa::UnitInfo& unit : isa::units()) {
    out += fmt::format(" {} {}", unit.name, busy[static_cast<std::size_t>(unit.unit)]);
  }
  out += fmt::format("\n  clocks per iteration: {}, bound by {} (lines {}, idp {}, bm {}, odp {})\n", bound.clocks(),
                     bound.bound(), bound.line_clocks, bound.idp_clocks, bound.bm_clocks, bound.odp_clocks);
  if (program.flops > 0 && bound.clocks() > 0) {
    const double per_clock = program.flops * kElementsPerChip / static_cast<double>(bound.clocks());
    out += fmt::format("  peak: {:.6g} flops per clock and chip; {:.6g} Gflops with {} chips at {} MHz\n", per_clock,
                       per_clock * kChips * kClockMHz / 1000, kChips, kClockMHz);
  }
}

}  // namespace

std::string listing(const isa::Program& program, std::span<const SourceFile> files) {
  std::vector<std::vector<std::string_view>> sources;
  for (const SourceFile& file : files) sources.push_back(trimmed_lines(file.text));
  std::string out = fmt::format("kernel {}\n\n", program.kernel);
  list_layout(out, program);
  out += "\n  line  clock  unit  word, source (units: A adder, a adder of fmull, M multiplier, I integer, r/w BM)\n";
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    list_section(out, program, static_cast<isa::Section>(section), sources);
  }
  list_summary(out, program);
  return out;
}

}  // namespace gdr::assembler
