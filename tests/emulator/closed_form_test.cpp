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

TEST(ClosedForm, ClocksOfARunAreTheSumOfItsParts) {
  const RunClocks clocks = run_clocks(program(), load_machine("model1800"), 33);  // three iterations of 16
  EXPECT_EQ(clocks.i_load, 2u * 128u * 2u) << "each word through the input port, then into its PE";
  EXPECT_EQ(clocks.loop_initialization, 2u * 4u);
  EXPECT_EQ(clocks.first_record, 16u * 3u);
  EXPECT_EQ(clocks.loop_body, 3u * 48u) << "16 records of 3 words take longer than 3 lines";
  EXPECT_EQ(clocks.stall, 3u * 32u);
  EXPECT_EQ(clocks.loop_termination, 4u);
  EXPECT_EQ(clocks.collection, 128u + 16u + 2u * 128u);
  EXPECT_EQ(clocks.total(), 512u + 8u + 48u + 144u + 96u + 4u + 400u);
}

TEST(ClosedForm, NoRecordsNoIterations) {
  const RunClocks clocks = run_clocks(program(), load_machine("model1800"), 0);
  EXPECT_EQ(clocks.first_record + clocks.loop_body + clocks.stall, 0u);
  EXPECT_GT(clocks.total(), 0u);
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
  EXPECT_DOUBLE_EQ(seconds.compute, 2 * ((48 + 144 + 96) / 100e6 + 32.5e-6 + 128 * 8 / 541e6));
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

TEST(ClosedForm, LinesExecutedAreTheLinesCounted) {
  class Counter final : public Observer {
   public:
    void on_issue(const IssueEvent& event) override {
      if (event.block == 0) ++lines;
    }
    std::uint64_t lines = 0;
  };
  for (const std::uint64_t records : {0u, 1u, 64u, 65u, 4096u}) {
    Boards boards(load_machine("model1800"), 1, Engine::reference, 1);
    Counter counter;
    boards.load(program());
    dynamic_cast<ReferenceChip&>(boards.chip(0).chip()).set_observer(&counter);
    const std::vector<std::uint64_t> particles(2 * 5, 0);
    static_cast<void>(boards.run(particles, 5, 0, records));
    EXPECT_EQ(counter.lines, boards.chip(0).counters().lines) << records;
    const RunClocks clocks = run_clocks(program(), boards.machine(), (records + 3) / 4);
    const std::uint64_t iterations = ((records + 3) / 4 + 15) / 16;
    EXPECT_EQ(counter.lines * isa::kClocksPerLine,
              clocks.loop_initialization + clocks.loop_termination + iterations * 3 * isa::kClocksPerLine);
  }
}

}  // namespace
}  // namespace gdr::emulator
