// Clocks counted before a run against clocks counted while the reference engine issues its lines, and against sums
// written out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <map>

#include "gdr/assembler/assembler.h"
#include "gdr/base/file.h"
#include "gdr/emulator/chip.h"
#include "gdr/emulator/schedule.h"
#include "gdr/selftest/random_program.h"
#include "slowed_down.h"

namespace gdr::emulator {
namespace {

using isa::Section;

MachineDescription machine_without_pauses() {
  MachineDescription machine = load_machine("model1800");
  machine.loop_stall = 0;
  machine.em_refresh_ns = 0;
  return machine;
}

isa::Program assembled(std::string_view source) {
  assembler::AssembleResult result = assembler::assemble(source, "k.vsm");
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *result.program;
}

isa::Program with_lines(const isa::Program& from, Section section, const isa::Program& lines) {
  isa::Program program = from;
  program.sections[static_cast<std::size_t>(section)] = lines.sections[static_cast<std::size_t>(section)];
  return program;
}

/// Walks through a whole run clock by clock as its lines are issued: every word of every record of every block on its
/// own, from its arrival to its place. Only buffers in front of the BMs, one port for all of a block, four clocks a
/// line.
class DynamicClock final : public Observer {
 public:
  DynamicClock(const isa::Program& program, const MachineDescription& machine, std::uint64_t records)
      : program_(program), machine_(machine), iterations_((records + kBlocks - 1) / kBlocks) {
    order_record();
  }

  void on_issue(const IssueEvent& event) override {
    if (event.block != 0) return;
    if (event.section == Section::loop_body && event.line == 0) begin_iteration();
    const isa::Line line = isa::decoded(program_.lines(event.section)[event.line].word);
    unsigned words = 0;
    if (line.bm.mode == isa::BmMode::write) words = line.vlen;
    if (line.bm.mode == isa::BmMode::read) words = line.bm.vector ? line.vlen : 1;
    for (unsigned clocks = 0; clocks < isa::kClocksPerLine || words > 0; ++clocks) {
      if (tick(words > 0)) --words;
    }
    ++lines_[static_cast<std::size_t>(event.section)];
  }

  /// Clocks from the first line, or the first word of the first record, to the last line.
  [[nodiscard]] std::uint64_t clocks() const { return now_; }
  /// Lines of a section that were issued.
  [[nodiscard]] std::uint64_t lines(Section section) const { return lines_[static_cast<std::size_t>(section)]; }

 private:
  void order_record() {
    if (ordered_ == iterations_) return;
    ++ordered_;
    const unsigned words = program_.record_words;
    // Words of the 16 records as they come: idp_burst of one block, then of the next.
    unsigned sent = 0;
    for (unsigned n = 0; n < kBlocks * words; ++n) {
      coming_.emplace_back(now_ + std::uint64_t{n} * machine_.idp_clocks, sent / machine_.idp_burst % kBlocks);
      ++sent;
    }
  }

  void begin_iteration() {
    while (!coming_.empty() || now_ < input_free_ ||
           std::any_of(before_bm_.begin(), before_bm_.end(), [](unsigned n) { return n > 0; })) {
      tick(false);
    }
    order_record();
  }

  /// One clock; true if the lines got the port.
  bool tick(bool line_wants) {
    const bool arrives = !coming_.empty() && coming_.front().first <= now_;
    const bool runs_over = arrives && before_bm_[coming_.front().second] == machine_.bm_buffer;
    const bool line_gets = line_wants && (!runs_over || machine_.bm_line_first == 1);
    const auto enter = [&] {
      ++before_bm_[coming_.front().second];
      const std::uint64_t late = now_ - coming_.front().first;
      coming_.pop_front();
      input_free_ = now_ + machine_.idp_clocks;
      for (auto& [clock, block] : coming_) clock += late;
    };
    if (arrives && !runs_over) enter();
    if (!line_gets) {
      for (unsigned& words : before_bm_) words -= words > 0 ? 1 : 0;
      if (runs_over) enter();
    }
    ++now_;
    return line_gets;
  }

