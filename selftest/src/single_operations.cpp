#include "gdr/selftest/single_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "gdr/emulator/arithmetic.h"
#include "gdr/emulator/chip.h"
#include "gdr/isa/program.h"

namespace gdr::selftest {
namespace {

using emulator::PeWords;
using isa::kVectorElements;
using isa::Line;
using isa::LongWord;
using isa::Op;
using isa::Source;
using isa::Unit;
using isa::Width;

struct Operand {
  Width width = Width::long_word;
  LongWord word;
};

/// True for floating-point operations that have a result of their own.
bool evaluates(const isa::OperationInfo& info) {
  return info.computes() && info.kind == isa::NumberKind::floating_point;
}

std::optional<Operand> parse_operand(std::string_view text) {
  if (const auto word = isa::parse_long(text)) return Operand{Width::long_word, *word};
  if (const auto word = isa::parse_short(text)) return Operand{Width::short_word, widen(*word)};
  return std::nullopt;
}

class Scalar final : public FpEvaluator {
 public:
  std::vector<LongWord> evaluate(std::span<const FpOperation> operations) override {
    std::vector<LongWord> results;
    results.reserve(operations.size());
    for (const FpOperation& operation : operations) {
      const FpKind& kind = operation.kind;
      results.push_back(emulator::compute(kind.op, operation.a, operation.b, kind.destination).value);
    }
    return results;
  }
};

// GPR of a PE: four words of a, of b and of the result; addresses are in short words.
constexpr std::uint16_t kA = 0;
constexpr std::uint16_t kB = 8;
constexpr std::uint16_t kResult = 16;

/// A program with one operation on vectors of four, in the section that a run without records executes once.
isa::Program program_of(const FpKind& kind) {
  Line line;
  line.vlen = kVectorElements;
  line.gpr_a = {kA, kind.a, true, false};
  const isa::OperationInfo& info = isa::info_of(kind.op);
  const Unit unit = info.unit;
  isa::Slot& slot = isa::slot_of(line, unit);
  slot.op = kind.op;
  slot.a = Source::gpr_a;
  if (info.sources == 2) {
    line.gpr_b = {kB, kind.b, true, false};
    slot.b = Source::gpr_b;
  }
  slot.width = kind.destination;
  line.gpr_write.source = unit;
  line.gpr_write.address = kResult;
  line.gpr_write.vector = true;

  isa::Program program;
  program.kernel = "fp_eval";
  std::vector<isa::Step>& steps = program.steps(isa::Section::loop_initialization);
  if (info.half == isa::ProductHalf::second) {
    Line high = line;
    isa::slot_of(high, unit).op = info.other_half;
    isa::slot_of(high, unit).width = Width::short_word;  // it has no result
    high.gpr_write = {};
    steps.emplace_back(isa::ProgramLine{isa::encode(high), {}});
  }
  steps.emplace_back(isa::ProgramLine{isa::encode(line), {}});
  return program;
}

class OnChip final : public FpEvaluator {
 public:
  std::vector<LongWord> evaluate(std::span<const FpOperation> operations) override {
    std::map<FpKind, std::vector<std::size_t>> by_kind;
    for (std::size_t n = 0; n < operations.size(); ++n) by_kind[operations[n].kind].push_back(n);
    std::vector<LongWord> results(operations.size());
    for (const auto& [kind, indices] : by_kind) {
      chip_->load(program_of(kind));
      for (std::size_t first = 0; first < indices.size(); first += kPairs) {
        const auto some = std::span(indices).subspan(first, std::min(kPairs, indices.size() - first));
        run(kind, operations, some, results);
      }
    }
    return results;
  }

 private:
  static constexpr std::size_t kPairs = std::size_t{emulator::kBlocks} * emulator::kPesPerBlock * kVectorElements;

