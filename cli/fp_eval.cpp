#include "fp_eval.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <sstream>

#include "gdr/emulator/arithmetic.h"
#include "gdr/emulator/chip.h"
#include "gdr/isa/program.h"

namespace gdr::cli {
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
  Width width;
  LongWord word;
};

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
    for (const FpOperation& operation : operations) results.push_back(apply(operation).value);
    return results;
  }

 private:
  static emulator::FpResult apply(const FpOperation& operation) {
    const Width to = operation.kind.destination;
    switch (operation.kind.op) {
      case Op::FADD:
        return emulator::fadd(operation.a, operation.b, to);
      case Op::FSUB:
        return emulator::fsub(operation.a, operation.b, to);
      case Op::FMUL:
        return emulator::fmul(operation.a, operation.b, to);
      default:
        return emulator::fmul2(operation.a, operation.b, to);
    }
  }
};

// GPR of a PE: four words of a, of b, of the result; addresses in short words.
constexpr std::uint16_t kA = 0;
constexpr std::uint16_t kB = 8;
constexpr std::uint16_t kResult = 16;

/// One operation on vectors of four, in the section that a run without records executes once.
isa::Program program_of(const FpKind& kind) {
  Line line;
  line.vlen = kVectorElements;
  line.gpr_a = {kA, kind.a, true, false};
  line.gpr_b = {kB, kind.b, true, false};
  const Unit unit = isa::info_of(kind.op).unit;
  isa::Slot& slot = isa::slot_of(line, unit);
  slot.op = kind.op;
  slot.a = Source::gpr_a;
  slot.b = Source::gpr_b;
  slot.width = kind.destination;
  line.gpr_write.source = unit;
  line.gpr_write.address = kResult;
  line.gpr_write.vector = true;

  isa::Program program;
  program.kernel = "fp_eval";
  std::vector<isa::Step>& steps = program.steps(isa::Section::loop_initialization);
  if (kind.op == Op::FMULL) {
    Line high = line;
    high.multiplier.op = Op::FMULH;
    high.multiplier.width = Width::short_word;  // it has no result
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

std::optional<FpOperation> parse_operation(std::string_view line, std::string& error) {
  static const std::map<std::string_view, Op> kOperations{
      {"fadd", Op::FADD}, {"fsub", Op::FSUB}, {"fmul", Op::FMUL}, {"fmul2", Op::FMULL}};
  std::istringstream stream{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  if (words.size() != 3) {
    error = fmt::format("'{}' is no operation with two operands", line);
    return std::nullopt;
  }
  const std::size_t dot = words[0].rfind('.');
  const std::string_view suffix = dot == std::string::npos ? "" : std::string_view(words[0]).substr(dot);
  const auto known = kOperations.find(std::string_view(words[0]).substr(0, dot));
  if (known == kOperations.end() || (suffix != ".l" && suffix != ".s")) {
    error = fmt::format("'{}' is refused: it must be fadd, fsub, fmul or fmul2 with .l or .s", words[0]);
    return std::nullopt;
  }
  const auto a = parse_operand(words[1]);
  const auto b = parse_operand(words[2]);
  if (!a || !b) {
    error = fmt::format("operand '{}' is refused: it must be 18 or 9 hex digits", words[a ? 2 : 1]);
    return std::nullopt;
  }
  const FpKind kind{known->second, suffix == ".l" ? Width::long_word : Width::short_word, a->width, b->width};
  if (kind.op == Op::FMUL && b->width != Width::short_word) {
    error = fmt::format("operand '{}' is refused: the second operand of fmul is short, 9 hex digits", words[2]);
    return std::nullopt;
  }
  if (kind.op == Op::FMULL && (a->width != Width::long_word || b->width != Width::long_word)) {
    error = fmt::format("operand '{}' is refused: both operands of fmul2 are long, 18 hex digits",
                        words[a->width == Width::long_word ? 2 : 1]);
    return std::nullopt;
  }
  return FpOperation{kind, a->word, b->word};
}

std::unique_ptr<FpEvaluator> make_evaluator(emulator::Engine engine) {
  if (engine == emulator::Engine::reference) return std::make_unique<Scalar>();
  return std::make_unique<OnChip>();
}

}  // namespace gdr::cli
