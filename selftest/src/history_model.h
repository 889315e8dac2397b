// What is defined in the chips of a history. Words of PEs that are not live in a run are undefined after it, except in
// rows that the loop does not write; they are neither compared, nor may a PE be live again on them.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "gdr/selftest/history_programs.h"
#include "gdr/selftest/history_run.h"

namespace gdr::selftest {

class HistoryModel {
 public:
  HistoryModel() = default;
  HistoryModel(std::shared_ptr<const HistoryProgram> program, unsigned chips)
      : program_(std::move(program)), blocks_(chips) {}

  [[nodiscard]] const HistoryProgram& program() const { return *program_; }
  [[nodiscard]] unsigned chips() const { return static_cast<unsigned>(blocks_.size()); }

  /// The most PEs, at most `wanted`, that can be live in a run of these blocks.
  [[nodiscard]] unsigned live_pes(emulator::ChipRange chips, emulator::BlockRange blocks, unsigned wanted,
                                  bool begins) const {
    unsigned live = wanted;
    for_blocks(chips, blocks, [&](const Block& block) {
      if (begins && program_->self_contained && program_->keeps_i_data) return;
      live = std::min(live, begins ? block.whole : std::min(block.whole, block.open));
    });
    return live;
  }

  /// A run has ended, or pauses.
  void ran(emulator::ChipRange chips, emulator::BlockRange blocks, unsigned live, bool ends) {
    for_blocks(chips, blocks, [&](Block& block) {
      block.whole = std::min(block.whole, live);
      block.results = program_->self_contained ? live : block.whole;
      block.open = ends ? 0 : live;
    });
  }

  /// True if some PE is live that was not in an earlier run.
  [[nodiscard]] bool grows(emulator::ChipRange chips, emulator::BlockRange blocks, unsigned live) const {
    bool grows = false;
    for_blocks(chips, blocks, [&](const Block& block) { grows |= live > block.whole; });
    return grows;
  }

  [[nodiscard]] unsigned whole(unsigned chip, unsigned block) const { return blocks_[chip][block].whole; }
  /// True if all words of all PEs are defined.
  [[nodiscard]] bool is_whole() const {
    return std::ranges::all_of(blocks_, [](const auto& chip) {
      return std::ranges::all_of(chip, [](const Block& block) { return block.whole == emulator::kPesPerBlock; });
    });
  }
  /// PEs whose results are defined in all blocks of a chip.
  [[nodiscard]] unsigned results(unsigned chip) const {
    return std::ranges::min_element(blocks_[chip], {}, &Block::results)->results;
  }

  /// Clears the words that are undefined, so that states can be compared.
  void clear_undefined(unsigned chip, unsigned block, emulator::BlockState& state) const {
    constexpr std::size_t kGprWords = isa::kGprShortWords / 2;
    constexpr std::size_t kLmWords = isa::kLmShortWords / 2;
    for (unsigned pe = whole(chip, block); pe < emulator::kPesPerBlock; ++pe) {
      for (const std::size_t word : program_->gpr_written) state.gpr[pe * kGprWords + word] = {};
      for (const std::size_t word : program_->lm_written) state.lm[pe * kLmWords + word] = {};
      state.registers[pe] = {};
    }
  }
  [[nodiscard]] bool is_defined(unsigned chip, unsigned block, unsigned pe, const emulator::PeWords& where) const {
    return pe < whole(chip, block) || !program_->writes(where);
  }

 private:
  struct Block {
    unsigned whole = emulator::kPesPerBlock;    // PEs whose words are all defined: those live in all runs since load
    unsigned results = emulator::kPesPerBlock;  // PEs whose results are
    unsigned open = 0;                          // live PEs of a run that goes on
  };

  template <class Call>
  void for_blocks(emulator::ChipRange chips, emulator::BlockRange blocks, Call call) const {
    for (unsigned chip = chips.first; chip < chips.first + chips.count; ++chip) {
      for (unsigned block = blocks.first; block < blocks.first + blocks.count; ++block) call(blocks_[chip][block]);
    }
  }
  template <class Call>
  void for_blocks(emulator::ChipRange chips, emulator::BlockRange blocks, Call call) {
    for (unsigned chip = chips.first; chip < chips.first + chips.count; ++chip) {
      for (unsigned block = blocks.first; block < blocks.first + blocks.count; ++block) call(blocks_[chip][block]);
    }
  }

  std::shared_ptr<const HistoryProgram> program_;
  std::vector<std::array<Block, emulator::kBlocks>> blocks_;  // [chip][block]
};

}  // namespace gdr::selftest
