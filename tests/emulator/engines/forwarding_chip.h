// A chip that does what another one does: the base of test chips that do some things otherwise.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gdr/emulator/chip.h"

namespace gdr::tests {

class ForwardingChip : public emulator::Chip {
 public:
  explicit ForwardingChip(std::unique_ptr<emulator::Chip> chip) : chip_(std::move(chip)) {}

 protected:
  std::shared_ptr<const emulator::Lowered> do_lower(const isa::Program& program) const override {
    return chip_->lower(program);
  }
  void do_load(std::shared_ptr<const emulator::Lowered> program) override { chip_->load(std::move(program)); }
  void do_patch(std::shared_ptr<const emulator::Lowered> program) override { chip_->patch(program->program()); }
  std::unique_ptr<emulator::Chip> do_clone() const override { return chip_->clone(); }
  void do_run_initialization(unsigned block) override { chip_->run_initialization(block); }
  void do_run_loop(emulator::BlockRange blocks, const emulator::LoopRun& run) override { chip_->run_loop(blocks, run); }
  bool do_ends_soon(std::uint64_t interactions) const override { return chip_->ends_soon(interactions); }
  void do_write_bm(unsigned block, unsigned address, std::span<const isa::LongWord> words) override {
    chip_->write_bm(block, address, words);
  }
  void do_write_pe(unsigned block, unsigned pe, const emulator::PeWords& where,
                   std::span<const isa::LongWord> words) override {
    chip_->write_pe(block, pe, where, words);
  }
  void do_write_registers(unsigned block, unsigned pe, const emulator::PeRegisters& registers) override {
    chip_->write_registers(block, pe, registers);
  }
  std::vector<isa::LongWord> do_read_pe(unsigned block, unsigned pe, const emulator::PeWords& where) const override {
    return chip_->read_pe(block, pe, where);
  }
  emulator::PeRegisters do_registers(unsigned block, unsigned pe) const override { return chip_->registers(block, pe); }
  std::vector<isa::LongWord> do_read_bm(unsigned block, unsigned address, unsigned count) const override {
    return chip_->read_bm(block, address, count);
  }
  emulator::FpEvents do_events(unsigned block) const override { return chip_->events(block); }
  emulator::FirstEvents do_first_events(unsigned block) const override { return chip_->first_events(block); }

  std::unique_ptr<emulator::Chip> chip_;
};

}  // namespace gdr::tests
