// Checks that are common to all engines: calls with blocks, PEs, addresses and counts that a chip does not have are
// refused.
#include "gdr/emulator/chip.h"

#include <fmt/format.h>

#include "chip_arguments.h"
#include "line/decoded_program.h"
#include "require.h"

namespace gdr::emulator {
namespace {

void require_reduction(isa::Op op) {
  if (isa::info_of(op).reduces) return;
  throw Error(
      fmt::format("reduction = {} is refused: the nodes of the tree do not have it", isa::info_of(op).mnemonic));
}

}  // namespace

void Chip::require_block(unsigned block) const {
  if (program_ == nullptr) throw Error("no program is loaded");
  require(block < kBlocks, "block", block, 0, kBlocks - 1);
}

void Chip::require_blocks(BlockRange blocks) const {
  require_block(blocks.first);
  require(blocks.count >= 1 && blocks.count <= kBlocks - blocks.first, "blocks.count", blocks.count, 1,
          kBlocks - blocks.first);
}

void Chip::load(std::shared_ptr<const Lowered> program) {
  if (program == nullptr) throw Error("program = null is refused: it must be what lower() gave");
  do_load(program);
  program_ = std::move(program);
}

void Chip::patch(const isa::Program& program) {
  require_block(0);
  auto lowered = lower(program);
  do_patch(lowered);
  program_ = std::move(lowered);
}

std::unique_ptr<Chip> Chip::clone() const {
  require_block(0);
  auto copy = do_clone();
  copy->program_ = program_;
  return copy;
}

void Chip::run_initialization(unsigned block) {
  require_block(block);
  do_run_initialization(block);
}

bool Chip::ends_soon(std::uint64_t interactions) const { return program_ != nullptr && do_ends_soon(interactions); }

void Chip::run_loop(BlockRange blocks, const LoopRun& run) {
  require_blocks(blocks);
  require(run.live_pes <= kPesPerBlock, "live_pes", run.live_pes, 0, kPesPerBlock);
  const RecordStream& stream = run.stream;
  const isa::Program& program = program_->program();
  const unsigned record = program.record_words;
  if (stream.records > 0) {
    require(stream.record_words == record, "stream.record_words", stream.record_words, record, record);
  }
  require(record == 0 || stream.records <= stream.words.size() / record, "stream.records", stream.records, 0,
          record == 0 ? 0 : stream.words.size() / record);
  const std::uint64_t needed = collected_words(program, stream.iterations(), run.begins, run.ends) * blocks.count;
  if (run.collected.size() < needed) {
    throw Error(fmt::format("collected has room for {} words: this run collects {}", run.collected.size(), needed));
  }
  do_run_loop(blocks, run);
}

void Chip::write_bm(unsigned block, unsigned address, std::span<const LongWord> words) {
  require_block(block);
  require_bm(address, words.size());
  do_write_bm(block, address, words);
}

void Chip::write_pe(unsigned block, unsigned pe, const PeWords& where, std::span<const LongWord> words) {
  require_block(block);
  require_pe(pe);
  require_pe_words(where);
  require(words.size() == where.count, "words", words.size(), where.count, where.count);
  do_write_pe(block, pe, where, words);
}

void Chip::write_pes(BlockRange blocks, unsigned first_pe, const PeWords& where, std::span<const LongWord> words) {
  require_blocks(blocks);
  require_pe(first_pe);
  require_pe_words(where);
  const std::size_t most = std::size_t{kPesPerBlock - first_pe} * where.count;
  require(words.size() <= most, "words", words.size(), 0, most);
  if (words.size() % where.count != 0) {
    throw Error(fmt::format("words = {} is refused: it must be a multiple of {}", words.size(), where.count));
  }
  do_write_pes(blocks, first_pe, where, words);
}

void Chip::write_registers(unsigned block, unsigned pe, const PeRegisters& registers) {
  require_block(block);
  require_pe(pe);
  do_write_registers(block, pe, registers);
}

std::vector<LongWord> Chip::read_pe(unsigned block, unsigned pe, const PeWords& where) const {
  require_block(block);
  require_pe(pe);
  require_pe_words(where);
  return do_read_pe(block, pe, where);
}

PeRegisters Chip::registers(unsigned block, unsigned pe) const {
  require_block(block);
  require_pe(pe);
  return do_registers(block, pe);
}

std::vector<LongWord> Chip::read_bm(unsigned block, unsigned address, unsigned count) const {
  require_block(block);
  require_bm(address, count);
  return do_read_bm(block, address, count);
}

std::vector<LongWord> Chip::collect(const Collection& collection, FpEvents& events) const {
  require_block(0);
  require_pe_words(collection.where);
  const unsigned most = kPesPerBlock * collection.where.count;
  require(collection.results <= most, "results", collection.results, 0, most);
  require(collection.block < kBlocks, "block", collection.block, 0, kBlocks - 1);
  if (collection.reduction) require_reduction(*collection.reduction);
  return do_collect(collection, events);
}

FpEvents Chip::events(unsigned block) const {
  require_block(block);
  return do_events(block);
}

FirstEvents Chip::first_events(unsigned block) const {
  require_block(block);
  return do_first_events(block);
}

FpLanes Chip::fp_lanes(unsigned block) const {
  require_block(block);
  return do_fp_lanes(block);
}

void Chip::reduce_blocks(isa::Op op, Width node_width, std::span<const std::span<const LongWord>> blocks,
                         std::span<LongWord> sums, FpEvents& events) const {
  require_block(0);
  require_reduction(op);
  require(blocks.size() == kBlocks, "blocks", blocks.size(), kBlocks, kBlocks);
  for (const std::span<const LongWord> words : blocks) {
    require(words.size() == sums.size(), "words of a block", words.size(), sums.size(), sums.size());
  }
  do_reduce_blocks(op, node_width, blocks, sums, events);
}

}  // namespace gdr::emulator
