// Seconds of the board: against sums by hand, against itself with other parameters, and bytes against those that an
// engine moves.
#include "gdr/emulator/board_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <queue>

#include "gdr/assembler/assembler.h"
#include "gdr/emulator/board.h"

namespace gdr::emulator {
namespace {

/// Twenty fields of j-data, two of i-data, two results.
constexpr std::string_view kKernel = R"(kernel k
flops 10
bvar long xj[20] elt flt64to72
param scale : long flt64to72 = 1
var vector long xi[2] hlt flt64to72
var vector long sum[2] rrn flt72to64 fadd
initialization
  nop
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum[0]
  upassa $lt sum[1]
loop body
  fsub xj[0] xi[0] $lt
  fadd xj[1] xi[1] $lt
  fmul $lti fs"2" $lt
  fadd sum[0] $lt sum[0]
loop termination
  nop
)";

isa::Program assembled(std::string_view source) {
  assembler::AssembleResult result = assembler::assemble(source, "k.vsm");
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *result.program;
}

const isa::Program& program() {
  static const isa::Program one = assembled(kKernel);
  return one;
}

/// The same, and PE 5 stores to broadcast memory.
isa::Program storing_program() {
  const std::string_view before = "bvar long xj[20]";
  std::string source(kKernel);
  source.insert(source.find(before), "bvar vector long kept\n");
  source.insert(source.find("loop termination"), "  bm sum[1] kept @5\n");
  return assembled(source);
}

constexpr std::uint64_t kParticles = 1000;
constexpr std::uint64_t kRecords = 100000;

BoardTime evaluated(const MachineDescription& machine, TransferMode mode = TransferMode::as_of_2009) {
  BoardTime board(program(), machine, 1, mode);
  board.send_j(kRecords);
  board.run(kParticles, kRecords);
  board.integrate(kParticles, kRecords);
  return board;
}

/// All that is not a rate of the chip's own clocks is as good as free.
MachineDescription without_overheads() {
  MachineDescription machine = load_machine("model1800");
  machine.loop_stall = 0;
  machine.em_refresh_ns = 0;
  machine.em_row_ns = 0;
  machine.em_rate = 1e5;
  machine.run_start_us = 0;
  machine.run_start_ideal_us = 0;
  machine.result_dma_mb = 1e6;
  machine.pio_swap_us = 0;
  machine.pio_mb = 1e6;
  machine.host_write_2009_mb = 1e6;
  machine.send_ideal_mb = 1e6;
  machine.fpga_clock_mhz = 1e4;
  machine.host_add_rate = 1e15;
  machine.host_step_us = 0;
  machine.host_miss_us = 0;
  return machine;
}

TEST(BoardTime, WithoutOverheadsItIsTheClocksOfTheLoop) {
  const MachineDescription machine = without_overheads();
  const BoardTime board = evaluated(machine);
  const std::uint64_t runs = 8;                     // of 128
  const std::uint64_t iterations = 1563;            // of 25,000 records, 16 at a time
  const std::uint64_t per_run = 2 * 256             // i-data: through IDP, then into the PEs
                                + iterations * 320  // 16 records of 20 words, the first beside the initialization
                                + 4 * 4             // the last iteration, which waits for nothing
                                + 4 + 2 * (128 + 256 + 16);
  EXPECT_EQ(board.clocks().total(), runs * per_run);
  const StageSeconds& seconds = board.seconds();
  EXPECT_NEAR(seconds.compute + seconds.i_send, static_cast<double>(runs * per_run) / 400e6, 1e-7);
  EXPECT_NEAR(seconds.j_send, kRecords * 20 / 10e9, 1e-6) << "HET takes a field a clock of 10 GHz, the most there is";
}

TEST(BoardTime, TwiceTheClockHalvesTheChipsTime) {
  MachineDescription machine = load_machine("model1800");
  machine.clock_mhz = 200;
  const BoardTime slow = evaluated(machine);
  machine.clock_mhz = 400;
  const BoardTime fast = evaluated(machine);
  EXPECT_EQ(slow.clocks().total(), fast.clocks().total());
  EXPECT_EQ(slow.busy(BoardUnit::chip), 2 * fast.busy(BoardUnit::chip)) << "exactly";
  const RunSeconds one = slow.one_run(128, kRecords);
  const RunSeconds other = fast.one_run(128, kRecords);
  EXPECT_EQ(one.loop, 2 * other.loop);
  EXPECT_EQ(one.i_load, 2 * other.i_load);
  EXPECT_EQ(one.collection, 2 * other.collection);
  EXPECT_EQ(one.start, other.start);
  EXPECT_EQ(one.result_dma, other.result_dma);
  EXPECT_EQ(slow.seconds().j_send, fast.seconds().j_send);
}

TEST(BoardTime, TwiceTheDmaRateHalvesTheDma) {
  MachineDescription machine = load_machine("model1800");
  const RunSeconds slow = evaluated(machine).one_run(128, kRecords);
  machine.result_dma_mb *= 2;
  const RunSeconds fast = evaluated(machine).one_run(128, kRecords);
  EXPECT_EQ(slow.result_dma, 2 * fast.result_dma);
  EXPECT_EQ(slow.loop, fast.loop);
  EXPECT_DOUBLE_EQ(slow.result_dma, 128 * 2 * 8 / 541e6);
}

TEST(BoardTime, EachParameterMovesTheResultItsWay) {
  struct Change {
    const char* name;
    std::function<void(MachineDescription&)> apply;
    bool longer;
    TransferMode mode = TransferMode::as_of_2009;
  };
  using M = MachineDescription;
  const auto ideal = TransferMode::ideal;
  const std::vector<Change> changes{
      {"clock", [](M& m) { m.clock_mhz *= 1.1; }, false},
      {"chips", [](M& m) { m.chips *= 2; }, false},
      {"em_rate", [](M& m) { m.em_rate = 300; }, true},
      {"em_row_words", [](M& m) { m.em_row_words = 8; }, true},
      {"em_row_time", [](M& m) { m.em_row_ns = 3000; }, true},
      {"em_refresh_interval", [](M& m) { m.em_refresh_interval_us *= 2; }, false},
      {"em_refresh_time", [](M& m) { m.em_refresh_ns += 20; }, true},
      {"idp_clocks", [](M& m) { m.idp_clocks = 2; }, true},
      {"odp_clocks", [](M& m) { m.odp_clocks += 1; }, true},
      {"tree_latency", [](M& m) { m.tree_latency += 100; }, true},
      {"loop_stall", [](M& m) { m.loop_stall += 1; }, true},
      {"run_start", [](M& m) { m.run_start_us += 1; }, true},
      {"run_start_ideal", [](M& m) { m.run_start_ideal_us += 1; }, true, ideal},
      {"result_dma_rate", [](M& m) { m.result_dma_mb *= 0.9; }, true},
      {"pio_rate", [](M& m) { m.pio_mb *= 0.9; }, true},
      {"pio_swap", [](M& m) { m.pio_swap_us += 0.1; }, true},
      {"pio_buffer, with which pio_rate is reached", [](M& m) { m.pio_buffer /= 8; }, false},
      {"host_write_rate_2009", [](M& m) { m.host_write_2009_mb *= 0.9; }, true},
      {"send_rate_ideal", [](M& m) { m.send_ideal_mb *= 0.9; }, true, ideal},
      {"ring_rate", [](M& m) { m.ring_mb *= 0.9; }, true, ideal},
      {"fpga_clock", [](M& m) { m.fpga_clock_mhz = 10; }, true},
      {"host_add_rate", [](M& m) { m.host_add_rate *= 0.9; }, true},
      {"host_step", [](M& m) { m.host_step_us += 0.1; }, true},
      {"host_miss", [](M& m) { m.host_miss_us += 0.1; }, true},
      {"host_cache", [](M& m) { m.host_cache *= 2; }, false},
      {"host_particle", [](M& m) { m.host_particle *= 2; }, true},
  };
  for (const Change& change : changes) {
    MachineDescription machine = load_machine("model1800");
    const double before = evaluated(machine, change.mode).seconds().total();
    change.apply(machine);
    const double after = evaluated(machine, change.mode).seconds().total();
    EXPECT_TRUE(change.longer ? after > before : after < before) << change.name << ": " << before << " to " << after;
  }
}

TEST(BoardTime, TheRingsRateMovesTheRing) {
  MachineDescription machine = load_machine("model1800");
  EXPECT_DOUBLE_EQ(evaluated(machine).ring_seconds(512), 512 * 8 * 0.75 / 1e9);
  machine.ring_mb *= 2;
  EXPECT_DOUBLE_EQ(evaluated(machine).ring_seconds(512), 512 * 8 * 0.75 / 2e9);
  machine.chips = 1;
  EXPECT_EQ(evaluated(machine).ring_seconds(512), 0);
}

TEST(BoardTime, TheIdealModeIsFaster) {
  const MachineDescription machine = load_machine("model1800");
  const StageSeconds then = evaluated(machine).seconds();
  const StageSeconds planned = evaluated(machine, TransferMode::ideal).seconds();
  EXPECT_LT(planned.i_send, then.i_send);
  EXPECT_LT(planned.j_send, then.j_send / 10);
  EXPECT_LT(planned.compute, then.compute);
  EXPECT_EQ(planned.add, 0) << "one board, whose ring adds up its chips";
}

TEST(BoardTime, PublishedRatesComeBack) {
  const MachineDescription machine = load_machine("model1800");
  const BoardTime board = evaluated(machine);
  // Koike et al. 2009: 160-byte records at 162.7 MB/s, section 3.2.
  EXPECT_NEAR(160 / (board.j_seconds(1000001) - board.j_seconds(1)) * 1000000, 162.7e6, 0.1e6);
}

/// Items through stages, each with a double buffer before it, event by event.
double played(unsigned items, const std::vector<double>& stages) {
  std::vector<std::vector<double>> begins(stages.size(), std::vector<double>(items));
  const auto end = [&](std::size_t stage, unsigned item) { return begins[stage][item] + stages[stage]; };
  for (unsigned item = 0; item < items; ++item) {
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      double begin = stage > 0 ? end(stage - 1, item) : 0;
      if (item > 0) begin = std::max(begin, end(stage, item - 1));
      // Its result needs a place: one of two buffers of the next stage, free when the item before last was taken.
      if (stage + 1 < stages.size() && item >= 2) begin = std::max(begin, begins[stage + 1][item - 2]);
      begins[stage][item] = begin;
    }
  }
  return end(stages.size() - 1, items - 1);
}

