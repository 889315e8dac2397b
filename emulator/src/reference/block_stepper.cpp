#include "gdr/emulator/block_stepper.h"

#include <fmt/format.h>

#include "chip/chip_arguments.h"
#include "chip/require.h"
#include "reference_block.h"

namespace gdr::emulator {
namespace {

void require_words(const PeWords& where) {
  if (where.memory == isa::Memory::bm) throw Error("where.memory = bm is refused: it must be gpr or lm");
  const unsigned size = where.memory == isa::Memory::gpr ? isa::kGprShortWords : isa::kLmShortWords;
  const unsigned step = isa::short_words(where.width);
  require(where.address < size && where.address % step == 0, "where.address", where.address, 0, size - step);
  require(where.count <= (size - where.address) / step, "where.count", where.count, 0, (size - where.address) / step);
}

void require_bm_run(unsigned address, std::size_t count) {
  constexpr unsigned kWords = isa::kBmShortWords / 2;
  require(address <= kWords, "address", address, 0, kWords);
  require(count <= kWords - address, "count", count, 0, kWords - address);
}

void require_shape(const BlockState& state) {
  const auto require_size = [](std::string_view which, std::size_t size, std::size_t expected) {
    require(size == expected, which, size, expected, expected);
  };
  require_size("state.gpr", state.gpr.size(), kPesPerBlock * kWholeGpr.count);
  require_size("state.lm", state.lm.size(), kPesPerBlock * kWholeLm.count);
  require_size("state.registers", state.registers.size(), kPesPerBlock);
  require_bm_run(0, state.bm.size());
}

std::span<const LongWord> gpr_of(const BlockState& state, unsigned pe) {
  return std::span(state.gpr).subspan(pe * kWholeGpr.count, kWholeGpr.count);
}
std::span<const LongWord> lm_of(const BlockState& state, unsigned pe) {
  return std::span(state.lm).subspan(pe * kWholeLm.count, kWholeLm.count);
}

template <class ReadPe, class Registers>
BlockState gather(const ReadPe& read_pe, const Registers& registers, std::vector<LongWord> bm) {
  BlockState state;
  for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
    for (const auto& [where, words] : {std::pair(kWholeGpr, &state.gpr), std::pair(kWholeLm, &state.lm)}) {
      const std::vector<LongWord> of_pe = read_pe(pe, where);
      words->insert(words->end(), of_pe.begin(), of_pe.end());
    }
    state.registers.push_back(registers(pe));
  }
  state.bm = std::move(bm);
  return state;
}

}  // namespace

struct BlockStepper::State {
  std::shared_ptr<const DecodedProgram> code;
  ReferenceBlock block;
};

BlockStepper::BlockStepper(const isa::Program& program, unsigned block) {
  require(block < kBlocks, "block", block, 0, kBlocks - 1);
  state_ = std::make_unique<State>(
      State{std::make_shared<const DecodedProgram>(decode_program(program)), ReferenceBlock(block)});
}

BlockStepper::~BlockStepper() = default;
BlockStepper::BlockStepper(const BlockStepper& other) : state_(std::make_unique<State>(*other.state_)) {}
BlockStepper& BlockStepper::operator=(const BlockStepper& other) {
  *state_ = State(*other.state_);
  return *this;
}
BlockStepper::BlockStepper(BlockStepper&&) noexcept = default;
BlockStepper& BlockStepper::operator=(BlockStepper&&) noexcept = default;

void BlockStepper::begin_initialization() { state_->block.begin_initialization(*state_->code); }

void BlockStepper::begin(const LoopRun& run) {
  const isa::Program& program = state_->code->program;
  require(run.live_pes <= kPesPerBlock, "live_pes", run.live_pes, 0, kPesPerBlock);
  const unsigned record = program.record_words;
  if (run.stream.records > 0) {
    require(run.stream.record_words == record, "stream.record_words", run.stream.record_words, record, record);
  }
  require(record == 0 || run.stream.records <= run.stream.words.size() / record, "stream.records", run.stream.records,
          0, record == 0 ? 0 : run.stream.words.size() / record);
  LoopRun own = run;
  own.collected = {};
  state_->block.begin(*state_->code, own);
}

