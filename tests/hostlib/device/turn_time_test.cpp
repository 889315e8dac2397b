// Emulated time of kernels of Type II: against counts by hand, and against a schedule played clock by clock from the
// first line to the last word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/emulator/turn_schedule.h"
#include "gdr/hostlib/device.h"
#include "gdr/hostlib/profile.h"
#include "gdr/hostlib/trace.h"

namespace gdr {
namespace {

using emulator::RunClocks;
using emulator::TurnSchedule;

isa::Program assembled(const std::string& source) {
  const assembler::AssembleResult result = assembler::assemble(source, "test.vsm");
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *result.program;
}

/// 16 sums over the blocks, in each of which all blocks but one give zeros. The sums are the words of one block each.
std::string drains_by_zeros(const std::string& x, const std::string& pass) {
  return R"(  nop
  repeat b = 0..15
    usub $bbid il"{b}" $lr40 $ok1.z
    uxor $lr0v $lr0v $lr0v
    nop
    )" + pass +
         " " + x + R"( $lr0v/1
    nop
    nop
    repeat p = 0..31
      if b % 2 == 0
        bm $lr0v outa[p] @{p}
      else
        bm $lr0v outb[p] @{p}
      end
    end
    nop
    nop
    if b % 2 == 0
      collect outa
    else
      collect outb
    end
  end
)";
}

/// 2,048 experiments of a chip, each a number of steps of a generator of random bits.
std::string xorshift(bool by_zeros) {
  const std::string results =
      by_zeros ? "bvar vector long outa[32] rrn fix72to64 uadd\nbvar vector long outb[32] rrn fix72to64 uadd\n"
               : "bvar vector long out[32] rrn fix72to64\n";
  const std::string collects = by_zeros ? drains_by_zeros("x", "upassa") : R"(  nop
  repeat p = 0..31
    bm x out[p] @{p}
  end
  nop
  nop
  collect out block each
)";
  return "kernel own\nvar vector long seed hlt fix64to72\nvar vector long steps hlt fix64to72\n"
         "var vector long x\nvar vector long left\n" +
         results + R"(loop initialization
  upassa seed $lt x
  upassa steps $lt left
  usub il"0" $lti $ok4
  nop
  nop
loop body
  mask 4
  ulsl x il"13" $lt
  uxor x $lti $lt
  uand $lti il"0xffffffffffffffff" $lr0v $lt
  ulsr $lti il"7" $lt
  uxor $lr0v $lti $lr8v $lt
  ulsl $lti il"17" $lt
  uxor $lr8v $lti $lt
  uand $lti il"0x7fffffffffffffff" x
  usub left il"1" $lt left
  usub il"0" $lti $ok4
  mask 0
  nop
loop termination
)" + collects;
}

constexpr const char* kLogistic = R"(kernel logistic
var vector long x hlt
bvar vector long outa[32] rrn flt72to64 fadd
bvar vector long outb[32] rrn flt72to64 fadd
loop initialization
  nop
loop body
  fsub f"1" x $lr0v
  nop
  fmulh x $lr0v
  fmull x $lr0v $lr8v
  nop
  fmul $lr8v fs"4" x
  nop
loop termination
)";

emulator::MachineDescription model1800() { return emulator::load_machine("model1800"); }

void expect_within_a_percent(std::uint64_t clocks, std::uint64_t by_hand) {
  EXPECT_NEAR(static_cast<double>(clocks), static_cast<double>(by_hand), 0.01 * static_cast<double>(by_hand));
}

TEST(TurnTime, IsThatOfACountByHand) {
  constexpr std::uint64_t kField = 2048 + 128;  // words of 16 blocks through IDP, then 32 lines that read them
  constexpr std::uint64_t kDrains = 160 + 15 * 268 + 256 + 16;  // 40 lines; 15 times beside a drain; the last; the tree
  // Five lines, eleven in each turn, one before the drains.
  const std::uint64_t turns = 20 + 301 * 44 + 4;
  const TurnSchedule zeros(assembled(xorshift(true)), model1800());
  expect_within_a_percent(zeros.run(301, 16).total(), 2 * kField + turns + kDrains);  // 22,072
  // 34 lines, then two clocks for each of 2,048 words, and the tree.
  const TurnSchedule each(assembled(xorshift(false)), model1800());
  expect_within_a_percent(each.run(301, 16).total(), 2 * kField + turns + 136 + 4096 + 16);  // 21,868
  // One line, seven in each turn, one before the drains.
  const TurnSchedule logistic(assembled(kLogistic + drains_by_zeros("x", "fpassa")), model1800());
  expect_within_a_percent(logistic.run(1000, 16).total(), kField + 4 + 1000 * 28 + 4 + kDrains);
}

