#include "opencl_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "chip/chip_arguments.h"

namespace gdr::emulator::opencl {
namespace {

/// True if a program addresses LM through T, so that an address may be outside.
bool addresses_indirectly(const DecodedProgram& program) {
  for (const std::vector<DecodedStep>& steps : program.sections) {
    for (const DecodedLine* line : lines_of(steps)) {
      if (line->effects.indirect()) return true;
    }
  }
  return false;
}

/// The fields of a record in the form that the device reads.
std::vector<FieldCode> field_codes(const std::vector<Entry>& entries, bool with_reduction) {
  std::vector<FieldCode> codes;
  for (const Entry& entry : entries) {
    FieldCode code{};
    code.row = first_row(entry.where.memory) + entry.where.address;
    code.of_pe = entry.where.count;
    code.is_long = entry.where.width == Width::long_word ? 1 : 0;
    if (with_reduction && entry.variable->reduction) {
      code.reduction = static_cast<uint>(*entry.variable->reduction);
      code.node_is_long = isa::info_of(*entry.variable->conversion).width == Width::long_word ? 1 : 0;
    }
    code.block = entry.variable->block;
    codes.push_back(code);
  }
  return codes;
}

/// Number of chips. Throws gdr::Error if the device has too little memory for them.
unsigned checked_chips(const SessionOptions& options, const OpenClDevice& device) {
  const std::uint64_t of_chip = std::uint64_t{kBlocks} * kBlockWords * kWordBytes;
  require(options.chips >= 1, "chips", options.chips, 1, ~0u);
  const std::uint64_t most = std::min(device.largest_buffer_bytes, device.memory_bytes) / of_chip;
  if (options.chips <= most) return options.chips;
  throw Error(fmt::format("chips = {} is refused: device '{}' has memory for the states of {}", options.chips,
                          device.name, most));
}

}  // namespace

LoweredOpenCl::LoweredOpenCl(const isa::Program& program, std::shared_ptr<Machine> on, JitUse use)
    : decoded(decode_program(program)),
      code(make_program_code(decoded)),
      may_fault(addresses_indirectly(decoded)),
      machine(std::move(on)),
      body(decoded, machine, use) {}

OpenClSession::OpenClSession(std::shared_ptr<const LoweredOpenCl> program, const SessionOptions& options)
    : program_(std::move(program)),
      memory_words_(options.memory_words),
      pool_(options.threads ? options.threads : std::make_shared<ThreadPool>(1)),
      chips_(checked_chips(options, program_->machine->device)),
      entries_in_(entries_of(program_->program(), isa::Transfer::hlt)),
      entries_out_(entries_of(program_->program(), isa::Transfer::rrn)),
      device_(program_->machine) {
  const std::size_t blocks = std::size_t{options.chips} * kBlocks;
  states_ = device_.make("states of the chips", blocks * kBlockWords * kWordBytes);
  flags_ = device_.make("flags", blocks * kPesPerBlock * sizeof(uint));
  events_ = device_.make("events", blocks * kPesPerBlock * sizeof(PeEvents));
  faults_ = device_.make("faults", blocks * kPesPerBlock * sizeof(PeFault));
  memory_ = device_.make("external memory", 0);
  collected_ = device_.make("collected words", 0);
  const auto send = [&]<class Code>(std::unique_ptr<Buffer>& buffer, std::span<const Code> codes) {
    buffer = device_.make("a program", codes.size_bytes());
    as_errors([&] { device_.queue().write(*buffer, 0, codes.data(), codes.size_bytes()); });
  };
  const ProgramCode& code = program_->code;
  send(sections_, std::span(&code.sections, 1));
  send(steps_, std::span(code.steps));
  send(lines_, std::span(code.lines));
  const std::vector<FieldCode> in = field_codes(entries_in_, false);
  const std::vector<FieldCode> out = field_codes(entries_out_, true);
  send(fields_in_, std::span(in));
  send(fields_out_, std::span(out));
}

OpenClSession::~OpenClSession() {
  try {
    pool_->wait(lane_);
  } catch (...) {  // NOLINT(bugprone-empty-catch): nobody can handle the exception any more
  }
}

// ---- arguments, and the order of work -----------------------------------------------------------------------------

void OpenClSession::require_place(unsigned chip, unsigned block) const {
  require(chip < chips(), "chip", chip, 0, chips() - 1);
  require(block < kBlocks, "block", block, 0, kBlocks - 1);
}

void OpenClSession::require_memory(std::uint64_t address, std::uint64_t count) const {
  if (address <= memory_words_ && count <= memory_words_ - address) return;
  throw Error(fmt::format("external memory holds {} long words per chip; {} words from word {} on do not fit",
                          memory_words_, count, address));
}

std::uint64_t OpenClSession::iterations_of(const Piece& piece) const { return (piece.records + kBlocks - 1) / kBlocks; }

std::uint64_t OpenClSession::collected_by(const Piece& piece) const {
  return collected_words(program(), iterations_of(piece), piece.begins, piece.ends);
}

std::uint64_t OpenClSession::words_out_of(const Piece& piece) const {
  return words_out(program(), iterations_of(piece), piece.begins, piece.ends);
}

// Buffers that grow keep their contents.

void OpenClSession::provide_memory(std::uint64_t end) {
  if (end <= memory_room_) return;
  pool_->wait(lane_);
  const std::uint64_t room = std::min(memory_words_, std::max(end, 2 * memory_room_));
  auto larger = device_.make("external memory", chips_.size() * room * kLongBytes);
  as_errors([&] {
    for (std::size_t chip = 0; chip < chips_.size(); ++chip) {
      device_.queue().copy(*memory_, chip * memory_room_ * kLongBytes, *larger, chip * room * kLongBytes,
                           memory_room_ * kLongBytes);
    }
  });
  memory_ = std::move(larger);
  memory_room_ = room;
}

void OpenClSession::provide_collected(std::uint64_t words) {
  if (words <= collected_room_) return;
  pool_->wait(lane_);
  const std::size_t blocks = chips_.size() * kBlocks;
  auto larger = device_.make("collected words", blocks * words * kLongBytes);
  as_errors([&] {
    for (std::size_t block = 0; block < blocks; ++block) {
      device_.queue().copy(*collected_, block * collected_room_ * kLongBytes, *larger, block * words * kLongBytes,
                           collected_room_ * kLongBytes);
    }
  });
  collected_ = std::move(larger);
  collected_room_ = words;
}

void OpenClSession::post(std::function<void()> work) {
  waiting_results_ = nullptr;
  pool_->post(lane_, 1, [work = std::move(work)](unsigned) { as_errors(work); });
}

/// Waits for all earlier work. Throws the fault of this chip if it had one.
void OpenClSession::wait_for(unsigned chip) {
  pool_->wait(lane_);
  OneChip& one = chips_[chip];
  if (!one.fault) return;
  const Fault fault = *std::exchange(one.fault, std::nullopt);
  as_errors([&] { device_.queue().clear(*faults_, 0, faults_->bytes()); });
  throw Fault(fault);
}

void OpenClSession::finish_and_throw() {
  pool_->wait(lane_);
  std::optional<Fault> first;
  for (OneChip& one : chips_) {
    if (!first) first = one.fault;
    one.fault.reset();
  }
  if (!first) return;
  as_errors([&] { device_.queue().clear(*faults_, 0, faults_->bytes()); });
  throw Fault(*first);
}

// ---- memory and parameters -----------------------------------------------------------------------------------------

void OpenClSession::write_memory(unsigned chip, std::uint64_t address, std::span<const LongWord> words) {
  require_place(chip, 0);
  require_memory(address, words.size());
  provide_memory(address + words.size());
  wait_for(chip);
  as_errors([&] {
    device_.queue().write(*memory_, (chip * memory_room_ + address) * kLongBytes, words.data(), words.size_bytes());
  });
}

std::vector<LongWord> OpenClSession::read_memory(unsigned chip, std::uint64_t address, std::uint64_t count) const {
  require_place(chip, 0);
  require_memory(address, count);
  const std::uint64_t there = std::min(count, memory_room_ - std::min(address, memory_room_));
  std::vector<ulong> pairs(2 * count);
  as_errors([&] {
    device_.queue().read(*memory_, (chip * memory_room_ + address) * kLongBytes, pairs.data(), there * kLongBytes);
  });
  return long_words(pairs);
}

void OpenClSession::broadcast(unsigned address, std::span<const LongWord> words) {
  require_bm(address, words.size());
  for (unsigned chip = 0; chip < chips(); ++chip) wait_for(chip);
  if (words.empty()) return;
  as_errors([&] {
    const Buffer& sent = device_.provide(words_in_, "parameters", words.size_bytes());
    device_.queue().write(sent, 0, words.data(), words.size_bytes());
    Range range;
    range.counts[0] = words.size();
    range.counts[1] = chips_.size() * kBlocks;
    device_.queue().run(*device_.machine().kernels, "put_parameters", {&sent, uint{2 * address}, states_.get()}, range);
  });
}

void OpenClSession::write_particles(ChipRange chips, BlockRange blocks, unsigned particles,
                                    std::span<const LongWord> words) {
  require(chips.first < this->chips(), "chips.first", chips.first, 0, this->chips() - 1);
  require(chips.count <= this->chips() - chips.first, "chips.count", chips.count, 0, this->chips() - chips.first);
  require(blocks.first < kBlocks, "blocks.first", blocks.first, 0, kBlocks - 1);
  require(blocks.count <= kBlocks - blocks.first, "blocks.count", blocks.count, 0, kBlocks - blocks.first);
  require(particles <= kParticlesPerRun, "particles", particles, 0, kParticlesPerRun);
  if (particles % isa::kVectorElements != 0) {
    throw Error(fmt::format("particles = {} is refused: it must be a multiple of {}", particles, isa::kVectorElements));
  }
  require(words.size() == particles * entries_in_.size(), "words", words.size(), particles * entries_in_.size(),
          particles * entries_in_.size());
  if (words.empty() || chips.count == 0 || blocks.count == 0) return;
  post([=, this] { put_particles(chips, blocks, particles, words); });
}

void OpenClSession::put_particles(ChipRange chips, BlockRange blocks, unsigned particles,
                                  std::span<const LongWord> words) {
  for (unsigned chip = chips.first; chip < chips.first + chips.count; ++chip) chips_[chip].touched = true;
  const Buffer& sent = device_.provide(words_in_, "i-particles", words.size_bytes());
  device_.queue().write(sent, 0, words.data(), words.size_bytes());
  Range range;
  range.counts[0] = words.size();
  range.counts[1] = blocks.count;
  range.counts[2] = chips.count;
  device_.queue().run(*device_.machine().kernels, "put_particles",
                      {&sent, fields_in_.get(), uint{particles}, uint{chips.first}, uint{blocks.first}, states_.get()},
                      range);
}

}  // namespace gdr::emulator::opencl
