// Floating-point events that are told: those of pairs that exist, on paths that a result takes. Expected numbers are
// counted from the data, without a machine.
#include "gdr/hostlib/run_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/hostlib/device.h"

namespace gdr::run_events_testing {
namespace {

constexpr double kLarge = 1.7e308;

isa::Program assembled(std::string_view source, const assembler::ScheduleOptions& schedule = {}) {
  assembler::AssembleOptions options;
  options.schedule = schedule;
  assembler::AssembleResult result = assembler::assemble(std::string(source), "k.vsm", options);
  EXPECT_TRUE(result.program) << assembler::format_diagnostics(result);
  return *std::move(result.program);
}

/// x + x overflows for large x, in every block and iteration. A result takes its value if q is not 0; blocks without a
/// record find 0 there.
constexpr std::string_view kGuarded = R"(kernel guarded
bvar long y elt flt64to72
bvar long q elt flt64to72
var vector long x hlt flt64to72
var vector long f rrn flt72to64 fmax
loop initialization
  vlen 4
  uxor $lt $lt $lt
  upassa $lt f
loop body
  vlen 4
  fadd q q $lr8v $ok1.z
  fadd x x $lt
  fsub $lti y $lt
  fmax f $lti f/!1
)";

struct Data {
  std::vector<double> x;
  std::vector<double> yq;

  [[nodiscard]] std::uint64_t large() const { return static_cast<std::uint64_t>(std::ranges::count(x, kLarge)); }
  [[nodiscard]] std::uint64_t not_zero() const {
    std::uint64_t count = 0;
    for (std::size_t n = 1; n < yq.size(); n += 2) count += yq[n] != 0;
    return count;
  }
};

std::vector<std::uint64_t> fields(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> words;
  for (const double number : numbers) words.push_back(std::bit_cast<std::uint64_t>(number));
  return words;
}

/// One in `large` of i is large, and one in `used` of j is not 0.
Data data_of(std::size_t ni, std::size_t nj, unsigned large, unsigned used, unsigned seed) {
  std::mt19937 random(seed);
  Data data;
  for (std::size_t n = 0; n < ni; ++n) data.x.push_back(random() % large == 0 ? kLarge : 1.0);
  for (std::size_t n = 0; n < nj; ++n) {
    data.yq.push_back(1.0);
    data.yq.push_back(random() % used == 0 ? 1.0 : 0.0);
  }
  return data;
}

void run(Device& device, const Data& data) {
  device.write_j(0, fields(data.yq));
  static_cast<void>(device.run(fields(data.x), data.yq.size() / 2));
}

DeviceOptions options_of(const std::string& machine, const std::string& engine = "simd") {
  DeviceOptions options;
  options.machine = machine;
  options.engine = engine;
  options.threads = 1;
  return options;
}

TEST(RunEvents, AreThoseOfPairsWhoseValuesAResultTakes) {
  struct Case {
    std::size_t ni;
    std::size_t nj;
    unsigned large;
    unsigned used;
  };
  for (const char* machine : {"model450", "model1800"}) {
    for (const assembler::ScheduleOptions& schedule :
         {assembler::ScheduleOptions{},
          {.level = assembler::ScheduleLevel::full, .effort = 0},
          {.level = assembler::ScheduleLevel::full, .effort = 0, .pipeline = true}}) {
      const isa::Program program = assembled(kGuarded, schedule);
      Device device(options_of(machine));
      device.follow_events();
      device.load(program);
      std::uint64_t expected = 0;
      unsigned seed = 0;
      for (const Case& one : {Case{1, 1, 1, 1}, Case{1, 1, 1, 2}, Case{3, 5, 1, 1}, Case{130, 70, 40, 3},
                              Case{256, 64, 200, 1}, Case{9, 200, 3, 50}, Case{300, 33, 1000, 1}, Case{2, 3, 1, 1}}) {
        const Data data = data_of(one.ni, one.nj, one.large, one.used, ++seed);
        const hostlib::EventTotals before = hostlib::event_totals(device);
        run(device, data);
        const RunEvents events = device.events();
        expected += data.large() * data.not_zero();
        EXPECT_EQ(events.counts.overflow, expected) << machine << ", " << one.ni << " on " << one.nj;
        EXPECT_EQ(events.counts.overflow + events.untaken.overflow, device.counters().fp.overflow);
        EXPECT_FALSE(hostlib::any(events.unfollowed));
        for (const emulator::PlacedEvent& event : events.of_last_run) {
          EXPECT_NE(event.place.element + 4 * event.place.pe, one.ni);  // padding
        }
        const std::vector<std::string> texts = hostlib::event_texts(device, before);
        if (const std::uint64_t own = data.large() * data.not_zero(); own == 0) {
          EXPECT_THAT(texts, testing::IsEmpty());
        } else {
          EXPECT_THAT(texts.at(0), testing::StartsWith(std::to_string(own) + " floating-point event"));
          EXPECT_EQ(events.of_last_run.size(), std::min<std::uint64_t>(own, emulator::kKeptEvents));
        }
      }
    }
  }
}

// x + x overflows for large x, and a condition depends on it, but where q is 0 another one has decided. The result is
// changed only where both hold.
std::string conditional_sum(std::string_view conditions, std::string_view gate) {
  std::string source = R"(kernel conditional_sum
bvar long y elt flt64to72
bvar long q elt flt64to72
var vector long x hlt flt64to72
var vector long f rrn flt72to64 fadd
loop initialization
  vlen 4
  uxor $lt $lt $lt
  upassa $lt f $lr24v  # 0
  nop
loop body
  vlen 4
)";
  return source.append(conditions).append("  nop\n  fadd f y f/").append(gate).append("\n");
}

