#include "gdr/emulator/closed_form.h"

#include "gdr/emulator/chip.h"

namespace gdr::emulator {
namespace {

constexpr double kMega = 1e6;
constexpr double kFieldBytes = 8;

}  // namespace

StageSeconds& StageSeconds::operator+=(const StageSeconds& other) {
  i_send += other.i_send;
  j_send += other.j_send;
  compute += other.compute;
  add += other.add;
  return *this;
}

ClosedForm::ClosedForm(const isa::Program& program, const MachineDescription& machine, unsigned boards,
                       TransferMode mode)
    : program_(program), schedule_(program, machine), machine_(machine), chips_(boards * machine.chips), mode_(mode) {}

void ClosedForm::send_j(std::uint64_t records) {
  const double bytes = kFieldBytes * static_cast<double>(records * program_.record_fields(isa::Transfer::elt));
  const double rate = mode_ == TransferMode::ideal ? machine_.send_ideal_mb : machine_.j_send_2009_mb;
  seconds_.j_send += bytes / (rate * kMega);
}

void ClosedForm::run(std::uint64_t particles, std::uint64_t records) {
  const std::uint64_t runs = (particles + kParticlesPerRun - 1) / kParticlesPerRun;
  const RunClocks one = schedule_.run((records + chips_ - 1) / chips_);
  clocks_ += one.times(runs);
  const auto count = static_cast<double>(particles);
  const double i_bytes = kFieldBytes * count * static_cast<double>(program_.record_fields(isa::Transfer::hlt));
  const double fields = static_cast<double>(program_.record_fields(isa::Transfer::rrn));
  const double i_rate = mode_ == TransferMode::ideal ? machine_.send_ideal_mb : machine_.i_send_2009_mb;
  // What the measured start of a run already holds (loading, initialization, collection) is not counted again.
  const double loop_clocks = static_cast<double>(one.first_record + one.loop_body + one.stall);
  const double own_clocks = static_cast<double>(one.total());
  const double chip = mode_ == TransferMode::ideal
                          ? own_clocks / (machine_.clock_mhz * kMega)
                          : loop_clocks / (machine_.clock_mhz * kMega) + machine_.run_start_us / kMega;
  const double result_dma = kFieldBytes * kParticlesPerRun * fields / (machine_.result_dma_mb * kMega);
  seconds_.i_send += i_bytes / (i_rate * kMega);
  seconds_.compute += static_cast<double>(runs) * (chip + result_dma);
  seconds_.add += count * fields * (chips_ - 1) / machine_.host_add_rate;
  interactions_ += particles * records;
}

}  // namespace gdr::emulator