TEST(TurnTime, OfDgemmIsThatOfACountByHand) {
  const assembler::AssembleResult result = assembler::assemble_file(GDR_KERNELS_DIR "/dgemm.vsm");
  ASSERT_TRUE(result.program);
  const isa::Program& program = *result.program;
  const TurnSchedule schedule(program, model1800());
  constexpr std::uint64_t kTurn = 1152;  // docs/linear-algebra/blas.md: the port of broadcast memory is the bound
  for (const std::uint64_t clocks : schedule.clocks_per_turn()) expect_within_a_percent(clocks, kTurn);
  const auto lines = [&](isa::Section section) { return 4 * program.lines(section).size(); };
  const std::uint64_t fields = program.record_fields(isa::Transfer::hlt);
  const std::uint64_t record = 16 * program.record_words;  // while loop initialization runs
  const std::uint64_t refresh = 100 * kTurn / 104;         // 75 ns of 7.8 us
  const std::uint64_t by_hand = fields * (2048 + 128) +
                                std::max<std::uint64_t>(record, lines(isa::Section::loop_initialization)) +
                                100 * kTurn + refresh + lines(isa::Section::loop_termination) + 256 + 16;
  expect_within_a_percent(schedule.run(100, 16).total(), by_hand);
}

TEST(TurnTime, OfABoardFollowsFromItsClocksAndRates) {
  emulator::MachineDescription one_chip = model1800();
  one_chip.chips = 1;
  const emulator::BoardTime board(assembled(xorshift(true)), one_chip, 1, emulator::TransferMode::as_of_2009);
  const emulator::RunSeconds run = board.one_run_of_turns(2048, 301);
  EXPECT_NEAR(run.i_write, 32768 / 538e6, 1e-7) << "two fields of 2,048 particles by PIO";
  EXPECT_NEAR(run.i_load, 4352 / 400e6, 1e-7);
  EXPECT_DOUBLE_EQ(run.start, 21.96e-6);
  EXPECT_NEAR(run.result_dma, 2048 * 8 / 541e6, 1e-7);
  const double all = run.i_write + run.i_load + run.start + run.loop + run.collection + run.result_dma;
  EXPECT_NEAR(all, 168.4e-6, 0.01 * 168.4e-6);
  EXPECT_THAT(board.assumed(), testing::HasSubstr("loop_stall not applied"));
}

TEST(TurnTime, OfFourChipsIsThatOfOneBesideTheWritesOfTheHost) {
  const emulator::BoardTime board(assembled(xorshift(false)), model1800(), 1, emulator::TransferMode::as_of_2009);
  const emulator::RunSeconds run = board.one_run_of_turns(8192, 301);
  EXPECT_NEAR(run.i_write, 4 * 32768 / 999.1e6, 1e-7) << "the host writes to four chips";
  EXPECT_NEAR(run.result_dma, 2048 * 8 / 541e6, 1e-7) << "each chip sends its own words";
}

/// Counters, runs and iterations of a run are those of the engine that computes it.
TEST(TurnTime, CountsWhatAnEngineCounts) {
  DeviceOptions options;
  options.engine = emulator::Engine::timing;
  Device timing(options);
  options.engine = emulator::Engine::simd;
  Device simd(options);
  for (const std::size_t particles : {std::size_t{0}, std::size_t{1}, std::size_t{2100}, std::size_t{8192}}) {
    for (Device* device : {&timing, &simd}) {
      device->load(assembled(xorshift(false)));
      const std::vector<std::uint64_t> fields(2 * particles);
      static_cast<void>(device->run(fields, 7));
    }
    const emulator::Counters expected = simd.counters();
    const emulator::Counters found = timing.counters();
    for (const auto member :
         {&emulator::Counters::runs, &emulator::Counters::iterations, &emulator::Counters::lines,
          &emulator::Counters::adder_lines, &emulator::Counters::multiplier_lines, &emulator::Counters::alu_lines,
          &emulator::Counters::bm_lines, &emulator::Counters::host_bytes_in, &emulator::Counters::host_bytes_out,
          &emulator::Counters::em_words_read, &emulator::Counters::idp_words, &emulator::Counters::odp_words,
          &emulator::Counters::ring_words}) {
      EXPECT_EQ(found.*member, expected.*member) << particles << " particles";
    }
    EXPECT_EQ(timing.emulated().seconds().total(), simd.emulated().seconds().total());
  }
}