TEST(RunEvents, AreNotTakenByAConditionThatAnotherOneDecides) {
  const std::vector<std::string> sources{
      conditional_sum("  fadd q q $lr8v $ok1.z\n  fadd x x $lt\n  fsub $lti y $lr16v $ok2\n  nop\n"
                      "  upassa is\"-1\" $ok1/!2\n",
                      "!1"),
      conditional_sum("  fadd q q $lr8v $ok1.z\n  fadd x x $lt\n  fsub y $lti $lr16v $ok2\n  nop\n"
                      "  upassa is\"-1\" $ok1/2\n",
                      "!1"),
      // as words, of which the sign counts
      conditional_sum("  fsub $lr24v q $lr8v\n  fadd x x $lt\n  fsub y $lti $lt\n  uand $lr8v $lt $lt\n"
                      "  uor $lt $lt $lt $ok1\n",
                      "1")};
  for (const std::string& source : sources) {
    Device device(options_of("model450"));
    device.follow_events();
    device.load(assembled(source));
    const Data data = data_of(70, 100, 10, 4, 7);
    run(device, data);
    EXPECT_EQ(device.events().counts.overflow, data.large() * data.not_zero()) << source;
    EXPECT_GT(device.events().untaken.overflow, 0u) << source;
    EXPECT_FALSE(hostlib::any(device.events().unfollowed)) << source;
  }
}

/// A block keeps the places of a few events; others, in other PEs and iterations, are found afterwards.
TEST(RunEvents, AreFollowedWhereABlockHasMoreThanItKeepsPlacesOf) {
  constexpr std::string_view kPairs = R"(kernel pairs
bvar long y elt flt64to72
var vector long x hlt flt64to72
var vector long f rrn flt72to64 fmax
loop initialization
  vlen 4
  uxor $lt $lt $lt
  upassa $lt f
loop body
  vlen 4
  fadd x y $lt
  fmax f $lti f
)";
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    // Sums overflow where both are large.
    std::vector<double> x;
    std::vector<double> y;
    for (int n = 0; n < 100; ++n) x.push_back(random() % 20 == 0 ? kLarge : 1);
    for (int n = 0; n < 160; ++n) y.push_back(random() % 8 == 0 ? kLarge : 1);
    const auto large = [](const std::vector<double>& all) {
      return static_cast<std::uint64_t>(std::ranges::count(all, kLarge));
    };
    Device device(options_of("model450"));
    device.follow_events();
    device.load(assembled(kPairs));
    device.write_j(0, fields(y));
    static_cast<void>(device.run(fields(x), y.size()));
    EXPECT_EQ(device.events().counts.overflow, large(x) * large(y)) << round;
    EXPECT_FALSE(hostlib::any(device.events().unfollowed)) << round;
  }
}

TEST(RunEvents, AreTheSameOnEveryExactEngine) {
  const Data data = data_of(70, 100, 10, 4, 7);
  for (const char* engine : {"simd", "reference"}) {
    Device device(options_of("model1800", engine));
    device.follow_events();
    device.load(assembled(kGuarded));
    run(device, data);
    EXPECT_EQ(device.events().counts.overflow, data.large() * data.not_zero()) << engine;
    EXPECT_GT(device.events().untaken.overflow, 0u) << engine;
  }
}

TEST(RunEvents, AreThoseOfTheEngineUnlessTheyAreFollowed) {
  const Data data = data_of(1, 1, 1, 1, 1);
  Device device(options_of("model450"));
  device.load(assembled(kGuarded));
  run(device, data);
  EXPECT_EQ(device.events().counts, device.counters().fp);
  EXPECT_GT(device.events().counts.overflow, 1u);  // padding, and blocks without a record
}

