// Runs a program's sections on the states of blocks, micro-operation by micro-operation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "block_memory.h"
#include "line/decoded_program.h"
#include "line/micro_op.h"
#include "line/scheduler.h"

namespace gdr::emulator::simd {

/// Runs sections on some blocks one after the other, and keeps the pending writes of the last section.
class Sequence {
 public:
  Sequence(const isa::Program& program, Memory& memory, BlockRange blocks, Tally* tallies, unsigned live_pes) {
    lanes_.state = memory.states(blocks);
    lanes_.blocks = blocks.count;
    lanes_.block_words = memory.block_words();
    lanes_.live_pes = live_pes;
    lanes_.live_bits = static_cast<std::uint32_t>((std::uint64_t{1} << live_pes) - 1);
    lanes_.tallies = tallies + blocks.first;
    lanes_.program = &program;
    lanes_.first_block = blocks.first;
  }

  void number(std::uint64_t run, std::uint64_t first_iteration) {
    lanes_.run = run;
    first_iteration_ = first_iteration;
  }

  /// If not `valid`, the blocks get a record of zero words.
  void receive_records(const RecordStream& stream, std::uint64_t iteration, bool valid) {
    iteration_ = first_iteration_ + iteration;
    lanes_.record_base = record_base(stream.record_words, iteration);
    const isa::LongWord* words = stream.words.data() + (iteration * kBlocks + lanes_.first_block) * stream.record_words;
    std::uint64_t* to = lanes_.state + place::kBm + lanes_.record_base;
    for (unsigned block = 0; block < lanes_.blocks; ++block, to += lanes_.block_words) {
      for (unsigned n = 0; n < stream.record_words; ++n) {
        const isa::LongWord word = valid ? *words++ : isa::LongWord{};
        to[2 * n] = word.upper().bits;
        to[2 * n + 1] = word.lower().bits;
      }
    }
  }

  void section(isa::Section section, const SectionCode& code) {
    lanes_.section = section;
    lanes_.iteration = section == isa::Section::loop_body ? iteration_ : 0;
    for (unsigned block = 0; block < lanes_.blocks; ++block) {
      lanes_.tallies[block].lanes.all += std::uint64_t{code.fp_elements} * lanes_.live_pes;
    }
    const std::span<const MicroOp> ops(code.ops);
    operations(ops.first(code.hook));
    if (!code.has_lines) return;  // pending writes stay pending
    land();
    operations(ops.subspan(code.hook));
    left_over_ = &code.edge;
  }

  void operations(std::span<const MicroOp> ops) {
    const MicroOp* op = ops.data();
    const MicroOp* const end = op + ops.size();
    try {
      for (; op != end; ++op) op->run(*op, lanes_);
    } catch (const Fault& fault) {
      throw first_of_line(fault, {op, end});
    }
  }

  void collect_into(std::span<isa::LongWord> collected, unsigned blocks) {
    lanes_.collected = collected.data();
    lanes_.collected_step = collected.size() / blocks;
  }
  void first_turn(bool first) { lanes_.first_turn = first; }
  /// Place of the next word that a block sends to the tree; `block` counts from the first block.
  [[nodiscard]] isa::LongWord* collected(unsigned block) const {
    return lanes_.collected + block * lanes_.collected_step;
  }
  /// Skips this many words of each block.
  void skip_collected(std::size_t words) { lanes_.collected += words; }
  void collect_at(isa::LongWord* to) { lanes_.collected = to; }

  void land() {
    if (left_over_ != nullptr) operations(*left_over_);
    left_over_ = nullptr;
  }

 private:
  /// The fault that the machine reports first. Kernels compute all indirect addresses of a line before its units
  /// execute, those of reads first; the machine goes from PE to PE.
  Fault first_of_line(const Fault& of_read, std::span<const MicroOp> rest) {
    for (const MicroOp& op : rest.subspan(1)) {
      if (op.line != rest.front().line || op.run != moves::indirect_rows) continue;
      try {
        op.run(op, lanes_);
      } catch (const Fault& of_write) {
        if (*of_write.place() < *of_read.place()) return of_write;
      }
    }
    return of_read;
  }

  Lanes lanes_;
  std::uint64_t first_iteration_ = 0;
  std::uint64_t iteration_ = 0;
  const std::vector<MicroOp>* left_over_ = nullptr;
};

}  // namespace gdr::emulator::simd