TEST(TurnTime, HasATraceAndAProfileWhoseClocksAreThoseOfTheRun) {
  DeviceOptions options;
  options.engine = emulator::Engine::timing;
  Device device(options);
  device.keep_calls();
  device.load(assembled(xorshift(true)));
  device.time_run(2048, 3);
  const hostlib::Trace trace = hostlib::make_trace(device.emulated(), device.program(), {});
  EXPECT_TRUE(trace.complete);
  for (const char* text :
       {"2048 i-particles, 3 turns", "turn 0", "turn 2", "loop termination", "tree and ODP", "stall: ODP"}) {
    EXPECT_THAT(trace.json, testing::HasSubstr(text));
  }
  const hostlib::Profile profile = hostlib::make_profile(device.emulated(), device.program(), "timing", std::nullopt);
  EXPECT_EQ(profile.clocks.loop_body, 3U * 11 * 4);
  std::uint64_t clocks = 0;
  for (const hostlib::ProfileLine& line : profile.lines) clocks += line.clocks - line.stall;
  EXPECT_EQ(clocks, profile.clocks.loop_initialization + profile.clocks.loop_body + profile.clocks.loop_termination);
}

// ---- any kernel, clock by clock -------------------------------------------------------------------------------------

/// Kernels without meaning: lines that use the port of broadcast memory or not, transfers and collects.
isa::Program random_kernel(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  isa::Program program;
  program.kernel = "random";
  const bool streams = below(3) != 0;
  const auto words = static_cast<std::uint16_t>(1 + below(24));
  isa::Variable record;
  record.name = "record";
  record.memory = isa::Memory::bm;
  record.elements = words;
  record.transfer = isa::Transfer::elt;
  record.conversion = isa::Conversion::FLT64TO72;
  isa::Variable result;
  result.name = "result";
  result.memory = isa::Memory::bm;
  result.vector = true;
  result.elements = 16;
  result.transfer = isa::Transfer::rrn;
  result.conversion = isa::Conversion::FLT72TO64;
  program.variables = {result};
  if (streams) {
    program.variables.push_back(record);
    program.record_words = words;
  }
  for (const isa::Section section :
       {isa::Section::loop_initialization, isa::Section::loop_body, isa::Section::loop_termination}) {
    std::vector<isa::Step>& steps = program.steps(section);
    const bool may_transfer = section != isa::Section::loop_termination && streams;
    const bool may_collect = section != isa::Section::loop_initialization;
    if (may_transfer) steps.emplace_back(isa::TransferStep{});
    for (std::uint64_t n = below(20); n > 0; --n) {
      isa::Line line;
      line.vlen = static_cast<std::uint8_t>(1 + below(4));
      line.bm.mode = static_cast<isa::BmMode>(below(3));
      switch (line.bm.mode) {
        case isa::BmMode::none:
          break;
        case isa::BmMode::read:
          line.bm.width = isa::Width::long_word;
          line.bm.vector = below(2) == 0;
          line.t_write.source = isa::Unit::bm;
          break;
        case isa::BmMode::write:
          line.bm.width = isa::Width::long_word;
          line.bm.vector = true;
          line.bm.store_source = isa::Source::t_long;
          line.bm.one_pe = true;
          break;
      }
      steps.emplace_back(isa::ProgramLine{isa::encode(line), {}});
      if (may_collect && below(6) == 0) {
        isa::CollectStep collect{0, 0, static_cast<std::uint16_t>(1 + below(16)), below(3) == 0, {}};
        if (below(8) == 0) collect.blocks.kind = isa::BlockChoice::Kind::each;
        steps.emplace_back(collect);
      }
    }
  }
  return program;
}

/// docs/machine/model.md from the first line to the last word, with one clock for the whole run.
class Oracle {
 public:
  Oracle(const isa::Program& program, const emulator::MachineDescription& machine, double tree_interval)
      : program_(program),
        timing_(emulator::port_timing(machine)),
        latency_(machine.tree_latency),
        interval_(tree_interval) {}

  std::uint64_t clocks(std::uint64_t turns) {
    section(isa::Section::loop_initialization, false, turns > 0);
    for (std::uint64_t n = 0; n < turns; ++n) section(isa::Section::loop_body, n == 0, n + 1 < turns);
    section(isa::Section::loop_termination, false, false);
    while (!drained()) clock(0);
    return clock_ + (collects_ ? latency_ : 0);
  }