  const isa::Program& program_;
  const MachineDescription& machine_;
  std::uint64_t iterations_;
  std::uint64_t ordered_ = 0;
  std::deque<std::pair<std::uint64_t, unsigned>> coming_;  // clock and block
  std::array<unsigned, kBlocks> before_bm_{};
  std::uint64_t input_free_ = 0;  // the clock from which the input port takes another word
  std::uint64_t now_ = 0;
  std::array<std::uint64_t, isa::kSections> lines_{};
};

/// Runs the loop on the reference engine and compares its clocks and lines with the schedule.
void expect_static_is_dynamic(const isa::Program& program, const MachineDescription& machine, std::uint64_t records) {
  DynamicClock dynamic(program, machine, records);
  const auto chip = make_reference_chip();
  chip->load(program);
  chip->set_observer(&dynamic);
  const std::vector<isa::LongWord> words(records * program.record_words);
  try {
    chip->run_loop({0, 1}, {{words, program.record_words, records}, 1});
  } catch (const Fault&) {  // an address through T: the run ends early, and no count is due
    return;
  }
  const RunClocks clocks = Schedule(program, machine).run(records);
  EXPECT_EQ(clocks.loop(), dynamic.clocks()) << records << " records\n" << selftest::text_of(program);
  // Lines alone: what they wait for is counted apart.
  EXPECT_EQ(clocks.loop_initialization, dynamic.lines(Section::loop_initialization) * isa::kClocksPerLine);
  EXPECT_EQ(clocks.loop_body, dynamic.lines(Section::loop_body) * isa::kClocksPerLine);
  EXPECT_EQ(clocks.loop_termination, dynamic.lines(Section::loop_termination) * isa::kClocksPerLine);
}

TEST(Schedule, CountsOfEveryKernelAreThoseOfItsRuns) {
  unsigned kernels = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GDR_KERNELS_DIR)) {
    if (entry.path().extension() != ".vsm") continue;
    const assembler::AssembleResult result = assembler::assemble_file(entry.path().string());
    ASSERT_TRUE(result.program) << entry.path();
    // The dynamic clock knows records and lines, not what moves beside the lines of a kernel of Type II.
    if (result.program->variables_by(isa::Transfer::rrn).empty() || result.program->is_type2()) continue;
    SCOPED_TRACE(entry.path());
    ++kernels;
    for (const std::uint64_t records : {0u, 1u, 16u, 17u, 160u}) {
      expect_static_is_dynamic(*result.program, machine_without_pauses(), records);
    }
  }
  EXPECT_GE(kernels, 5u);
}

TEST(Schedule, CountsOfRandomProgramsAreThoseOfTheirRuns) {
  selftest::RandomPrograms random(20091);
  for (unsigned n = 0; n < (tests::kSlowedDown ? 100 : 1000); ++n) {
    selftest::ProgramShape shape;
    shape.record_words = static_cast<unsigned>(random.below(24));
    isa::Program program = random.next(shape, 30);
    while (program.lines(Section::loop_body).empty()) {
      program = with_lines(program, Section::loop_body, random.next(shape, 30));
    }
    MachineDescription machine = machine_without_pauses();
    machine.idp_clocks = static_cast<unsigned>(1 + random.below(3));
    machine.idp_burst = static_cast<unsigned>(1 + random.below(24));
    machine.bm_buffer = static_cast<unsigned>(1 + random.below(6));
    machine.bm_line_first = static_cast<unsigned>(random.below(2));
    expect_static_is_dynamic(program, machine, random.below(100));
    if (HasFailure()) break;
  }
}

// Sums by hand.

isa::Line store(unsigned words) {
  isa::Line line;
  line.vlen = static_cast<std::uint8_t>(words);
  line.bm.mode = isa::BmMode::write;
  return line;
}
isa::Line vector_read(unsigned words) {
  isa::Line line = store(words);
  line.bm.mode = isa::BmMode::read;
  line.bm.vector = true;
  return line;
}
isa::Line scalar_read() {
  isa::Line line = vector_read(4);
  line.bm.vector = false;
  return line;
}

TEST(SchedulePass, ALineTakesFourClocksWhateverItsVectorLength) {
  for (unsigned vlen = 1; vlen <= 4; ++vlen) {
    const Pass pass = schedule_pass(std::vector{vector_read(vlen), store(vlen), isa::Line()}, {}, {});
    EXPECT_EQ(pass.clocks, 12u);
    EXPECT_EQ(pass.port_busy, 2 * vlen);
    EXPECT_EQ(pass.lines[0].bm_reads, vlen);
    EXPECT_EQ(pass.lines[1].bm_writes, vlen);
    EXPECT_EQ(pass.lines[2].start, 8u);
  }
}

TEST(SchedulePass, AllElementsShareAScalarRead) {
  EXPECT_EQ(schedule_pass(std::vector{scalar_read()}, {}, {}).port_busy, 1u);
}

TEST(SchedulePass, WordsFromIdpUseTheClocksThatLinesLeave) {
  // A word into all BMs every clock for eight clocks, lines that leave two of four: four words must wait.
  PortTiming timing;
  timing.bm_buffer = 4;
  const std::vector lines(4, vector_read(2));
  const Pass pass = schedule_pass(lines, {8, true, 0}, timing);
  EXPECT_EQ(pass.clocks, 16u);
  EXPECT_EQ(pass.port_busy, 16u);
  EXPECT_EQ(pass.lines_end, 16u);
  for (const ScheduledLine& line : pass.lines) EXPECT_EQ(line.stall(), 0u);
}

