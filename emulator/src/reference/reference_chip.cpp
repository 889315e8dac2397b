// The reference engine: sixteen blocks, each of which executes its lines one by one.
#include <optional>
#include <vector>

#include "reference_block.h"

namespace gdr::emulator {
namespace {

/// The decoded program, shared by all chips that run it.
class LoweredReference final : public Lowered {
 public:
  explicit LoweredReference(const isa::Program& program) : code(decode_program(program)) {}
  [[nodiscard]] const isa::Program& program() const override { return code.program; }

  const DecodedProgram code;
};

class Reference final : public ReferenceChip {
 public:
  void set_observer(Observer* observer) override { observer_ = observer; }

 private:
  std::shared_ptr<const Lowered> do_lower(const isa::Program& program) const override {
    return std::make_shared<LoweredReference>(program);
  }
  void do_load(std::shared_ptr<const Lowered> program) override {
    code_ = lowered_here<LoweredReference>(program);
    blocks_.resize(kBlocks);
    for (auto& block : blocks_) block.reset();
  }
  void do_patch(std::shared_ptr<const Lowered> program) override { code_ = lowered_here<LoweredReference>(program); }
  std::unique_ptr<Chip> do_clone() const override {
    auto copy = std::make_unique<Reference>(*this);
    copy->observer_ = nullptr;
    return copy;
  }

  void do_run_initialization(unsigned block) override {
    at(block).begin_initialization(code_->code);
    run_to_end(block);
  }

  void do_run_loop(BlockRange blocks, const LoopRun& loop) override {
    LoopRun own = loop;
    const std::size_t share = loop.collected.size() / blocks.count;
    for (unsigned n = 0; n < blocks.count; ++n) {
      own.collected = loop.collected.subspan(n * share, share);
      at(blocks.first + n).begin(code_->code, own);
      run_to_end(blocks.first + n);
    }
  }

  void run_to_end(unsigned number) {
    ReferenceBlock& block = at(number);
    try {
      while (!block.done()) {
        if (observer_ != nullptr) {
          const NextLine next = block.next();
          observer_->on_issue({*this, next.section, next.line, number, next.iteration, next.jvalid});
        }
        block.step();
      }
    } catch (...) {
      block.stop();
      throw;
    }
  }

  void do_write_bm(unsigned block, unsigned address, std::span<const LongWord> words) override {
    at(block).write_bm(address, words);
  }
  std::vector<LongWord> do_read_bm(unsigned block, unsigned address, unsigned count) const override {
    return at(block).read_bm(address, count);
  }
  void do_write_pe(unsigned block, unsigned pe, const PeWords& where, std::span<const LongWord> words) override {
    at(block).write_pe(pe, where, words);
  }
  std::vector<LongWord> do_read_pe(unsigned block, unsigned pe, const PeWords& where) const override {
    return at(block).read_pe(pe, where);
  }
  FpEvents do_events(unsigned block) const override { return at(block).events(); }
  FirstEvents do_first_events(unsigned block) const override { return at(block).first_events(); }
  void do_write_registers(unsigned block, unsigned pe, const PeRegisters& registers) override {
    at(block).write_registers(pe, registers);
  }
  PeRegisters do_registers(unsigned block, unsigned pe) const override { return at(block).registers(pe); }

  /// Made when it is first asked for: a program pays only for the blocks that it uses.
  ReferenceBlock& at(unsigned block) const {
    if (!blocks_[block]) blocks_[block].emplace(block);
    return *blocks_[block];
  }

  std::shared_ptr<const LoweredReference> code_;
  mutable std::vector<std::optional<ReferenceBlock>> blocks_;
  Observer* observer_ = nullptr;
};

}  // namespace

std::unique_ptr<ReferenceChip> make_reference_chip() { return std::make_unique<Reference>(); }

}  // namespace gdr::emulator