 private:
  void section(isa::Section which, bool first, bool streams) {
    for (const isa::Step& step : program_.steps(which)) {
      if (const auto* line = std::get_if<isa::ProgramLine>(&step)) {
        const isa::BmPort port = isa::decoded(line->word).bm;
        const unsigned elements = isa::decoded(line->word).vlen;
        unsigned words = port.mode == isa::BmMode::none                   ? 0
                         : port.mode == isa::BmMode::read && !port.vector ? 1
                                                                          : elements;
        for (unsigned n = 0; n < 4 || words > 0; ++n) words = clock(words);
      } else if (std::holds_alternative<isa::TransferStep>(step)) {
        while (!streamed()) clock(0);
        coming_ = streams ? 16U * program_.record_words : 0;
        arrived_ = 0;
        next_ = static_cast<double>(clock_);
      } else {
        const auto& collect = std::get<isa::CollectStep>(step);
        collects_ = true;
        if (collect.not_first && first) continue;
        while (!drained()) clock(0);
        leaving_ = collect.words_out();
        due_ = static_cast<double>(clock_);
      }
    }
    while (!streamed()) clock(0);
  }

  [[nodiscard]] bool streamed() const {
    return arrived_ == coming_ && std::accumulate(waiting_.begin(), waiting_.end(), 0U) == 0 &&
           static_cast<double>(clock_) >= next_;
  }
  [[nodiscard]] bool drained() const { return leaving_ == 0 && sending_ == 0 && clock_ >= free_; }

  void arrive() {
    unsigned& buffer = waiting_[arrived_ / timing_.idp_burst % 16];
    if (arrived_ == coming_ || static_cast<double>(clock_) < std::floor(next_) || buffer == timing_.bm_buffer) return;
    ++buffer;
    ++arrived_;
    next_ = std::max(next_, static_cast<double>(clock_)) + timing_.idp_interval;  // a late word delays those behind it
  }

  /// One clock while a line wants to move so many words through the port; returns how many it still wants to.
  unsigned clock(unsigned wanted) {
    arrive();
    const bool full = arrived_ < coming_ && static_cast<double>(clock_) >= std::floor(next_) &&
                      waiting_[arrived_ / timing_.idp_burst % 16] == timing_.bm_buffer;
    const bool idle =
        leaving_ > 0 && sending_ == 0 && clock_ >= free_ && static_cast<double>(clock_) >= std::floor(due_);
    const bool stored = std::accumulate(waiting_.begin(), waiting_.end(), 0U) > 0;
    if (idle || (!full && wanted == 0 && leaving_ > 0 && sending_ < timing_.odp_buffer)) {
      --leaving_;
      ++sending_;
      due_ += interval_;
    } else if (full || (wanted == 0 && stored)) {
      for (unsigned& words : waiting_) words -= words > 0 ? 1 : 0;
      arrive();
    } else if (wanted > 0) {
      --wanted;
    }
    if (sending_ > 0 && clock_ >= free_) {
      --sending_;
      free_ = clock_ + timing_.odp_clocks;
    }
    ++clock_;
    return wanted;
  }

  const isa::Program& program_;
  emulator::PortTiming timing_;
  unsigned latency_;
  double interval_;
  double due_ = 0;
  bool collects_ = false;
  std::uint64_t clock_ = 0;
  std::uint64_t coming_ = 0, arrived_ = 0;
  double next_ = 0;
  std::array<unsigned, 16> waiting_{};
  std::uint64_t leaving_ = 0, sending_ = 0, free_ = 0;
};

TEST(TurnTime, OfAnyKernelIsThatOfAScheduleThatIsPlayedAsAWhole) {
  const emulator::MachineDescription machine = model1800();
  std::mt19937_64 random(47);
  for (unsigned n = 0; n < 1000; ++n) {
    const isa::Program program = random_kernel(random);
    if (!program.is_type2()) continue;
    const TurnSchedule schedule(program, machine);
    for (const std::uint64_t turns : {1U, 2U, 3U, 20U}) {
      const RunClocks clocks = schedule.run(turns, 0);
      const std::uint64_t refresh = clocks.stalls[static_cast<std::size_t>(emulator::StallReason::refresh)];
      ASSERT_EQ(clocks.total() - refresh, Oracle(program, machine, schedule.tree_interval()).clocks(turns))
          << "kernel " << n << ", " << turns << " turns";
    }
  }
}

}  // namespace
}  // namespace gdr
