#include "gdr/hostlib/dgemm_model.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "gdr/base/names.h"
#include "gdr/base/units.h"
#include "gdr/emulator/schedule.h"

namespace gdr {
namespace {

constexpr base::Names<SmallDepths> kDepthNames({{SmallDepths::own_rows, "own-rows"},
                                                {SmallDepths::fixed_unit, "fixed-unit"}});
constexpr double kFieldBytes = 8;
/// The transposed product has to be this much faster, since its results are written across the columns of C.
constexpr double kWorthTransposing = 0.9;

double flops_per_turn(const DgemmBlocking& blocking) {
  return 2.0 * blocking.rows() * blocking.columns * blocking.k_per_chip();
}

}  // namespace

std::string_view name_of(SmallDepths small_depths) { return kDepthNames[small_depths]; }

double peak_gflops_in_doubles(const emulator::MachineDescription& machine, unsigned boards) {
  constexpr double kClocksOfPair = 2;  // fmulh and fmull, one element a clock each
  const double pes = double{emulator::kPesPerBlock} * emulator::kBlocks * machine.chips * boards;
  return 2 * pes / kClocksOfPair * machine.clock_mhz / 1e3;
}

DgemmModel::DgemmModel(const isa::Program& program, const emulator::MachineDescription& machine, unsigned boards)
    : machine_(machine), boards_(boards), blocking_(dgemm_blocking(program)) {
  for (const isa::Variable& variable : program.variables) {
    if (variable.name == "a_low") fields_ = 2;
  }
  std::vector<isa::Line> lines;
  emulator::SideTraffic beside;
  beside.idp_words = std::uint64_t{emulator::kBlocks} * program.record_words;
  const isa::Visitor visitor{[&](const isa::ProgramLine& line) { lines.push_back(isa::decoded(line.word)); },
                             [](const isa::TransferStep&) {},  // moves the record, which is counted above
                             [&](const isa::CollectStep& collect) { beside.tree_words += collect.words_out(); }};
  for (const isa::Step& step : program.steps(isa::Section::loop_body)) std::visit(visitor, step);
  const emulator::PortTiming timing = emulator::port_timing(machine);
  clocks_per_turn_ = emulator::schedule_pass(lines, emulator::paced(lines, beside, timing), timing).clocks;
}

double DgemmModel::kernel_gflops() const {
  return flops_per_turn(blocking_) * machine_.chips * machine_.clock_mhz / static_cast<double>(clocks_per_turn_) / 1e3;
}

double DgemmModel::turn_seconds(unsigned ring) const {
  const double refresh = machine_.em_refresh_ns / (machine_.em_refresh_interval_us * 1e3);
  const double chip = static_cast<double>(clocks_per_turn_) * (1 + refresh) / (machine_.clock_mhz * kMega);
  // Reduce-scatter: every chip passes on the words that other chips add up, and sends its own sums to the host.
  const double bytes = kFieldBytes * blocking_.rows() * blocking_.columns;
  const double on_link = bytes * (ring - 1) / ring / (machine_.ring_mb * kMega);
  const double to_host = bytes / ring / (machine_.result_dma_mb * kMega);
  return std::max({chip, on_link, to_host});
}

double DgemmModel::write_rate(emulator::TransferMode mode, unsigned boards) const {
  const double together = mode == emulator::TransferMode::ideal ? machine_.send_ideal_mb : machine_.host_write_2009_mb;
  return std::min(machine_.pio_mb, together / (machine_.chips * boards)) * kMega;
}

DgemmTimes DgemmModel::times(std::uint64_t m, std::uint64_t n, std::uint64_t k, const DgemmTransfer& transfer) const {
  DgemmTimes times;
  if (m == 0 || n == 0 || k == 0) return times;
  const unsigned least_ring = transfer.small_depths == SmallDepths::fixed_unit ? std::bit_floor(machine_.chips) : 1;
  const DgemmSharing sharing = share_dgemm(blocking_, m, k, machine_.chips, boards_, least_ring);
  const double turns = std::ceil(static_cast<double>(n) / blocking_.columns);
  const double rows = static_cast<double>(blocking_.rows()) * sharing.rings;
  const double runs = std::ceil(static_cast<double>(m) / rows) * static_cast<double>(sharing.passes);
  const double k_of_chip = static_cast<double>(sharing.k_per_pass) / sharing.ring;
  const double seconds_of_word = kFieldBytes / write_rate(transfer.mode, sharing.boards);

  times.b_send = static_cast<double>(n) * k_of_chip * static_cast<double>(sharing.passes) * fields_ * seconds_of_word;
  const double a_words = blocking_.rows() * k_of_chip * fields_;
  const double buffer =
      static_cast<double>(transfer.buffer_words == 0 ? machine_.overlap_words : transfer.buffer_words);
  const double refills = std::floor(turns / machine_.overlap_turns);
  // As published, transfers are hidden from a certain size on and not below it. So a block of A that cannot arrive
  // whole while lines run saves no time.
  const double hidden = transfer.overlap && buffer * refills >= a_words ? a_words : 0;
  times.a_send = (runs - 1) * (a_words - hidden) * seconds_of_word + a_words * seconds_of_word;
  const double load_clocks = a_words * machine_.idp_clocks;
  times.a_load = runs * load_clocks / (machine_.clock_mhz * kMega);
  const double lines = turns * turn_seconds(sharing.ring) + machine_.run_start_us * kMicro;
  times.compute = runs * std::max(lines, hidden * seconds_of_word);
  times.clocks = static_cast<std::uint64_t>(runs * (load_clocks + turns * static_cast<double>(clocks_per_turn_)));
  times.useful_flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  times.executed_flops = runs * turns * flops_per_turn(blocking_) * sharing.ring * sharing.rings;
  return times;
}

BoardProduct DgemmModel::product(std::uint64_t m, std::uint64_t n, std::uint64_t k,
                                 const DgemmTransfer& transfer) const {
  BoardProduct as_given{false, times(m, n, k, transfer)};
  BoardProduct across{true, times(n, m, k, transfer)};
  return across.times.total() < kWorthTransposing * as_given.times.total() ? across : as_given;
}

}  // namespace gdr
