// Emulated time of kernels of Type II.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gdr/base/error.h"
#include "gdr/base/units.h"
#include "gdr/emulator/board_time.h"
#include "gdr/emulator/chip.h"

namespace gdr::emulator {
namespace {

constexpr double kHostFieldBytes = 8;
constexpr std::uint64_t kParticlesOfChip = std::uint64_t{kBlocks} * kParticlesPerRun;

/// i-particles of the chip that gets the most.
std::uint64_t fullest(std::uint64_t particles) { return std::min(particles, kParticlesOfChip); }

/// Blocks that get i-particles.
std::uint64_t blocks_of(std::uint64_t particles) { return (particles + kParticlesPerRun - 1) / kParticlesPerRun; }

}  // namespace

std::string BoardTime::assumed() const {
  if (!turns_ || turns_->streams() || machine_.loop_stall == 0) return {};
  // It was fitted to loops that stream j-records, and its cause is unknown.
  return fmt::format("loop_stall not applied, unknown without j-data: at most {:g} clocks a turn", machine_.loop_stall);
}

RunClocks BoardTime::clocks_of_turns(std::uint64_t particles, std::uint64_t turns) const {
  GDR_ASSERT(turns_.has_value(), "the kernel is of Type II");
  return turns_->run(turns, static_cast<unsigned>(blocks_of(fullest(particles))));
}

BoardTime::WordsOfRun BoardTime::words_of_turns(std::uint64_t turns) const {
  WordsOfRun words;
  const auto add = [](TurnWords& to, const isa::CollectStep& collect, std::uint64_t times) {
    (collect.blocks.is_separate() ? to.separate : to.combined) += times * collect.words_out();
  };
  for (const isa::CollectStep& collect : body_collects_) {
    add(words.turns, collect, turns - (collect.not_first && turns > 0 ? 1 : 0));
  }
  for (const isa::CollectStep& collect : termination_collects_) {
    add(words.termination, collect, 1);
    words.last = {};
    add(words.last, collect, 1);
  }
  return words;
}

double BoardTime::ring_seconds_of(const TurnWords& words) const { return ring_seconds(words.combined); }

double BoardTime::dma_seconds_of(const TurnWords& words) const {
  // All chips send at the same time, each of them a part of the words that they have added up.
  const double fields = static_cast<double>(words.combined) / machine_.chips + static_cast<double>(words.separate);
  return kHostFieldBytes * fields / (machine_.result_dma_mb * kMega);
}

RunSeconds BoardTime::one_run_of_turns(std::uint64_t particles, std::uint64_t turns) const {
  return seconds_of_turns(clocks_of_turns(particles, turns), particles, words_of_turns(turns));
}

RunSeconds BoardTime::seconds_of_turns(const RunClocks& clocks, std::uint64_t particles,
                                       const WordsOfRun& words) const {
  const auto seconds = [this](std::uint64_t count) { return clocks_to_seconds(static_cast<double>(count)); };
  // Each chip gets particles of its own.
  const double bytes = kHostFieldBytes * i_fields_ * static_cast<double>(particles);
  const double of_chip = kHostFieldBytes * i_fields_ * static_cast<double>(fullest(particles));
  const double link = pio_seconds(of_chip, std::ceil(of_chip / machine_.pio_buffer));
  const double turns_on_chip = seconds(clocks.loop_body + clocks.stall);
  const double collection = seconds(clocks.collection);
  RunSeconds run;
  run.i_load = seconds(clocks.i_load);
  // Words of turns pass around the ring and to the host while later turns run.
  run.loop = seconds(clocks.loop_initialization + clocks.first_record) +
             std::max({turns_on_chip, ring_seconds_of(words.turns), dma_seconds_of(words.turns)}) +
             seconds(clocks.loop_termination);
  run.collection = collection;
  const double ring = ring_seconds_of(words.termination);
  const double dma = dma_seconds_of(words.termination);
  if (mode_ == TransferMode::as_of_2009) {
    // DMA starts when OHT has all words of loop termination.
    run.i_write = std::max(link, bytes / (machine_.host_write_2009_mb * kMega));
    run.start = machine_.run_start_us * kMicro;
    run.result_dma = ring + dma;
  } else {
    // OHT sends the words of a collect beside those of the next one.
    run.i_write = beside_load(std::max(link, bytes / (machine_.send_ideal_mb * kMega)), run.i_load);
    run.start = machine_.run_start_ideal_us * kMicro;
    const double beside = seconds(clocks.loop_termination) + collection;
    run.result_dma = std::max(ring_seconds_of(words.last) + dma_seconds_of(words.last), std::max(ring, dma) - beside);
  }
  return run;
}

void BoardTime::run_turns(std::uint64_t particles, std::uint64_t turns) {
  const RunClocks clocks = clocks_of_turns(particles, turns);
  const WordsOfRun words = words_of_turns(turns);
  const RunSeconds run = seconds_of_turns(clocks, particles, words);
  StageSeconds seconds;
  seconds.i_send = run.i_write + run.i_load;
  seconds.compute = run.start + run.loop + run.collection + run.result_dma;
  keep(BoardCall::Kind::run, seconds.total(), particles, turns);
  totals_.seconds += seconds;
  totals_.clocks += clocks;
  totals_.runs += 1;
  totals_.iterations += turns;
  count_turns(particles, turns, words);

  const double dma = dma_seconds_of(words.turns) + dma_seconds_of(words.termination);
  const double stream_words = static_cast<double>(turns * kBlocks) * record_words_;
  const auto out = static_cast<double>(words.turns.of_chip() + words.termination.of_chip());
  busy_of(BoardUnit::host) += run.i_write + run.start;
  busy_of(BoardUnit::hic) += run.i_write + dma;
  busy_of(BoardUnit::het) += static_cast<double>(fullest(particles)) * i_fields_ / (machine_.fpga_clock_mhz * kMega);
  busy_of(BoardUnit::emi) += stream_words / (machine_.em_rate * kMega);
  busy_of(BoardUnit::eit) += clocks_to_seconds(stream_words * port_timing(machine_).idp_interval);
  busy_of(BoardUnit::sdi) +=
      clocks_to_seconds(stream_words * machine_.idp_clocks + out * machine_.odp_clocks) + run.i_load;
  busy_of(BoardUnit::coc) += clocks_to_seconds(static_cast<double>(clocks.loop() + clocks.collection));
  busy_of(BoardUnit::sci) +=
      clocks_to_seconds(static_cast<double>(clocks.loop_initialization + clocks.loop_body + clocks.loop_termination));
  busy_of(BoardUnit::chip) += clocks_to_seconds(static_cast<double>(clocks.total()));
  busy_of(BoardUnit::oht) += dma;
}

/// As an engine that computes counts.
void BoardTime::count_turns(std::uint64_t particles, std::uint64_t turns, const WordsOfRun& words) {
  Counters& counters = totals_.counters;
  const auto record_words = static_cast<std::uint64_t>(record_words_);
  const auto i_fields = static_cast<std::uint64_t>(i_fields_);
  const std::uint64_t streamed = turns * kBlocks * record_words;
  counters.runs += chips_;
  counters.iterations += turns * chips_;
  count_section(isa::Section::loop_initialization, chips_);
  count_section(isa::Section::loop_body, turns * chips_);
  count_section(isa::Section::loop_termination, chips_);
  counters.host_bytes_in += particles * i_fields * static_cast<std::uint64_t>(kHostFieldBytes);
  counters.em_words_read += chips_ * streamed;
  counters.idp_words += chips_ * streamed + blocks_of(particles) * kParticlesPerRun * i_fields;
  const std::uint64_t combined = words.turns.combined + words.termination.combined;
  const std::uint64_t separate = words.turns.separate + words.termination.separate;
  counters.odp_words += chips_ * (combined + separate);
  counters.ring_words += (chips_ - 1) * combined;
  counters.host_bytes_out += (combined + chips_ * separate) * static_cast<std::uint64_t>(kHostFieldBytes);
}

}  // namespace gdr::emulator
