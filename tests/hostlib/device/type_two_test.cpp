// Kernels that move their own data, on whole boards: which i-record is whose, what the j-records of a turn are, in
// which order the words of `collect` lines come, and how they are added. Expected words are sums written out here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/hostlib/device.h"
#include "gdr/hostlib/table.h"
#include "slowed_down.h"

namespace gdr {
namespace {

constexpr unsigned kElements = isa::kVectorElements;
constexpr unsigned kBlocks = emulator::kBlocks;
constexpr unsigned kPlacesOfBlock = emulator::kParticlesPerRun;

/// Turn by turn: words of `seen` of the turn before (PE 1's x + y), sums of PE 0's x + y over all blocks, the largest
/// number of PE 3 and block; in the end both entries of `seen`.
constexpr std::string_view kKernel = R"(kernel order
bvar long y elt
bvar vector long seen[2] rrn flt72to64
bvar vector long sum rrn flt72to64 fadd
bvar vector long number rrn fix72to64 umax
var vector long x hlt
loop initialization
  transfer
  uadd $peid $bbid $lr8v
  nop
  bm $lr8v number @3
  bm $lr8v seen[1] @3
  nop
loop body
  transfer
  collect seen[1] not_first
  collect number
  fadd x y $lr0v
  nop
  bm $lr0v seen[0] @2
  bm $lr0v seen[1] @1
  bm $lr0v sum @0
  nop
  collect sum
loop termination
  collect seen
)";

using EngineChoice = decltype(DeviceOptions::engine);

/// x of the i-records, in order, and y of the j-records are these whole numbers.
double x_of(std::size_t record) { return 1000.0 * static_cast<double>(record + 1); }
double y_of(std::size_t record) { return static_cast<double>(record % 977); }

class TypeTwo : public testing::TestWithParam<std::tuple<EngineChoice, const char*, std::size_t>> {
 protected:
  TypeTwo() : device_(options()), particles_(std::get<2>(GetParam())) {
    const assembler::AssembleResult result = assembler::assemble(kKernel, "order.vsm");
    if (!result.program) throw Error(assembler::format_diagnostics(result));
    device_.load(*result.program);
    chips_ = device_.machine().chips;
  }
  static DeviceOptions options() {
    DeviceOptions chosen;
    chosen.engine = std::get<0>(GetParam());
    chosen.machine = std::get<1>(GetParam());
    chosen.threads = 2;
    return chosen;
  }

  void write_records(std::size_t turns) {
    std::vector<std::uint64_t> fields;
    for (std::size_t k = 0; k < turns * kBlocks * chips_; ++k) fields.push_back(std::bit_cast<std::uint64_t>(y_of(k)));
    device_.write_j(0, fields);
  }
  [[nodiscard]] std::vector<std::uint64_t> run(std::size_t turns) {
    std::vector<std::uint64_t> fields;
    for (std::size_t n = 0; n < particles_; ++n) fields.push_back(std::bit_cast<std::uint64_t>(x_of(n)));
    return device_.run(fields, turns);
  }

  /// i-record n belongs to chip n / 2048, block n / 128 mod 16, PE n / 4 mod 32, element n mod 4. In the last PE that
  /// has any the last record is repeated; other places keep the zero of load().
  [[nodiscard]] double x_at(std::size_t chip, std::size_t block, std::size_t pe, std::size_t element) const {
    const std::size_t n = ((chip * kBlocks + block) * kPlacesOfBlock) + pe * kElements + element;
    if (n < particles_) return x_of(n);
    const bool in_last_pe = particles_ != 0 && n / kElements == (particles_ - 1) / kElements;
    return in_last_pe ? x_of(particles_ - 1) : 0;
  }
  /// The record that a block works on in a turn: number 16 turn + block of its chip, of which the board has every
  /// `chips_`th.
  [[nodiscard]] double y_at(std::size_t chip, std::size_t block, std::size_t turn) const {
    return y_of((turn * kBlocks + block) * chips_ + chip);
  }