  void run(const FpKind& kind, std::span<const FpOperation> operations, std::span<const std::size_t> indices,
           std::vector<LongWord>& results) {
    const auto words = [&](std::uint16_t address, Width width) {
      return PeWords{isa::Memory::gpr, address, width, kVectorElements};
    };
    const std::size_t pes = (indices.size() + kVectorElements - 1) / kVectorElements;
    const auto block_of = [](std::size_t pe) { return static_cast<unsigned>(pe / emulator::kPesPerBlock); };
    const auto pe_in_block = [](std::size_t pe) { return static_cast<unsigned>(pe % emulator::kPesPerBlock); };
    const auto elements = [&](std::size_t pe) {
      return indices.subspan(pe * kVectorElements,
                             std::min<std::size_t>(kVectorElements, indices.size() - pe * kVectorElements));
    };
    for (std::size_t pe = 0; pe < pes; ++pe) {
      std::array<LongWord, kVectorElements> a{};
      std::array<LongWord, kVectorElements> b{};
      const auto mine = elements(pe);
      for (std::size_t n = 0; n < mine.size(); ++n) {
        a[n] = operations[mine[n]].a;
        b[n] = operations[mine[n]].b;
      }
      chip_->write_pe(block_of(pe), pe_in_block(pe), words(kA, kind.a), a);
      chip_->write_pe(block_of(pe), pe_in_block(pe), words(kB, kind.b), b);
    }
    chip_->run_loop({0, block_of(pes - 1) + 1}, {});
    for (std::size_t pe = 0; pe < pes; ++pe) {
      const auto out = chip_->read_pe(block_of(pe), pe_in_block(pe), words(kResult, kind.destination));
      const auto mine = elements(pe);
      for (std::size_t n = 0; n < mine.size(); ++n) results[mine[n]] = out[n];
    }
  }

  std::unique_ptr<emulator::Chip> chip_ = emulator::make_simd_chip();
};

}  // namespace

std::string operation_names() {
  std::string names;
  for (const isa::OperationInfo& info : isa::operations()) {
    if (evaluates(info)) names += fmt::format("{}{}", names.empty() ? "" : ", ", info.function);
  }
  return names;
}

std::optional<FpOperation> parse_operation(std::string_view line, std::string& error) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  const std::string name = words.empty() ? "" : words[0];
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  const std::string_view suffix = std::string_view(name).substr(dot);
  const auto operations = isa::operations();
  const auto info = std::ranges::find_if(operations, [&](const isa::OperationInfo& known) {
    return evaluates(known) && known.function == std::string_view(name).substr(0, dot);
  });
  if (info == operations.end() || (suffix != ".l" && suffix != ".s")) {
    error = fmt::format("'{}' is refused: it must be one of {}, with .l or .s", name, operation_names());
    return std::nullopt;
  }
  if (words.size() != 1u + info->sources) {
    error = fmt::format("'{}' is refused: {} takes {} operand{}", line, info->function, info->sources,
                        info->sources == 1 ? "" : "s");
    return std::nullopt;
  }
  std::array<Operand, 2> operands{};
  for (std::size_t n = 0; n < info->sources; ++n) {
    const std::string& text = words[n + 1];
    const auto operand = parse_operand(text);
    if (!operand) {
      error = fmt::format("operand '{}' is refused: it must be 18 or 9 hex digits", text);
      return std::nullopt;
    }
    if (info->second_source_is_short && n == 1 && operand->width != Width::short_word) {
      error =
          fmt::format("operand '{}' is refused: the second operand of {} is short, 9 hex digits", text, info->function);
      return std::nullopt;
    }
    if (info->half == isa::ProductHalf::second && operand->width != Width::long_word) {
      error = fmt::format("operand '{}' is refused: both operands of {} are long, 18 hex digits", text, info->function);
      return std::nullopt;
    }
    operands[n] = *operand;
  }
  const FpKind kind{info->op, suffix == ".l" ? Width::long_word : Width::short_word, operands[0].width,
                    operands[1].width};
  return FpOperation{kind, operands[0].word, operands[1].word};
}

std::unique_ptr<FpEvaluator> make_evaluator(std::string_view engine) {
  if (engine == emulator::Engine::reference) return std::make_unique<Scalar>();
  return std::make_unique<OnChip>();
}

}  // namespace gdr::selftest
