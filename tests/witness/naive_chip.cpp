#include "naive_chip.h"

#include <optional>
#include <vector>

#include "naive_interpreter.h"

namespace gdr::tests {
namespace {

using emulator::kBlocks;
using isa::LongWord;

class LoweredNaive final : public emulator::Lowered {
 public:
  explicit LoweredNaive(const isa::Program& program)
      : program_(program), code(std::make_shared<const NaiveCode>(program, Landing::in_order)) {}
  [[nodiscard]] const isa::Program& program() const override { return program_; }

 private:
  isa::Program program_;

 public:
  const std::shared_ptr<const NaiveCode> code;
};

std::shared_ptr<const NaiveCode> code_of(const emulator::Lowered& program) {
  return dynamic_cast<const LoweredNaive&>(program).code;
}

class NaiveChip final : public emulator::Chip {
 private:
  std::shared_ptr<const emulator::Lowered> do_lower(const isa::Program& program) const override {
    return std::make_shared<LoweredNaive>(program);
  }
  void do_load(std::shared_ptr<const emulator::Lowered> program) override {
    code_ = code_of(*program);
    blocks_.resize(kBlocks);
    for (auto& block : blocks_) block.reset();
  }
  void do_patch(std::shared_ptr<const emulator::Lowered> program) override {
    code_ = code_of(*program);
    for (auto& block : blocks_) {
      if (block) block->patch(code_);
    }
  }
  std::unique_ptr<Chip> do_clone() const override { return std::make_unique<NaiveChip>(*this); }

  void do_run_initialization(unsigned block) override { at(block).initialize(); }
  void do_run_loop(emulator::BlockRange blocks, const emulator::LoopRun& run) override {
    const std::size_t share = run.collected.size() / blocks.count;
    for (unsigned n = 0; n < blocks.count; ++n) {
      emulator::LoopRun own = run;
      own.collected = run.collected.subspan(n * share, share);
      at(blocks.first + n).run(own);
    }
  }

  void do_write_bm(unsigned block, unsigned address, std::span<const LongWord> words) override {
    at(block).write_bm(address, words);
  }
  void do_write_pe(unsigned block, unsigned pe, const emulator::PeWords& where,
                   std::span<const LongWord> words) override {
    at(block).write_pe(pe, where, words);
  }
  std::vector<LongWord> do_read_pe(unsigned block, unsigned pe, const emulator::PeWords& where) const override {
    return at(block).read_pe(pe, where);
  }
  emulator::PeRegisters do_registers(unsigned block, unsigned pe) const override { return at(block).registers(pe); }
  std::vector<LongWord> do_read_bm(unsigned block, unsigned address, unsigned count) const override {
    return at(block).read_bm(address, count);
  }
  void do_write_registers(unsigned block, unsigned pe, const emulator::PeRegisters& registers) override {
    at(block).set_registers(pe, registers);
  }
  emulator::FirstEvents do_first_events(unsigned block) const override {
    emulator::FirstEvents first;
    for (const emulator::PlacedEvent& event : at(block).first_events()) first.add(event);
    return first;
  }
  emulator::FpEvents do_events(unsigned block) const override { return at(block).events(); }

  std::vector<LongWord> do_collect(const emulator::Collection& collection, emulator::FpEvents& events) const override {
    std::vector<LongWord> results;
    for (unsigned n = 0; n < collection.results; ++n) {
      std::vector<LongWord> words;  // of every block
      for (unsigned block = 0; block < kBlocks; ++block) {
        words.push_back(at(block).read_pe(n / collection.where.count, collection.where)[n % collection.where.count]);
      }
      results.push_back(collection.reduction ? sum(*collection.reduction, collection.node_width, words, events)
                                             : words[collection.block]);
    }
    return results;
  }
  void do_reduce_blocks(isa::Op op, isa::Width node_width, std::span<const std::span<const LongWord>> blocks,
                        std::span<LongWord> sums, emulator::FpEvents& events) const override {
    for (std::size_t n = 0; n < sums.size(); ++n) {
      std::vector<LongWord> words;
      for (const std::span<const LongWord> block : blocks) words.push_back(block[n]);
      sums[n] = sum(op, node_width, words, events);
    }
  }

  /// The tree: the sum of its left half and the sum of its right half meet in its last node.
  static LongWord sum(isa::Op op, isa::Width width, std::span<const LongWord> words, emulator::FpEvents& events) {
    if (words.size() == 1) return words.front();
    const std::size_t half = words.size() / 2;
    const LongWord left = sum(op, width, words.first(half), events);
    return naive_node(op, left, sum(op, width, words.subspan(half), events), width, events);
  }

  /// Made when it is first asked for.
  NaiveInterpreter& at(unsigned block) const {
    std::optional<NaiveInterpreter>& made = blocks_.at(block);
    if (!made) made.emplace(code_, block);
    return *made;
  }

  std::shared_ptr<const NaiveCode> code_;
  mutable std::vector<std::optional<NaiveInterpreter>> blocks_;
};

}  // namespace

std::unique_ptr<emulator::Chip> make_naive_chip() { return std::make_unique<NaiveChip>(); }

}  // namespace gdr::tests
