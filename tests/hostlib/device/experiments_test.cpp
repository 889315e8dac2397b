// Experiments in rounds: every result is that of its start, bit for bit, whatever the rounds, the refilling, the
// engine, the threads and the number of chips. Expected numbers are computed here.
#include "gdr/hostlib/experiments.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"

namespace gdr::hostlib {
namespace {

/// An xorshift generator that runs as often as the start says, and a long sum whose bits depend on the order of steps.
constexpr std::string_view kShift = R"(kernel shift experiment
var vector long seed hlt fix64to72
var vector long left hlt fix64to72
var vector long start hlt
var vector long x rrn fix72to64
var vector long n
var vector long sum
var vector long out rrn
experiment begin
  upassa seed x
  upassa left n
  fpassa start sum
experiment step
  ulsl x il"13" $lt
  uxor x $lti $lt
  uand $lti il"0xffffffffffffffff" $lr0v $lt
  ulsr $lti il"7" $lt
  uxor $lr0v $lti $lr8v $lt
  ulsl $lti il"17" $lt
  uxor $lr8v $lti $lt
  uand $lti il"0x7fffffffffffffff" x
  fmul sum fs"0.75" $lt
  fadd $lti start sum
  usub n il"1" $lt n
  usub il"0" $lti $ok1
experiment end
  fmul sum fs"2" $lt
  nop
  fpassa $lt out
)";

struct Start {
  std::int64_t seed = 0;
  std::int64_t steps = 0;
  double start = 0;
};

std::uint64_t shifted(std::uint64_t x, std::int64_t steps) {
  for (; steps > 0; --steps) {
    x ^= x << 13;
    x ^= x >> 7;
    x = (x ^ (x << 17)) & 0x7fffffffffffffff;
  }
  return x;
}

/// Exponential lengths of 1 to `most` steps with the given mean.
std::vector<Start> starts_of(std::size_t count, double mean, std::int64_t most) {
  std::mt19937_64 generator(47);
  std::exponential_distribution<double> length(1 / mean);
  std::vector<Start> starts(count);
  for (std::size_t n = 0; n < count; ++n) {
    starts[n].seed = static_cast<std::int64_t>(generator() >> 2);
    starts[n].steps = std::min<std::int64_t>(most, 1 + static_cast<std::int64_t>(length(generator)));
    starts[n].start = static_cast<double>(n % 1000 + 1);
  }
  return starts;
}

std::vector<std::uint64_t> fields_of_starts(const std::vector<Start>& starts) {
  std::vector<std::uint64_t> fields;
  for (const Start& start : starts) {
    fields.push_back(static_cast<std::uint64_t>(start.seed));
    fields.push_back(static_cast<std::uint64_t>(start.steps));
    fields.push_back(std::bit_cast<std::uint64_t>(start.start));
  }
  return fields;
}

isa::Program program_of(std::string_view source) {
  const assembler::AssembleResult result = assembler::assemble(source, "experiment.vsm");
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *result.program;
}

Device device_with(const DeviceOptions& options, std::string_view source = kShift) {
  Device device(options);
  device.load(program_of(source));
  return device;
}

DeviceOptions on(const std::string& engine, const std::string& machine = "model1800", unsigned threads = 1,
                 unsigned boards = 1) {
  DeviceOptions options;
  options.engine = engine;
  options.machine = machine;
  options.threads = threads;
  options.boards = boards;
  return options;
}

/// What must not depend on how experiments were run.
struct Outcome {
  std::vector<std::uint64_t> fields;
  std::vector<std::uint64_t> steps;
  std::vector<std::uint8_t> finished;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome_of(Device device, const std::vector<Start>& starts, const ExperimentOptions& options) {
  const ExperimentResults results = run_experiments(device, fields_of_starts(starts), options);
  return {results.fields, results.steps, results.finished};
}

TEST(Experiments, GiveTheResultOfEachStartInItsOrder) {
  const std::vector<Start> starts = starts_of(6000, 100, 600);
  Device device = device_with(on(std::string(emulator::Engine::simd), "model450"));
  const ExperimentResults results = run_experiments(device, fields_of_starts(starts), {600, 60, true});
  ASSERT_EQ(results.fields.size(), 2 * starts.size());
  for (std::size_t n = 0; n < starts.size(); ++n) {
    EXPECT_EQ(results.fields[2 * n], shifted(static_cast<std::uint64_t>(starts[n].seed), starts[n].steps)) << n;
    EXPECT_EQ(results.steps[n], static_cast<std::uint64_t>(starts[n].steps)) << n;
    EXPECT_EQ(results.finished[n], 1) << n;
  }
}

TEST(Experiments, GiveTheSameBitsHoweverTheyAreRun) {
  const std::vector<Start> starts = starts_of(2500, 20, 64);
  const std::string simd(emulator::Engine::simd);
  const Outcome expected = outcome_of(device_with(on(simd)), starts, {64, 8, true});
  EXPECT_EQ(outcome_of(device_with(on(simd)), starts, {64, 1, true}), expected);
  EXPECT_EQ(outcome_of(device_with(on(simd)), starts, {64, 64, true}), expected);
  EXPECT_EQ(outcome_of(device_with(on(simd)), starts, {64, 8, false}), expected);
  EXPECT_EQ(outcome_of(device_with(on(simd, "model1800", 3)), starts, {64, 16, true}), expected);
  EXPECT_EQ(outcome_of(device_with(on(simd, "model450", 2)), starts, {64, 16, true}), expected);
  EXPECT_EQ(outcome_of(device_with(on(simd, "model450", 1, 2)), starts, {64, 32, false}), expected);
}

TEST(Experiments, GiveTheSameBitsOnTheReferenceEngine) {
  const std::vector<Start> starts = starts_of(2100, 4, 12);
  const Outcome expected = outcome_of(device_with(on(std::string(emulator::Engine::simd))), starts, {12, 4, true});
  EXPECT_EQ(outcome_of(device_with(on(std::string(emulator::Engine::reference), "model450")), starts, {12, 6, true}),
            expected);
}

TEST(Experiments, EndAtTheMostStepsWithTheLastState) {
  const std::vector<Start> starts = starts_of(300, 30, 100);
  Device device = device_with(on(std::string(emulator::Engine::simd)));
  const ExperimentResults results = run_experiments(device, fields_of_starts(starts), {24, 8, true});
  std::size_t unfinished = 0;
  for (std::size_t n = 0; n < starts.size(); ++n) {
    const std::int64_t steps = std::min<std::int64_t>(24, starts[n].steps);
    EXPECT_EQ(results.fields[2 * n], shifted(static_cast<std::uint64_t>(starts[n].seed), steps)) << n;
    EXPECT_EQ(results.steps[n], static_cast<std::uint64_t>(steps)) << n;
    EXPECT_EQ(results.finished[n] == 0, starts[n].steps > 24) << n;
    unfinished += starts[n].steps > 24 ? 1 : 0;
  }
  EXPECT_GT(unfinished, 0u);
  EXPECT_EQ(results.unfinished(), unfinished);
}

TEST(Experiments, AreDoneAfterTheMostStepsIfTheyCount) {
  Device device = device_with(on(std::string(emulator::Engine::simd)), R"(kernel count experiment
var vector long from hlt fix64to72
var vector long n rrn fix72to64
experiment begin
  upassa from n
experiment step
  uadd n il"3" n
)");
  const std::vector<std::uint64_t> starts{5, 100};
  const ExperimentResults results = run_experiments(device, starts, {7, 0, true});
  EXPECT_THAT(results.fields, ::testing::ElementsAre(26, 121));
  EXPECT_EQ(results.unfinished(), 0u);
  EXPECT_EQ(results.occupancy, 2.0 / static_cast<double>(results.places));
}

TEST(Experiments, LeaveNothingForTheNextCall) {
  const std::vector<Start> starts = starts_of(2000, 50, 400);
  Device device = device_with(on(std::string(emulator::Engine::simd)));
  const auto cancel = [](std::size_t, std::size_t) { throw Error("cancelled"); };
  EXPECT_THROW(static_cast<void>(run_experiments(device, fields_of_starts(starts), {400, 20, true}, cancel)), Error);
  const std::vector<Start> few(starts.begin(), starts.begin() + 3);
  const emulator::Counters before = device.counters();
  const ExperimentResults results = run_experiments(device, fields_of_starts(few), {400, 400, true});
  EXPECT_EQ(results.rounds, 1u);
  for (std::size_t n = 0; n < few.size(); ++n) {
    EXPECT_EQ(results.fields[2 * n], shifted(static_cast<std::uint64_t>(few[n].seed), few[n].steps));
  }
  EXPECT_EQ(device.counters().fp.invalid, before.fp.invalid);
}

TEST(Experiments, CountTheSameEventsInAllRounds) {
  constexpr std::string_view kOverflow = R"(kernel grow experiment
var vector long x hlt
var vector long y rrn
experiment begin
  fpassa x y
experiment step
  fmul y fs"1e300" $lt y
  fsub $lti f"1e308" $ok1
)";
  std::vector<std::uint64_t> starts;
  for (int n = 0; n < 3000; ++n) starts.push_back(std::bit_cast<std::uint64_t>(-1.0 - n));
  const auto events = [&](const ExperimentOptions& options, const std::string& machine) {
    Device device = device_with(on(std::string(emulator::Engine::simd), machine), kOverflow);
    static_cast<void>(run_experiments(device, starts, options));
    return device.counters().fp.overflow;
  };
  const std::uint64_t expected = events({6, 1, true}, "model1800");
  EXPECT_GT(expected, 0u);
  EXPECT_EQ(events({6, 6, true}, "model450"), expected);
  EXPECT_EQ(events({6, 3, false}, "model450"), expected);
}

/// The tail of an exponential distribution leaves places idle when the queue is empty.
TEST(Experiments, KeepPlacesAtWorkWhileTheQueueLasts) {
  const std::vector<Start> starts = starts_of(20000, 100, 2000);
  Device device = device_with(on(std::string(emulator::Engine::simd), "model450"));
  const ExperimentResults results = run_experiments(device, fields_of_starts(starts), {2000, 10, true});
  const double sum = std::accumulate(starts.begin(), starts.end(), 0.0,
                                     [](double all, const Start& one) { return all + static_cast<double>(one.steps); });
  EXPECT_DOUBLE_EQ(results.occupancy, sum / (10.0 * static_cast<double>(results.rounds) * 2048));
  // Half a round is lost for each experiment of 100 steps.
  EXPECT_NEAR(results.occupancy_of_queue, 100.0 / 105.0, 0.01);
  // When the queue is empty, what is left of an experiment of exponential length is as long as a whole one, and the
  // longest of 2,048 is ln 2048 + 0.577 times the mean.
  constexpr double kShare = 20000.0 / 2048;
  const double tail = 100 * (std::log(2048.0) + 0.577);
  EXPECT_NEAR(results.occupancy, kShare * 100 / (kShare * 105 - 100 + tail), 0.03);
}

TEST(Experiments, TellAfterEachRoundHowManyAreDone) {
  const std::vector<Start> starts = starts_of(10, 5, 20);
  Device device = device_with(on(std::string(emulator::Engine::simd)));
  std::vector<std::size_t> done;
  const ExperimentResults results =
      run_experiments(device, fields_of_starts(starts), {20, 5, true}, [&](std::size_t now, std::size_t all) {
        done.push_back(now);
        EXPECT_EQ(all, 10u);
      });
  EXPECT_EQ(done.size(), results.rounds);
  EXPECT_EQ(done.back(), 10u);
  EXPECT_TRUE(std::ranges::is_sorted(done));
}

constexpr std::uint64_t kMostOfRound = 2097152;  // 32 M words of external memory, 16 in a turn

std::string why_refused(const ExperimentOptions& options) {
  try {
    return fmt::format("taken: {}", round_steps_of(options, kMostOfRound));
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Experiments, TakeRoundsThatDivideTheSteps) {
  const auto of_steps = [](std::uint64_t steps, std::uint64_t round = 0) {
    return round_steps_of({steps, round, true}, kMostOfRound);
  };
  EXPECT_EQ(of_steps(20000), 200u);
  EXPECT_EQ(of_steps(150), 150u);
  EXPECT_EQ(of_steps(20002), 146u);    // 2 x 73 x 137; the next one is 274
  EXPECT_EQ(of_steps(10007), 10007u);  // a prime: all at once rather than one by one
  EXPECT_EQ(of_steps(1), 1u);
  EXPECT_EQ(of_steps(600, 60), 60u);
  EXPECT_EQ(of_steps(600, 600), 600u);
  EXPECT_EQ(why_refused({600, 70, true}), "round = 70 is refused: it must divide the 600 steps, as 60 and 75 do");
  EXPECT_EQ(why_refused({600, 700, true}), "round = 700 is refused: it must divide the 600 steps, as 600 does");
  EXPECT_EQ(why_refused({0, 0, true}), "steps = 0 is refused: it must be 1 to 4503599627370496");
}

/// Numbers of steps up to the greatest take no longer than their prime factors.
TEST(Experiments, TakeRoundsOfManySteps) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 52;
  EXPECT_EQ(round_steps_of({kMost, 0, true}, kMostOfRound), 256u);
  EXPECT_EQ(round_steps_of({kMost, kMostOfRound, true}, kMostOfRound), kMostOfRound);
  EXPECT_EQ(why_refused({kMost, kMost - 1, true}), "round = 4503599627370495 is refused: it must be 1 to 2097152");
  EXPECT_EQ(why_refused({kMost, kMostOfRound - 1, true}),
            "round = 2097151 is refused: it must divide the 4503599627370496 steps, as 1048576 and 2097152 do");
  constexpr std::uint64_t kPrime = 4503599627370449;  // the greatest below 2^52
  EXPECT_EQ(round_steps_of({kPrime, 0, true}, kMostOfRound), 1u);
  EXPECT_EQ(why_refused({kPrime, 1000, true}),
            "round = 1000 is refused: it must divide the 4503599627370449 steps, as 1 does");
  constexpr std::uint64_t kSquare = std::uint64_t{67108859} * 67108859;  // of the greatest prime below 2^26
  EXPECT_EQ(round_steps_of({kSquare, 0, true}, std::uint64_t{1} << 28), 1u);
  EXPECT_EQ(round_steps_of({kSquare, 67108859, true}, std::uint64_t{1} << 28), 67108859u);
}

/// Against all divisors, tried one by one.
TEST(Experiments, TakeTheDivisorNextToTheUsualRound) {
  for (std::uint64_t steps = 1; steps <= 3000; ++steps) {
    std::uint64_t best = 1;
    for (std::uint64_t divisor = 2; divisor <= steps; ++divisor) {
      // By factors: divisor / 200 against 200 / best, without rounding.
      const std::uint64_t high = std::max<std::uint64_t>(divisor, 200) * std::min<std::uint64_t>(best, 200);
      const std::uint64_t low = std::min<std::uint64_t>(divisor, 200) * std::max<std::uint64_t>(best, 200);
      if (steps % divisor == 0 && high < low) best = divisor;
    }
    ASSERT_EQ(round_steps_of({steps, 0, true}, kMostOfRound), best) << steps;
  }
}

TEST(Experiments, TakeTheEmulatedTimeOfAllRounds) {
  const std::vector<Start> starts = starts_of(100, 30, 60);
  const auto seconds = [&](std::uint64_t round) {
    Device device = device_with(on(std::string(emulator::Engine::simd)));
    const ExperimentResults results = run_experiments(device, fields_of_starts(starts), {60, round, true});
    return std::pair(device.emulated().seconds().total(), results.rounds);
  };
  const auto [of_one, one] = seconds(60);
  const auto [of_many, many] = seconds(10);
  EXPECT_EQ(one, 1u);
  EXPECT_EQ(many, 6u);
  // A round costs its start, its i-data and its results, which are longer than these steps.
  EXPECT_GT(of_many, 5 * of_one);
}

TEST(Experiments, AreTimedAsIfAllTookTheMostSteps) {
  const std::vector<Start> starts = starts_of(9000, 30, 60);
  Device timed = device_with(on(std::string(emulator::Engine::timing)));
  const ExperimentResults rounds = run_experiments(timed, fields_of_starts(starts), {60, 20, true});
  EXPECT_EQ(rounds.rounds, 6u);  // 8,192 places and twice 60 steps
  EXPECT_TRUE(rounds.fields.empty());
  EXPECT_GT(timed.emulated().seconds().total(), 0);
}

/// One round is looked at: the sums are those of as many as there are.
TEST(Experiments, AreTimedByOneRound) {
  const auto timed_by = [](std::uint64_t steps, std::uint64_t round, bool keeps_calls = false) {
    Device device = device_with(on(std::string(emulator::Engine::timing)));
    if (keeps_calls) device.keep_calls();
    const std::vector<Start> starts = starts_of(9000, 30, 60);
    static_cast<void>(run_experiments(device, fields_of_starts(starts), {steps, round, true}));
    return device.totals();
  };
  const DeviceTotals one = timed_by(1400, 20);
  const DeviceTotals each = timed_by(1400, 20, true);
  EXPECT_NEAR(one.emulated.seconds.total(), each.emulated.seconds.total(), 1e-12 * each.emulated.seconds.total());
  EXPECT_EQ(one.emulated.clocks.total(), each.emulated.clocks.total());
  EXPECT_EQ(one.emulated.runs, 140u);
  EXPECT_EQ(each.emulated.runs, 140u);
  EXPECT_EQ(one.emulated.iterations, each.emulated.iterations);
  for (const auto member : {&emulator::Counters::runs, &emulator::Counters::iterations, &emulator::Counters::lines,
                            &emulator::Counters::host_bytes_in, &emulator::Counters::host_bytes_out,
                            &emulator::Counters::idp_words, &emulator::Counters::odp_words}) {
    EXPECT_EQ(one.counters.*member, each.counters.*member);
  }
  for (std::size_t unit = 0; unit < one.emulated.busy.size(); ++unit) {
    EXPECT_NEAR(one.emulated.busy[unit], each.emulated.busy[unit], 1e-12 * each.emulated.busy[unit]);
  }
  // 2 x 10^11 rounds.
  const DeviceTotals many = timed_by(std::uint64_t{100'000'000'000} * 20, 20);
  EXPECT_EQ(many.emulated.runs, 200'000'000'000u);
  EXPECT_THROW(static_cast<void>(timed_by(std::uint64_t{1} << 52, 1)), Error) << "clocks do not fit 64 bits";
}

TEST(Experiments, HaveAllPlacesOfTheBoard) {
  const std::vector<Start> starts = starts_of(2, 30, 60);
  for (const std::string_view engine : {emulator::Engine::simd, emulator::Engine::timing}) {
    Device device = device_with(on(std::string(engine)));
    const ExperimentResults few = run_experiments(device, fields_of_starts(starts), {60, 20, true});
    EXPECT_EQ(few.places, 8192u) << engine;
    EXPECT_LE(few.occupancy, 2.0 / 8192) << engine;
    EXPECT_GT(few.occupancy, 0) << engine;
    EXPECT_TRUE(std::isnan(few.occupancy_of_queue)) << engine << ": places were free in all rounds";
  }
}

TEST(Experiments, RefuseWhatIsNone) {
  Device device = device_with(on(std::string(emulator::Engine::simd)),
                              "kernel plain\nvar vector long x rrn\n"
                              "loop initialization\n  uxor $lt $lt $lt\n"
                              "  upassa $lti x\nloop body\n  nop\n");
  EXPECT_THROW(static_cast<void>(run_experiments(device, {}, {10, 0, true})), Error);
  Device shift = device_with(on(std::string(emulator::Engine::simd)));
  const std::vector<std::uint64_t> half(4);
  EXPECT_THROW(static_cast<void>(run_experiments(shift, half, {10, 0, true})), Error);
}

TEST(Experiments, CheckTheRangeOfEachColumnOfTheStarts) {
  Device device = device_with(on(std::string(emulator::Engine::simd)), R"(kernel ranges experiment
var vector long odd hlt fix64to72 uint1
var vector long small hlt fix64to72 int8
var vector long large hlt fix64to72 uint32
var vector long x
var vector long out rrn fix72to64
experiment begin
  upassa large $lt
  usub $lti small $lt
  uadd $lti odd x
experiment step
  uadd x il"1" x
experiment end
  upassa x out
)");
  constexpr std::int64_t kLarge = 4294967295;
  std::vector<std::uint64_t> starts;
  const auto begins = [&](std::int64_t odd, std::int64_t small, std::int64_t large) {
    for (const std::int64_t number : {odd, small, large}) starts.push_back(static_cast<std::uint64_t>(number));
  };
  begins(0, -128, kLarge);
  begins(1, 127, 0);
  const ExperimentResults results = run_experiments(device, starts, {3, 0, true});
  EXPECT_EQ(results.fields, (std::vector<std::uint64_t>{kLarge + 128 + 3, static_cast<std::uint64_t>(1 - 127 + 3)}));
  // More starts than places: the last one begins in a later round, in some place.
  while (starts.size() < 3 * 9000) begins(1, 1, 1);
  const auto refusal_of = [&](std::size_t experiment, std::size_t column, std::int64_t number) -> std::string {
    std::vector<std::uint64_t> wrong = starts;
    wrong[3 * experiment + column] = static_cast<std::uint64_t>(number);
    try {
      static_cast<void>(run_experiments(device, wrong, {3, 0, true}));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal_of(0, 0, 2), "i['odd'] is 2 at (0,): it must be from 0 to 1");
  EXPECT_EQ(refusal_of(1, 1, -129), "i['small'] is -129 at (1,): it must be from -128 to 127");
  EXPECT_EQ(refusal_of(8999, 2, kLarge + 1), "i['large'] is 4294967296 at (8999,): it must be from 0 to 4294967295");
}

TEST(Experiments, MakeATableOfColumns) {
  const std::vector<Start> starts = starts_of(2, 5, 10);
  Device device = device_with(on(std::string(emulator::Engine::simd)));
  const ExperimentResults results = run_experiments(device, fields_of_starts(starts), {10, 10, true});
  std::vector<std::string> names;
  const Table table = experiment_table(device.program(), results);
  for (const Column& column : table.columns()) names.push_back(column.name);
  EXPECT_THAT(names, ::testing::ElementsAre("x", "out", "steps", "finished"));
  EXPECT_THAT(start_columns(device.program()),
              ::testing::ElementsAre(ColumnType{"seed", NumberType::integer}, ColumnType{"left", NumberType::integer},
                                     ColumnType{"start", NumberType::real}));
}

}  // namespace
}  // namespace gdr::hostlib