TEST(SchedulePass, ALineStretchesWhereABufferWouldRunOver) {
  // Lines leave no clock; of twelve words four fit into the buffer, and eight take the port from the lines.
  PortTiming timing;
  timing.bm_buffer = 4;
  const std::vector lines(3, vector_read(4));
  const Pass pass = schedule_pass(lines, {12, true, 0}, timing);
  std::uint64_t stretched = 0;
  for (const ScheduledLine& line : pass.lines) stretched += line.stall_idp;
  EXPECT_EQ(pass.lines_end, 12 + stretched);
  EXPECT_EQ(pass.clocks, 24u) << "12 words of the lines and 12 from IDP through one port";
  EXPECT_EQ(stretched, 8u);
  EXPECT_EQ(pass.stalls[static_cast<std::size_t>(StallReason::bm_port_idp)], 8u);
  EXPECT_EQ(pass.stalls[static_cast<std::size_t>(StallReason::idp)], 4u);

  timing.line_first = true;
  const Pass waiting = schedule_pass(lines, {12, true, 0}, timing);
  EXPECT_EQ(waiting.lines_end, 12u);
  EXPECT_EQ(waiting.clocks, 24u);
}

TEST(SchedulePass, WordsDealtOutInTurnNeedShortBuffers) {
  PortTiming timing;
  const std::vector lines(16, vector_read(4));
  EXPECT_EQ(schedule_pass(lines, {64, false, 0}, timing).lines_end, 64u);
  timing.idp_burst = 64;
  EXPECT_GT(schedule_pass(lines, {64, false, 0}, timing).lines_end, 64u) << "all of them meet in one buffer";
}

TEST(SchedulePass, TellsWhenItsStreamsEnd) {
  const std::vector<isa::Line> lines(8);
  const Pass records = schedule_pass(lines, {6, true, 0}, {});
  EXPECT_EQ(records.clocks, 32u);
  EXPECT_EQ(records.lines_end, 32u);
  EXPECT_EQ(records.idp_end, 6u) << "a word a clock";
  EXPECT_EQ(records.tree_end, 0u) << "no results";
  const Pass results = schedule_pass({}, {0, false, 5}, {});
  EXPECT_EQ(results.idp_end, 0u) << "no records";
  EXPECT_EQ(results.tree_end, 10u) << "the output port takes two clocks for a word";
}

TEST(SchedulePass, ResultsLeaveAtThePaceOfTheOutputPort) {
  const Pass pass = schedule_pass({}, {0, false, 128}, {});
  EXPECT_EQ(pass.clocks, 256u);
  EXPECT_EQ(pass.stalls[static_cast<std::size_t>(StallReason::odp)], 256u);
}

/// The unit of work of Koike et al. 2009, section 4.1: two columns of B against 8 x 32 words of A in each PE; 256
/// lines, 1,024 words in, 512 sums out. Stores stand in every second line.
std::vector<isa::Line> matrix_unit(bool operands_once) {
  std::vector<isa::Line> lines;
  unsigned reads = 0;
  for (unsigned n = 0; n < 256; ++n) {
    if (n % 2 == 1) {
      lines.push_back(store(4));
    } else {
      const bool reads_now = operands_once ? reads < 64 : true;
      lines.push_back(reads_now ? scalar_read() : isa::Line());
      reads += reads_now ? 1 : 0;
    }
  }
  return lines;
}

TEST(SchedulePass, TheMatrixUnitIsBoundByThePortOfItsMemories) {
  const SideTraffic traffic{1024, false, 512};
  const std::vector<isa::Line> lines = matrix_unit(true);
  const Pass pass = schedule_pass(lines, paced(lines, traffic, {}), {});
  EXPECT_EQ(pass.port_busy, 512u + 64u + 64u + 512u);
  EXPECT_GE(pass.clocks, 1152u);
  EXPECT_LE(pass.clocks, 1152u + 12u) << "the port never idles but at the ends";
  EXPECT_GT(schedule_pass(lines, traffic, {}).clocks, pass.clocks) << "without a pace the lines end alone";
  EXPECT_EQ(schedule_pass(matrix_unit(false), traffic, {}).port_busy, 512u + 128u + 64u + 512u);
}

