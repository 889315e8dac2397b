#include "gdr/emulator/board_time.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gdr/base/names.h"
#include "gdr/base/units.h"
#include "gdr/emulator/chip.h"

namespace gdr::emulator {
namespace {

constexpr double kFieldBytes = 8;
constexpr double kRingWordBytes = 8;  // sums travel in the size of the host's fields [ours, the record is silent]

constexpr base::Names<BoardUnit> kUnitNames({{BoardUnit::host, "host"},
                                             {BoardUnit::hic, "HIC"},
                                             {BoardUnit::het, "HET"},
                                             {BoardUnit::emi, "EMI"},
                                             {BoardUnit::eit, "EIT"},
                                             {BoardUnit::sdi, "SDI"},
                                             {BoardUnit::coc, "COC"},
                                             {BoardUnit::sci, "SCI"},
                                             {BoardUnit::chip, "chip"},
                                             {BoardUnit::odprrn, "ODPRRN"},
                                             {BoardUnit::oht, "OHT"}});

std::uint64_t parts(std::uint64_t whole, std::uint64_t part) { return (whole + part - 1) / part; }

}  // namespace

std::string_view name_of(BoardUnit unit) { return kUnitNames[unit]; }

StageSeconds& StageSeconds::operator+=(const StageSeconds& other) {
  i_send += other.i_send;
  j_send += other.j_send;
  compute += other.compute;
  add += other.add;
  host += other.host;
  return *this;
}

StageSeconds StageSeconds::times(double factor) const {
  return {i_send * factor, j_send * factor, compute * factor, add * factor, host * factor};
}

double pipelined(double items, std::initializer_list<double> stage_seconds) {
  if (items <= 0) return 0;
  const double slowest = std::max(stage_seconds);
  return std::accumulate(stage_seconds.begin(), stage_seconds.end(), 0.0) + (items - 1) * slowest;
}

BoardTime::BoardTime(const isa::Program& program, const MachineDescription& machine, unsigned boards, TransferMode mode)
    : schedule_(program, machine),
      machine_(machine),
      chips_(boards * machine.chips),
      mode_(mode),
      i_fields_(static_cast<double>(program.record_fields(isa::Transfer::hlt))),
      j_fields_(static_cast<double>(program.record_fields(isa::Transfer::elt))),
      result_fields_(static_cast<double>(program.record_fields(isa::Transfer::rrn))),
      record_words_(program.record_words) {
  if (program.is_type2()) turns_.emplace(program, machine);
  const auto take_collects = [&](isa::Section section, std::vector<isa::CollectStep>& collects) {
    for (const isa::Step& step : program.steps(section)) {
      if (const auto* const collect = std::get_if<isa::CollectStep>(&step)) collects.push_back(*collect);
    }
  };
  take_collects(isa::Section::loop_body, body_collects_);
  take_collects(isa::Section::loop_termination, termination_collects_);
  count_section(isa::Section::initialization, chips_);
  for (std::size_t n = 0; n < program.parameters.size(); ++n) set_parameter();  // their defaults
}

void BoardTime::set_parameter() {
  totals_.counters.host_bytes_in += chips_ * static_cast<std::uint64_t>(kFieldBytes);
  totals_.counters.idp_words += chips_;
}

void BoardTime::count_section(isa::Section section, std::uint64_t times) {
  for (const ScheduledLine& line : schedule_.pass(section).lines) {
    totals_.counters.lines += times;
    totals_.counters.adder_lines += line.adder ? times : 0;
    totals_.counters.multiplier_lines += line.multiplier ? times : 0;
    totals_.counters.alu_lines += line.alu ? times : 0;
    totals_.counters.bm_lines += line.bm_reads + line.bm_writes > 0 ? times : 0;
  }
}

double BoardTime::clocks_to_seconds(double clocks) const { return clocks / (machine_.clock_mhz * kMega); }

double BoardTime::pio_seconds(double bytes, double swaps) const {
  // pio_rate was measured on whole buffers and includes one swap for each.
  const double swap = machine_.pio_swap_us * kMicro;
  const double buffer = machine_.pio_buffer;
  const double byte = (buffer / (machine_.pio_mb * kMega) - swap) / buffer;
  return bytes * byte + swaps * swap;
}

double BoardTime::j_seconds(std::uint64_t records) const {
  // Writes are posted, and the stages work side by side, so the host waits only for the slowest stage.
  const double bytes = kFieldBytes * j_fields_;
  const double conversion = j_fields_ / (machine_.fpga_clock_mhz * kMega);
  const double memory = record_words_ / (machine_.em_rate * kMega);
  const auto count = static_cast<double>(records);
  // Each record swaps the buffers of the one chip that it goes to.
  if (mode_ == TransferMode::as_of_2009) return count * std::max({pio_seconds(bytes, 1), conversion, memory});
  // Whole buffers go to all chips at once, as fast as the host can send.
  const double chip = std::max({pio_seconds(bytes, bytes / machine_.pio_buffer), conversion, memory});
  return count * std::max(chip / chips_, bytes / (machine_.send_ideal_mb * kMega));
}

RunSeconds BoardTime::one_run(std::uint64_t particles, std::uint64_t records) const {
  const double bytes = kFieldBytes * i_fields_ * static_cast<double>(particles);
  const RunClocks clocks = schedule_.run(records_per_chip(records));
  const double field_dma = kFieldBytes * kParticlesPerRun / (machine_.result_dma_mb * kMega);
  const double field_collection = clocks_to_seconds(static_cast<double>(schedule_.result_field_clocks()));
  RunSeconds run;
  run.i_load = clocks_to_seconds(static_cast<double>(clocks.i_load));
  run.loop = clocks_to_seconds(static_cast<double>(clocks.loop()));
  run.collection = clocks_to_seconds(static_cast<double>(clocks.collection));
  if (mode_ == TransferMode::as_of_2009) {
    // The host sends the same data to each chip separately. DMA starts when OHT has the whole result.
    const double link = pio_seconds(bytes, std::ceil(bytes / machine_.pio_buffer));
    run.i_write = std::max(link, bytes * chips_ / (machine_.host_write_2009_mb * kMega));
    run.start = machine_.run_start_us * kMicro;
    run.result_dma = result_fields_ * field_dma;
  } else {
    // The host sends different data to each chip, and neighbours pass them on. While a field is collected, the ring
    // adds up the one before it, and each OHT sends its part of the sums before that.
    const double link = pio_seconds(bytes / chips_, std::ceil(bytes / chips_ / machine_.pio_buffer));
    run.i_write = beside_load(std::max(link, bytes / (machine_.send_ideal_mb * kMega)), run.i_load);
    run.start = machine_.run_start_ideal_us * kMicro;
    const double field_ring = ring_seconds(kParticlesPerRun);
    run.result_dma =
        pipelined(result_fields_, {field_collection, field_ring, field_dma / machine_.chips}) - run.collection;
  }
  return run;
}

StageSeconds BoardTime::run_seconds(std::uint64_t particles, std::uint64_t records) const {
  const std::uint64_t full = particles / kParticlesPerRun;
  const std::uint64_t rest = particles % kParticlesPerRun;
  StageSeconds seconds;
  const auto add_runs = [&](std::uint64_t runs, std::uint64_t in_run) {
    if (runs == 0) return;
    const RunSeconds one = one_run(in_run, records);
    const auto count = static_cast<double>(runs);
    seconds.i_send += count * (one.i_write + one.i_load);
    seconds.compute += count * (one.start + one.loop + one.collection + one.result_dma);
  };
  add_runs(full, kParticlesPerRun);
  add_runs(rest > 0 ? 1 : 0, rest);
  seconds.add = static_cast<double>(particles) * result_fields_ * (streams() - 1) / machine_.host_add_rate;
  return seconds;
}

double BoardTime::beside_load(double i_write, double i_load) const {
  return pipelined(i_fields_, {i_write / i_fields_, i_load / i_fields_}) - i_load;
}

unsigned BoardTime::streams() const { return mode_ == TransferMode::ideal ? chips_ / machine_.chips : chips_; }

double BoardTime::integration_seconds(std::uint64_t particles, std::uint64_t n) const {
  // Particles that are not in the cache must be fetched.
  const double held =
      machine_.host_cache / (static_cast<double>(std::max<std::uint64_t>(n, 1)) * machine_.host_particle);
  const double missed = std::max(0.0, 1 - held);
  return static_cast<double>(particles) * (machine_.host_step_us + missed * machine_.host_miss_us) * kMicro;
}

double BoardTime::ring_seconds(std::uint64_t words) const {
  // Each chip's part passes through the other chips one after the other. All links work at the same time.
  const double chips = machine_.chips;
  return static_cast<double>(words) * kRingWordBytes * (chips - 1) / chips / (machine_.ring_mb * kMega);
}

void BoardTime::keep(BoardCall::Kind kind, double seconds, std::uint64_t particles, std::uint64_t records) {
  if (keeps_calls_) calls_.push_back({kind, totals_.seconds.total(), seconds, particles, records});
}

void BoardTime::send_j(std::uint64_t records) {
  const double seconds = j_seconds(records);
  keep(BoardCall::Kind::send_j, seconds, records, 0);
  totals_.seconds.j_send += seconds;
  const auto count = static_cast<double>(records);
  const auto words = static_cast<std::uint64_t>(count * record_words_);
  totals_.counters.host_bytes_in += static_cast<std::uint64_t>(count * j_fields_ * kFieldBytes);
  totals_.counters.em_words_written += words;
  busy_of(BoardUnit::host) += seconds;
  busy_of(BoardUnit::hic) += seconds / chips_;
  busy_of(BoardUnit::het) += count * j_fields_ / (machine_.fpga_clock_mhz * kMega) / chips_;
  busy_of(BoardUnit::emi) += static_cast<double>(words) / (machine_.em_rate * kMega) / chips_;
}

void BoardTime::run(std::uint64_t particles, std::uint64_t records) {
  const StageSeconds seconds = run_seconds(particles, records);
  keep(BoardCall::Kind::run, seconds.total(), particles, records);
  totals_.seconds += seconds;
  const std::uint64_t runs = parts(particles, kParticlesPerRun);
  const RunClocks one = schedule_.run(records_per_chip(records));
  const std::uint64_t iterations = parts(records_per_chip(records), kBlocks);
  totals_.clocks += one.times(runs);
  totals_.runs += runs;
  totals_.iterations += runs * iterations;
  totals_.interactions += particles * records;

  const auto run_count = static_cast<double>(runs);
  const auto count = static_cast<double>(particles);
  const double results = run_count * kParticlesPerRun * result_fields_;
  std::uint64_t streamed = 0;  // records of all chips, including the empty places in their last iterations
  std::uint64_t read = 0;
  for (unsigned chip = 0; chip < chips_; ++chip) {
    const std::uint64_t own = (records + chips_ - 1 - chip) / chips_;
    read += own;
    streamed += parts(own, kBlocks) * kBlocks;
  }
  const auto record_words = static_cast<std::uint64_t>(record_words_);
  const auto i_words = static_cast<std::uint64_t>(run_count * kParticlesPerRun * i_fields_);
  totals_.counters.runs += runs * chips_;
  totals_.counters.iterations += runs * streamed / kBlocks;
  count_section(isa::Section::loop_initialization, runs * chips_);
  count_section(isa::Section::loop_body, runs * streamed / kBlocks);
  count_section(isa::Section::loop_termination, runs * chips_);
  totals_.counters.host_bytes_in += static_cast<std::uint64_t>(count * i_fields_ * kFieldBytes) * chips_;
  totals_.counters.host_bytes_out += static_cast<std::uint64_t>(results * kFieldBytes) * streams();
  totals_.counters.ring_words += static_cast<std::uint64_t>(results) * (chips_ - streams());
  totals_.counters.em_words_read += runs * read * record_words;
  totals_.counters.idp_words += i_words * chips_ + runs * streamed * record_words;
  totals_.counters.odp_words += static_cast<std::uint64_t>(results) * chips_;

  const double dma = results * kFieldBytes * streams() / chips_ / (machine_.result_dma_mb * kMega);
  const double loop = clocks_to_seconds(static_cast<double>(one.loop())) * run_count;
  const double lines = static_cast<double>(one.loop_initialization + one.loop_body + one.loop_termination);
  const double i_load = clocks_to_seconds(static_cast<double>(one.i_load)) * run_count;
  const double start = (mode_ == TransferMode::ideal ? machine_.run_start_ideal_us : machine_.run_start_us) * kMicro;
  const double sent = seconds.i_send - i_load;
  const double stream_words = static_cast<double>(runs * iterations * kBlocks * record_words);
  busy_of(BoardUnit::host) += sent + start * run_count + seconds.add;
  busy_of(BoardUnit::hic) += sent + dma;
  busy_of(BoardUnit::het) += count * i_fields_ / (machine_.fpga_clock_mhz * kMega);
  busy_of(BoardUnit::emi) += stream_words / (machine_.em_rate * kMega);
  busy_of(BoardUnit::eit) += clocks_to_seconds(stream_words * port_timing(machine_).idp_interval);
  busy_of(BoardUnit::sdi) +=
      clocks_to_seconds(stream_words * machine_.idp_clocks + results * machine_.odp_clocks) + i_load;
  busy_of(BoardUnit::coc) += loop + clocks_to_seconds(static_cast<double>(one.collection)) * run_count;
  busy_of(BoardUnit::sci) += clocks_to_seconds(lines) * run_count;
  busy_of(BoardUnit::chip) += clocks_to_seconds(static_cast<double>(one.total())) * run_count;
  busy_of(BoardUnit::oht) += dma;
}

void BoardTime::integrate(std::uint64_t particles, std::uint64_t n) {
  const double seconds = integration_seconds(particles, n);
  keep(BoardCall::Kind::host, seconds, particles, n);
  totals_.seconds.host += seconds;
  busy_of(BoardUnit::host) += seconds;
}

}  // namespace gdr::emulator