bool BlockStepper::done() const { return state_->block.done(); }

NextLine BlockStepper::next() const {
  if (done()) throw Error("no line comes next");
  return state_->block.next();
}

void BlockStepper::step() {
  if (done()) throw Error("no line comes next");
  state_->block.step();
}

std::vector<WordWrite> BlockStepper::written() const { return state_->block.written(); }
std::vector<PlacedEvent> BlockStepper::events() const { return state_->block.line_events(); }

void BlockStepper::write_bm(unsigned address, std::span<const LongWord> words) {
  require_bm_run(address, words.size());
  state_->block.write_bm(address, words);
}

void BlockStepper::write_pes(unsigned first_pe, const PeWords& where, std::span<const LongWord> words) {
  require_pe(first_pe);
  require_words(where);
  require(where.count >= 1, "where.count", where.count, 1, isa::kLmShortWords);
  const std::size_t most = std::size_t{kPesPerBlock - first_pe} * where.count;
  require(words.size() <= most && words.size() % where.count == 0, "words", words.size(), 0, most);
  for (std::size_t n = 0; n * where.count < words.size(); ++n) {
    state_->block.write_pe(first_pe + static_cast<unsigned>(n), where, words.subspan(n * where.count, where.count));
  }
}

void BlockStepper::set_pe(unsigned pe, const PeWords& where, std::span<const LongWord> words) {
  write_pes(pe, where, words);
  state_->block.drop_pending(pe, where);
}

std::vector<LongWord> BlockStepper::read_pe(unsigned pe, const PeWords& where) const {
  require_pe(pe);
  require_words(where);
  const isa::Storage storage = where.memory == isa::Memory::gpr ? isa::Storage::gpr : isa::Storage::lm;
  return state_->block.read_landed(storage, pe, where.address, where.width, where.count);
}

PeRegisters BlockStepper::registers(unsigned pe) const {
  require_pe(pe);
  return state_->block.registers_landed(pe);
}

std::vector<LongWord> BlockStepper::read_bm(unsigned address, unsigned count) const {
  require_bm_run(address, count);
  return state_->block.read_landed(isa::Storage::bm, 0, 2 * address, Width::long_word, count);
}

unsigned BlockStepper::record_base() const { return state_->block.record_base(); }

BlockState BlockStepper::state() const {
  return gather([&](unsigned pe, const PeWords& where) { return read_pe(pe, where); },
                [&](unsigned pe) { return registers(pe); }, read_bm(0, isa::kBmShortWords / 2));
}

void BlockStepper::set_state(const BlockState& state) {
  require_shape(state);
  ReferenceBlock& block = state_->block;
  block.stop();
  block.write_bm(0, state.bm);
  for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
    block.write_pe(pe, kWholeGpr, gpr_of(state, pe));
    block.write_pe(pe, kWholeLm, lm_of(state, pe));
    block.write_registers(pe, state.registers[pe]);
  }
}

BlockState state_of(const Chip& chip, unsigned block) {
  return gather([&](unsigned pe, const PeWords& where) { return chip.read_pe(block, pe, where); },
                [&](unsigned pe) { return chip.registers(block, pe); }, chip.read_bm(block, 0, isa::kBmShortWords / 2));
}

void set_state(Chip& chip, unsigned block, const BlockState& state) {
  require_shape(state);
  chip.write_bm(block, 0, state.bm);
  for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
    chip.write_pe(block, pe, kWholeGpr, gpr_of(state, pe));
    chip.write_pe(block, pe, kWholeLm, lm_of(state, pe));
    chip.write_registers(block, pe, state.registers[pe]);
  }
}

}  // namespace gdr::emulator