TEST(BoardTime, DoubleBuffersRunAtThePaceOfTheSlowestStage) {
  for (const auto& stages : std::vector<std::vector<double>>{{3, 1, 2}, {1, 2, 3}, {2, 5, 1}, {4, 4, 4}}) {
    for (const unsigned items : {1u, 2u, 7u, 100u}) {
      EXPECT_DOUBLE_EQ(pipelined(items, {stages[0], stages[1], stages[2]}), played(items, stages));
    }
  }
  EXPECT_EQ(pipelined(0, {1, 2}), 0);
}

TEST(BoardTime, TheIdealModeCollectsAddsUpAndSendsSideBySide) {
  MachineDescription machine = load_machine("model1800");
  for (const double ring : {10.0, 1000.0}) {
    for (const double rate : {100.0, 541.0, 1e6}) {
      machine.ring_mb = ring;
      machine.result_dma_mb = rate;
      const auto run = BoardTime(program(), machine, 1, TransferMode::ideal).one_run(128, kRecords);
      // Two fields of 128 particles, 8 bytes each. Each of four chips passes three quarters on, and sends one quarter.
      const double expected =
          played(2, {run.collection / 2, 128 * 8 * 0.75 / (ring * 1e6), 128 * 8 * 0.25 / (rate * 1e6)});
      EXPECT_NEAR(run.collection + run.result_dma, expected, 1e-12 * expected);
    }
  }
}