TEST(SchedulePass, ClocksAreLinesAndStalls) {
  selftest::RandomPrograms random(7);
  for (unsigned n = 0; n < 200; ++n) {
    std::vector<isa::Line> lines;
    for (std::uint64_t k = random.below(40); k > 0; --k) {
      const unsigned words = static_cast<unsigned>(1 + random.below(4));
      lines.push_back(random.one_in(2) ? isa::Line() : random.one_in(2) ? store(words) : vector_read(words));
    }
    PortTiming timing;
    timing.idp_interval = 1 + 0.25 * static_cast<double>(random.below(9));
    timing.odp_clocks = static_cast<unsigned>(1 + random.below(3));
    timing.bm_buffer = static_cast<unsigned>(1 + random.below(5));
    timing.odp_buffer = static_cast<unsigned>(1 + random.below(5));
    timing.idp_burst = static_cast<unsigned>(1 + random.below(9));
    const SideTraffic traffic{16 * random.below(20), random.one_in(2), random.below(200)};
    const Pass pass = schedule_pass(lines, traffic, timing);
    std::uint64_t sum = lines.size() * isa::kClocksPerLine;
    for (const std::uint64_t stall : pass.stalls) sum += stall;
    EXPECT_EQ(pass.clocks, sum);
    EXPECT_GE(pass.clocks, pass.port_busy);
    EXPECT_GE(pass.clocks, traffic.tree_words * timing.odp_clocks);
    EXPECT_GE(static_cast<double>(pass.clocks), static_cast<double>(traffic.idp_words) * timing.idp_interval);
    std::uint64_t start = 0;
    for (const ScheduledLine& line : pass.lines) {
      EXPECT_EQ(line.start, start) << "lines follow one another without a gap";
      EXPECT_EQ(line.clocks, isa::kClocksPerLine + line.stall());
      start += line.clocks;
    }
    EXPECT_EQ(start, pass.lines_end);
  }
}

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

TEST(Schedule, ClocksOfARunAreTheSumOfItsParts) {
  MachineDescription machine = machine_without_pauses();
  machine.loop_stall = 32.5;
  const RunClocks clocks = Schedule(assembled(kKernel), machine).run(33);  // three iterations of 16
  EXPECT_EQ(clocks.i_load, 2u * 128u * 2u) << "each word through the input port, then into its PE";
  EXPECT_EQ(clocks.loop_initialization, 2u * 4u);
  EXPECT_EQ(clocks.first_record, 16u * 3u - 8u) << "it streams beside the initialization";
  EXPECT_EQ(clocks.loop_body, 3u * 12u);
  EXPECT_EQ(clocks.stalls[static_cast<std::size_t>(StallReason::idp)], 2u * 36u)
      << "16 records of 3 words take longer than 3 lines, and none follows the last";
  EXPECT_EQ(clocks.stalls[static_cast<std::size_t>(StallReason::unexplained)], 97u) << "97.5";
  EXPECT_EQ(clocks.loop_termination, 4u);
  EXPECT_EQ(clocks.collection, 128u + 16u + 2u * 128u);
  EXPECT_EQ(clocks.total(), 512u + 48u + 36u + 72u + 97u + 4u + 400u);
  EXPECT_EQ(clocks.times(3).total(), 3 * clocks.total());
}

TEST(Schedule, NoRecordsNoIterations) {
  const RunClocks clocks = Schedule(assembled(kKernel), load_machine("model1800")).run(0);
  EXPECT_EQ(clocks.first_record + clocks.loop_body + clocks.stall, 0u);
  EXPECT_GT(clocks.total(), 0u);
}

TEST(Schedule, RefreshTakesItsShareOfALongLoop) {
  MachineDescription machine = machine_without_pauses();
  const std::uint64_t without = Schedule(assembled(kKernel), machine).run(1 << 20).loop();
  machine.em_refresh_interval_us = 10;
  machine.em_refresh_ns = 50;
  const std::uint64_t with = Schedule(assembled(kKernel), machine).run(1 << 20).loop();
  EXPECT_NEAR(static_cast<double>(with - without) / static_cast<double>(with), 0.005, 1e-6);
}

TEST(Schedule, ExternalMemoryBindsWhereTheClockIsHighEnough) {
  MachineDescription machine = machine_without_pauses();
  machine.clock_mhz = 500;
  const isa::Program program = assembled(kKernel);
  const std::uint64_t at_500 = Schedule(program, machine).run(1 << 14).loop();
  machine.clock_mhz = 1066;
  machine.em_row_ns = 0;
  const RunClocks bound = Schedule(program, machine).run(1 << 14);
  EXPECT_EQ(bound.stalls[static_cast<std::size_t>(StallReason::idp)], 0u);
  EXPECT_NEAR(static_cast<double>(bound.loop()), 2.0 * static_cast<double>(at_500), 0.01 * static_cast<double>(at_500));
}

}  // namespace
}  // namespace gdr::emulator
