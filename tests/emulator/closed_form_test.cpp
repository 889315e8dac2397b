// Clocks and seconds against sums written out by hand, and lines counted against lines executed.
#include "gdr/emulator/closed_form.h"

#include <gtest/gtest.h>

#include "gdr/assembler/assembler.h"
#include "gdr/emulator/board.h"

namespace gdr::emulator {
namespace {

/// Three fields of j-data, two of i-data, one result; 2 + 3 + 1 lines.
constexpr std::string_view kKernel = R"(kernel k
flops 10
bvar long xj[3] elt flt64to72
var vector long xi[2] hlt flt64to72
var vector long sum rrn flt72to64 fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fsub xj[0] xi[0] $lt
  nop
  fadd sum $lt sum
loop termination
  nop
)";

isa::Program program(std::string_view source = kKernel) {
  assembler::AssembleResult result = assembler::assemble(source, "k.vsm");
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *result.program;
}

TEST(ClosedForm, StagesFollowTheRates) {
  MachineDescription machine = load_machine("model1800");
  machine.clock_mhz = 100;
  ClosedForm form(program(), machine, 1, TransferMode::as_of_2009);
  form.send_j(1000);
  form.run(256, 4 * 33);  // two runs, 33 records on each chip
  const StageSeconds& seconds = form.seconds();
  EXPECT_DOUBLE_EQ(seconds.j_send, 1000 * 24 / 162.7e6);
  EXPECT_DOUBLE_EQ(seconds.i_send, 256 * 16 / 210.3e6);
  EXPECT_DOUBLE_EQ(seconds.compute, 2 * ((40 + 2 * 48 + 12 + 3 * 28 + 2) / 100e6 + 32.5e-6 + 128 * 8 / 541e6));
  EXPECT_DOUBLE_EQ(seconds.add, 256 * 3 / 6.3e8);
  EXPECT_EQ(form.interactions(), 256u * 132u);
}

TEST(ClosedForm, TwiceTheClockHalvesTheLoop) {
  MachineDescription machine = load_machine("model1800");
  machine.run_start_us = 0;
  machine.result_dma_mb = 1e6;
  const auto compute = [&](double clock) {
    machine.clock_mhz = clock;
    machine.loop_stall = 0;
    ClosedForm form(program(), machine, 1, TransferMode::as_of_2009);
    form.run(128, 1 << 20);
    return form.seconds().compute;
  };
  const double dma = 128 * 8 / 1e12;
  EXPECT_DOUBLE_EQ(compute(200) - dma, 2 * (compute(400) - dma));
}

}  // namespace
}  // namespace gdr::emulator