TEST(BoardTime, TheRingLeavesTheSumsOfBoardsToTheHost) {
  const MachineDescription machine = load_machine("model1800");
  for (const unsigned boards : {1u, 2u, 5u}) {
    BoardTime time(program(), machine, boards, TransferMode::ideal);
    time.run(256, kRecords);
    EXPECT_DOUBLE_EQ(time.seconds().add, 256 * 2 * (boards - 1) / machine.host_add_rate);
    EXPECT_EQ(time.counters().ring_words, 256u * 2 * 3 * boards) << "each word leaves three chips towards the next";
    EXPECT_EQ(time.counters().host_bytes_out, 256u * 2 * 8 * boards);
  }
}

TEST(BoardTime, UnitsAreBusyForWhatPassesThroughThem) {
  const MachineDescription machine = load_machine("model1800");
  const double clock = machine.clock_mhz * 1e6;
  BoardTime sent(program(), machine, 1, TransferMode::as_of_2009);
  sent.send_j(kRecords);
  EXPECT_DOUBLE_EQ(sent.busy(BoardUnit::emi), kRecords * 20 / (machine.em_rate * 1e6) / 4) << "of each of four chips";
  EXPECT_DOUBLE_EQ(sent.busy(BoardUnit::het), kRecords * 20 / (machine.fpga_clock_mhz * 1e6) / 4);
  BoardTime ran(program(), machine, 1, TransferMode::as_of_2009);
  ran.run(256, kRecords);  // two runs
  const RunClocks& clocks = ran.clocks();
  const auto lines = clocks.loop_initialization + clocks.loop_body + clocks.loop_termination;
  EXPECT_DOUBLE_EQ(ran.busy(BoardUnit::sci), static_cast<double>(lines) / clock);
  EXPECT_DOUBLE_EQ(ran.busy(BoardUnit::coc), static_cast<double>(clocks.loop() + clocks.collection) / clock);
  EXPECT_DOUBLE_EQ(ran.busy(BoardUnit::chip), static_cast<double>(clocks.total()) / clock);
  EXPECT_DOUBLE_EQ(ran.busy(BoardUnit::emi), 2.0 * 1563 * 16 * 20 / (machine.em_rate * 1e6));
  EXPECT_DOUBLE_EQ(ran.busy(BoardUnit::het), 256 * 2 / (machine.fpga_clock_mhz * 1e6));
  EXPECT_DOUBLE_EQ(ran.busy(BoardUnit::oht), 256 * 2 * 8 / (machine.result_dma_mb * 1e6));
  EXPECT_DOUBLE_EQ(ran.seconds().add, 256 * 2 * 3 / machine.host_add_rate) << "the sums of four chips' results";
}