TEST(RunEvents, SayHowManyWereNotFollowed) {
  const Data data = data_of(256, 256, 1, 1, 1);
  Device device(options_of("model450"));
  device.follow_events(30'000);
  device.load(assembled(kGuarded));
  run(device, data);
  const RunEvents events = device.events();
  EXPECT_EQ(events.counts.overflow, data.large() * data.not_zero());  // all are taken, so nothing is left out
  EXPECT_GT(events.unfollowed.overflow, 0u);
  EXPECT_LT(events.unfollowed.overflow, events.counts.overflow);
  const std::vector<std::string> texts = hostlib::event_texts(device);
  EXPECT_EQ(texts.at(0), "65536 floating-point events: 0 invalid, 65536 overflow, 0 underflow");
  EXPECT_EQ(texts.at(1), "  " + std::to_string(events.unfollowed.overflow) +
                             " of these were not followed, because the run is too large: they may be those of blocks "
                             "without a j-record, or on paths that no result takes");
  EXPECT_EQ(events.first.size(), emulator::kKeptEvents);
  const Data untaken = data_of(256, 256, 1, 1000, 1);
  ASSERT_EQ(untaken.not_zero(), 0u);
  device.load(assembled(kGuarded));
  run(device, untaken);
  EXPECT_GT(device.events().untaken.overflow, 0u);
  EXPECT_EQ(device.events().counts, device.events().unfollowed);
  EXPECT_THAT(hostlib::event_texts(device).at(1), testing::HasSubstr("others were followed, and no result took"));
}

TEST(RunEvents, OfRunsThatBeginWithWordsOfEarlierOnesAreNotFollowed) {
  constexpr std::string_view kSums = R"(kernel sums
bvar long y elt flt64to72
var vector long x hlt flt64to72  # allow unused
var vector long f rrn flt72to64 fmax
initialization
  vlen 4
  uxor $lt $lt $lt
  upassa $lt f
loop body
  vlen 4
  nop
  fadd f y f
)";
  Device device(options_of("model450"));
  device.follow_events();
  device.load(assembled(kSums));
  device.write_j(0, fields({kLarge}));
  const std::vector<std::uint64_t> i = fields({1.0, 1.0, 1.0, 1.0});
  static_cast<void>(device.run(i, 1));
  EXPECT_THAT(hostlib::event_texts(device), testing::IsEmpty());
  static_cast<void>(device.run(i, 1));  // 1.7e308 is there already
  EXPECT_EQ(device.events().unfollowed.overflow, 4u);
  EXPECT_THAT(hostlib::event_texts(device).at(1),
              testing::HasSubstr("because the run began with words that earlier runs had left"));
}

TEST(RunEvents, OfLoopInitializationAndTerminationAreFollowed) {
  constexpr std::string_view kEnds = R"(kernel ends
bvar long y elt flt64to72
var vector long x hlt flt64to72
var vector long f rrn flt72to64 fmax
var vector long g rrn flt72to64 fmax
loop initialization
  vlen 4
  fadd x x $lr0v
  uxor $lt $lt $lt
  upassa $lt f
  upassa $lt g
loop body
  vlen 4
  fmax f y f
  nop
loop termination
  vlen 4
  fadd x x g
)";
  const Data data = data_of(40, 20, 2, 1, 3);
  std::vector<double> y(20, 1.0);
  Device device(options_of("model1800"));
  device.follow_events();
  device.load(assembled(kEnds));
  device.write_j(0, fields(y));
  static_cast<void>(device.run(fields(data.x), y.size()));
  // Each block of each chip adds it once more to `g`. Nobody reads what loop initialization computed.
  EXPECT_EQ(device.events().counts.overflow, 64 * data.large());
  EXPECT_EQ(device.events().untaken.overflow, device.counters().fp.overflow - 64 * data.large());
}

TEST(RunEvents, OfKernelsOfTypeTwoAreTakenByBroadcastMemory) {
  constexpr std::string_view kStores = R"(kernel stores
bvar long y elt
bvar vector long number rrn fix72to64 umax
bvar vector long sum rrn flt72to64 fmax
var vector long x hlt
loop initialization
  transfer
  uadd $peid $bbid $lr8v
  nop
  bm $lr8v number @3
  nop
loop body
  transfer
  collect number
  fadd x y $lr0v
  nop
  bm $lr0v sum @1
  nop
  collect sum
)";
  Device device(options_of("model450"));
  device.follow_events();
  device.load(assembled(kStores));
  std::vector<double> y(3 * isa::kBlocks, 0.0);
  y[5] = y[20] = kLarge;  // block 5 in turn 0, block 4 in turn 1
  device.write_j(0, fields(y));
  static_cast<void>(device.run(fields(std::vector<double>(isa::kBlocks * 128, kLarge)), 3));
  EXPECT_EQ(device.counters().fp.overflow, 2 * 128u);
  EXPECT_EQ(device.events().counts.overflow, 2 * 4u);  // those of PE 1
}

TEST(RunEvents, OfARunThatEndsWithAFaultAreNotFollowed) {
  constexpr std::string_view kPointer = R"(kernel pointer
bvar long j elt flt64to72
var vector long x hlt flt64to72
var vector long y rrn flt72to64 fadd
loop initialization
  vlen 4
  uxor $lt $lt $lt
  upassa $lt y
loop body
  vlen 4
  fadd x x y
  bm j $lt
  nop
  upassa $lmt0 y
)";
  Device device(options_of("model450", "reference"));
  device.follow_events();
  device.load(assembled(kPointer));
  device.write_j(0, fields({5.0}));
  EXPECT_THROW(static_cast<void>(device.run(fields({kLarge}), 1)), emulator::Fault);
  EXPECT_EQ(device.events().counts, device.counters().fp);
  EXPECT_EQ(device.events().unfollowed, device.counters().fp);
}

}  // namespace
}  // namespace gdr::run_events_testing