  [[nodiscard]] std::vector<std::uint64_t> expected(std::size_t turns) const {
    std::vector<std::uint64_t> words;
    const auto add = [&](const auto& word) {
      for (std::size_t element = 0; element < kElements; ++element) words.push_back(word(element));
    };
    // Without a reduction block 0 of the first chip passes.
    const auto seen = [&](std::size_t pe, std::size_t turn) {
      add([&](std::size_t element) {
        return std::bit_cast<std::uint64_t>(x_at(0, 0, pe, element) + y_at(0, 0, turn));
      });
    };
    for (std::size_t turn = 0; turn < turns; ++turn) {
      if (turn > 0) seen(1, turn - 1);
      add([](std::size_t) { return std::uint64_t{3 + kBlocks - 1}; });
      add([&](std::size_t element) {
        double sum = 0;
        for (std::size_t chip = 0; chip < chips_; ++chip) {
          for (std::size_t block = 0; block < kBlocks; ++block) {
            sum += x_at(chip, block, 0, element) + y_at(chip, block, turn);
          }
        }
        return std::bit_cast<std::uint64_t>(sum);
      });
    }
    seen(2, turns - 1);
    seen(1, turns - 1);
    return words;
  }

  Device device_;
  std::size_t particles_;
  std::size_t chips_ = 0;
};

std::vector<EngineChoice> engines() {
  std::vector<EngineChoice> engines{EngineChoice{emulator::Engine::reference}, EngineChoice{emulator::Engine::simd}};
  if (!tests::kSlowedDown) engines.emplace_back(emulator::Engine::lockstep);  // both once more
  return engines;
}

// Particles that end within a PE, with a PE, with a block, in another block, on the second chip; none; all of a chip.
INSTANTIATE_TEST_SUITE_P(Boards, TypeTwo,
                         testing::Combine(testing::ValuesIn(engines()), testing::Values("model450", "model1800"),
                                          testing::Values(0, 1, 7, 128, 133, 2048)));
INSTANTIATE_TEST_SUITE_P(OnTheSecondChip, TypeTwo,
                         testing::Combine(testing::Values(EngineChoice{emulator::Engine::reference},
                                                          EngineChoice{emulator::Engine::simd}),
                                          testing::Values("model1800"), testing::Values(2050)));

TEST_P(TypeTwo, WordsComeInTheOrderOfCollectLinesTurnAfterTurn) {
  constexpr std::size_t kTurns = 19;  // more than one piece of a run
  write_records(kTurns);
  EXPECT_EQ(run(kTurns), expected(kTurns));
}

TEST_P(TypeTwo, ARunOfOneTurnLeavesOutWhatIsNotOfTheFirst) {
  write_records(1);
  EXPECT_EQ(run(1), expected(1));
}

TEST_P(TypeTwo, IntegersAreNotRoundedBesideRealNumbers) {
  write_records(1);
  std::vector<std::uint64_t> words = run(1);
  const hostlib::Table table = hostlib::collected_table(device_.program(), 1, words);
  const auto& variables = std::get<std::vector<std::int64_t>>(table.columns()[1].numbers);
  const auto number = std::ranges::find(variables, 2) - variables.begin();  // seen, sum, number
  const auto refusal = [&](std::int64_t value) -> std::string {
    words.at(static_cast<std::size_t>(number)) = static_cast<std::uint64_t>(value);
    try {
      static_cast<void>(hostlib::collected_table(device_.program(), 1, words));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  constexpr std::int64_t kLarge = std::int64_t{1} << 53;
  EXPECT_EQ(refusal(kLarge), "");
  EXPECT_EQ(refusal(kLarge + 1), "result 'number': the integer 9007199254740993 has no place in a column of doubles");
  EXPECT_EQ(refusal(-kLarge - 1), "result 'number': the integer -9007199254740993 has no place in a column of doubles");
}

/// What a device that never ran gives.
std::vector<std::uint64_t> on_a_fresh_device(const DeviceOptions& options, const isa::Program& program,
                                             std::span<const std::uint64_t> j, std::span<const std::uint64_t> i,
                                             std::size_t turns) {
  Device fresh(options);
  fresh.load(program);
  fresh.write_j(0, j);
  return fresh.run(i, turns);
}

TEST_P(TypeTwo, ASecondRunHasNoParticlesOfTheFirst) {
  write_records(2);
  static_cast<void>(run(1));
  particles_ = 0;
  EXPECT_EQ(run(2), expected(2));
  particles_ = 2048 * chips_;
  EXPECT_EQ(run(2), expected(2));
  particles_ = 6;
  EXPECT_EQ(run(2), expected(2));
}

/// Its i-data have values before the host sends any, by block and PE, change in every turn, and come out of every
/// place.
constexpr std::string_view kChanging = R"(kernel changing
bvar vector long outa[32] rrn fix72to64
bvar vector long outb[32] rrn fix72to64
var vector long x hlt fix64to72
var vector short s hlt fix64to36
initialization
  vlen 4
  uadd $peid $bbid $lr0v
  uadd $peid $peid $r16v
  nop
  uadd $lr0v il"3" x                     # allow overwritten-input: what places without a record have
  uadd $r16v is"2" s                     # allow overwritten-input: what places without a record have
loop body
  vlen 4
  uadd x il"5" x                         # allow overwritten-input: it changes in every turn
  uadd s is"1" s                         # allow overwritten-input: it changes in every turn
  nop
loop termination
  vlen 4
  upassa il"0" $lr32v
  nop
  upassa s $r32v
  nop
  nop
  repeat p = 0..31
    bm x outa[p] @{p}
  end
  repeat p = 0..31
    bm $lr32v outb[p] @{p}
  end
  nop
  nop
  collect outa block each
  collect outb block each
)";

TEST_P(TypeTwo, PlacesWithoutARecordAreThoseOfAFreshDevice) {
  const assembler::AssembleResult result = assembler::assemble(kChanging, "changing.vsm");
  ASSERT_TRUE(result.program) << assembler::format_diagnostics(result);
  device_.load(*result.program);
  std::uint64_t next = 1000;
  for (const std::size_t count : {std::size_t{5}, std::size_t{5}, 2048 * chips_, std::size_t{130}, std::size_t{0},
                                  std::size_t{2049}, particles_}) {
    std::vector<std::uint64_t> i(2 * std::min(count, 2048 * chips_));
    for (std::uint64_t& field : i) field = next++;
    EXPECT_EQ(device_.run(i, 3), on_a_fresh_device(options(), *result.program, {}, i, 3)) << count;
  }
}

/// A kernel of Type I, in which PE 31's i-data reach all PEs through broadcast memory.
TEST_P(TypeTwo, OfTypeIPEsWithoutARecordAreThoseOfAFreshDevice) {
  const assembler::AssembleResult result = assembler::assemble(R"(kernel last
bvar long y elt
bvar long last
var vector long x hlt
var vector long sum rrn flt72to64 fadd
var vector long seen
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
  vlen 1
  upassa x $lr0
  nop
  bm $lr0 last @31
  nop
  nop
  vlen 4
  bm last seen
  nop
loop body
  vlen 4
  fadd seen y $lt
  fadd sum $lt sum
)",
                                                               "last.vsm");
  ASSERT_TRUE(result.program) << assembler::format_diagnostics(result);
  device_.load(*result.program);
  std::vector<std::uint64_t> j;
  for (std::size_t k = 0; k < 40; ++k) j.push_back(std::bit_cast<std::uint64_t>(y_of(k)));
  device_.write_j(0, j);
  for (const std::size_t count : {std::size_t{6}, std::size_t{128}, std::size_t{6}, std::size_t{134}, std::size_t{1}}) {
    std::vector<std::uint64_t> i;
    for (std::size_t n = 0; n < count; ++n) i.push_back(std::bit_cast<std::uint64_t>(x_of(n)));
    EXPECT_EQ(device_.run(i, 40), on_a_fresh_device(options(), *result.program, j, i, 40)) << count;
  }
}

/// The events are those of the run's own places.
TEST(TypeTwoEvents, AreNotThoseOfEarlierRecords) {
  const assembler::AssembleResult result = assembler::assemble(R"(kernel grows
bvar vector long out[32] rrn flt72to64
var vector long x hlt
loop initialization
  upassa x $lr0v
  nop
loop body
  fmul x fs"1e300" $lt
  nop
  fmul $lt fs"1e300" $lr0v
  nop
loop termination
  repeat p = 0..31
    bm $lr0v out[p] @{p}
  end
  nop
  nop
  collect out block each
)",
                                                               "grows.vsm");
  ASSERT_TRUE(result.program) << assembler::format_diagnostics(result);
  const auto events = [](Device& device, std::size_t count) {
    const emulator::FpEvents before = device.events().counts;
    static_cast<void>(device.run(std::vector(count, std::bit_cast<std::uint64_t>(1.5)), 1));
    return device.events().counts.overflow - before.overflow;
  };
  Device device;
  device.follow_events();
  device.load(*result.program);
  const std::uint64_t few = events(device, 5);
  EXPECT_GT(few, 0u);
  EXPECT_GT(events(device, 8192), few);
  EXPECT_EQ(events(device, 5), few);
  EXPECT_EQ(events(device, 0), 0u);
}

}  // namespace
}  // namespace gdr