TEST(BoardTime, TheIdealModeSendsAQuarterOfTheParticlesToEachChip) {
  MachineDescription machine = load_machine("model1800");
  machine.send_ideal_mb = 1e9;
  machine.pio_buffer = 100;
  const BoardTime board(program(), machine, 1, TransferMode::ideal);
  const double swap = machine.pio_swap_us * 1e-6;
  const double byte = (100 / (machine.pio_mb * 1e6) - swap) / 100;
  // 128 particles of 16 bytes are 512 bytes a chip, six buffers of 100. The second of two fields is sent while the
  // first one is loaded.
  const RunSeconds run = board.one_run(128, kRecords);
  const double sent = 512 * byte + 6 * swap;
  EXPECT_NEAR(run.i_write + run.i_load, played(2, {sent / 2, run.i_load / 2}), 1e-12 * sent);
  EXPECT_LT(run.i_write, sent);
}

TEST(BoardTime, ParticlesThatTheHostsCacheDoesNotHoldAreFetched) {
  MachineDescription machine = load_machine("model1800");
  machine.host_cache = 1.5 * machine.host_particle;
  const BoardTime board(program(), machine, 1, TransferMode::as_of_2009);
  const double step = machine.host_step_us * 1e-6;
  const double miss = machine.host_miss_us * 1e-6;
  EXPECT_DOUBLE_EQ(board.integration_seconds(10, 1), 10 * step) << "the cache holds one and a half";
  EXPECT_DOUBLE_EQ(board.integration_seconds(10, 0), 10 * step);
  EXPECT_DOUBLE_EQ(board.integration_seconds(10, 3), 10 * (step + 0.5 * miss));
}

TEST(BoardTime, CountsWhatAnEngineMoves) {
  const MachineDescription machine = load_machine("model1800");
  constexpr std::uint64_t kFew = 75;
  for (const isa::Program& kernel : {program(), storing_program()}) {
    Boards boards(machine, 1, Engine::simd, 1);
    boards.load(kernel);
    BoardTime time(kernel, machine, 1, TransferMode::as_of_2009);
    boards.set_parameter(kernel.parameters.front(), 2);
    time.set_parameter();
    const std::vector<std::uint64_t> record(20);
    for (std::uint64_t k = 0; k < kFew; ++k) boards.write_record(k, record);
    time.send_j(kFew);
    for (const unsigned count : {128u, 7u}) {
      static_cast<void>(boards.run(std::vector<std::uint64_t>(2 * count), count, 0, kFew));
    }
    time.run(135, kFew);
    const Counters moved = boards.counters();
    const Counters counted = time.counters();
    for (const auto member :
         {&Counters::runs, &Counters::iterations, &Counters::lines, &Counters::adder_lines, &Counters::multiplier_lines,
          &Counters::alu_lines, &Counters::bm_lines, &Counters::host_bytes_in, &Counters::host_bytes_out,
          &Counters::em_words_written, &Counters::em_words_read, &Counters::idp_words, &Counters::odp_words,
          &Counters::ring_words}) {
      EXPECT_EQ(moved.*member, counted.*member);
    }
    // What goes in comes out, path by path.
    EXPECT_EQ(counted.odp_words * 8, counted.host_bytes_out);
    EXPECT_EQ(counted.em_words_written, kFew * 20);
    EXPECT_EQ(counted.em_words_read, 2 * counted.em_words_written) << "two runs read what was written once";
  }
}

TEST(BoardTime, StagesAreAddedAndMultipliedOneByOne) {
  const auto values = [](const StageSeconds& stages) {
    return std::vector{stages.i_send, stages.j_send, stages.compute, stages.add, stages.host};
  };
  StageSeconds sum{1, 2, 3, 4, 5};
  sum += {10, 20, 30, 40, 50};
  EXPECT_EQ(values(sum), (std::vector<double>{11, 22, 33, 44, 55}));
  EXPECT_EQ(values(sum.times(2)), (std::vector<double>{22, 44, 66, 88, 110}));
  EXPECT_EQ(sum.total(), 165);
}

TEST(BoardTime, CallsAddUpToTheTime) {
  BoardTime board(program(), load_machine("model1800"), 1, TransferMode::as_of_2009);
  board.keep_calls();
  board.send_j(100);
  board.run(300, 100);
  board.integrate(300, 300);
  board.send_j(7);
  ASSERT_EQ(board.calls().size(), 4u);
  double end = 0;
  for (const BoardCall& call : board.calls()) {
    EXPECT_DOUBLE_EQ(call.begin, end);
    end = call.begin + call.seconds;
  }
  EXPECT_DOUBLE_EQ(end, board.seconds().total());
}

}  // namespace
}  // namespace gdr::emulator
