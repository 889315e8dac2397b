// The debugger as a library: where it goes, what it finds there, and that going back and jumping ahead lead to the
// words that the reference engine computes.
#include "gdr/debugger/debugger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"
#include "gdr/debugger/commands.h"
#include "gdr/emulator/block_stepper.h"

namespace gdr::debugger {
namespace {

using isa::Section;
using testing::HasSubstr;

constexpr std::string_view kKernel = R"(kernel walk
bvar long xj elt
bvar short mj elt
var vector long xi[2] hlt
var vector long sum rrn flt72to64 fadd
var vector short pair[2]
param scale : short = 2
reg d $lr8v
reg count $r0v
loop initialization
  uxor $lt $lt $lt
  upassa $lti sum
  uxor $t $t count
loop body
  fsub xj xi[0] d
  uadd count is"1" count
  fmul d mj $lt
  fmul $lti scale $lt
  fadd sum $lti sum
  fpassa d pair[0]
)";

isa::Program assembled(std::string_view source, bool schedule = false) {
  assembler::AssembleOptions options;
  options.schedule.level = schedule ? assembler::ScheduleLevel::list : assembler::ScheduleLevel::none;
  assembler::AssembleResult result = assembler::assemble(source, "walk.vsm", options);
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *std::move(result.program);
}

double i_of(std::size_t particle) { return 0.5 * static_cast<double>(particle); }
double j_of(std::size_t record) { return 3 + static_cast<double>(record); }
double mass_of(std::size_t record) { return record % 2 == 0 ? 1 : 0.25; }

Job job(std::size_t ni, std::size_t nj, std::string_view source = kKernel, bool schedule = false) {
  Job job;
  job.program = assembled(source, schedule);
  job.sources = {std::string(source)};
  for (std::size_t i = 0; i < ni; ++i) {
    job.i_fields.push_back(std::bit_cast<std::uint64_t>(i_of(i)));
    job.i_fields.push_back(std::bit_cast<std::uint64_t>(-1.0));
  }
  for (std::size_t j = 0; j < nj; ++j) {
    job.j_fields.push_back(std::bit_cast<std::uint64_t>(j_of(j)));
    job.j_fields.push_back(std::bit_cast<std::uint64_t>(mass_of(j)));
  }
  job.records = nj;
  return job;
}

double number(const Debugger& debugger, std::string_view expression) { return debugger.evaluate(expression).number(); }

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Debugger, GoesToThePairWhereverItIs) {
  Debugger debugger(job(300, 700));
  for (const auto& [i, j] : {std::pair<std::size_t, std::size_t>{0, 0}, {299, 699}, {147, 147}, {128, 64}, {127, 65}}) {
    debugger.go_to_pair(i, j);
    EXPECT_EQ(debugger.i_particle(), i);
    EXPECT_EQ(debugger.j_record(), j);
    EXPECT_EQ(number(debugger, "xi[0]"), i_of(i)) << i;
    EXPECT_EQ(number(debugger, "xj"), j_of(j)) << j;
    EXPECT_EQ(number(debugger, "mj"), mass_of(j)) << j;
    EXPECT_EQ(number(debugger, "$i * 1000 + $j"), static_cast<double>(i * 1000 + j));
    EXPECT_EQ(debugger.position()->section, Section::loop_body);
    EXPECT_EQ(debugger.position()->line, 0u);
    EXPECT_TRUE(debugger.jvalid());
    debugger.step(StepUnit::line, 1);
    EXPECT_EQ(number(debugger, "d"), j_of(j) - i_of(i));
  }
  EXPECT_THAT(error_of([&] { debugger.go_to_pair(300, 0); }), HasSubstr("i = 300 is refused: it must be 0 to 299"));
  EXPECT_THAT(error_of([&] { debugger.go_to_pair(0, 700); }), HasSubstr("j = 700 is refused: it must be 0 to 699"));
}

TEST(Debugger, ACountTellsTheIteration) {
  Debugger debugger(job(10, 5000));  // 79 iterations on chip 0
  debugger.go_to_pair(5, 64 * 70);
  EXPECT_EQ(number(debugger, "count"), 70);
  EXPECT_EQ(debugger.position()->iteration, 70u);
  debugger.back(StepUnit::iteration, 3);
  EXPECT_EQ(number(debugger, "count"), 67);
  debugger.step(StepUnit::record, 4);
  EXPECT_EQ(number(debugger, "count"), 71);
  EXPECT_EQ(debugger.go_to_end().reason, StopReason::end);
  EXPECT_EQ(number(debugger, "count"), 79);
}

TEST(Debugger, BackUndoesStep) {
  Debugger debugger(job(140, 130));
  std::vector<std::string> seen;
  const auto look = [&] {
    return Commands(debugger).state() +
           text_of(debugger.position().value_or(Position{99, Section::loop_termination, 0, 0}));
  };
  seen.push_back(look());
  while (debugger.step().reason == StopReason::step) seen.push_back(look());
  ASSERT_GT(seen.size(), 30u);
  for (std::size_t n = seen.size(); n-- > 0;) {
    debugger.back();
    EXPECT_EQ(look(), seen[n]);
  }
  EXPECT_EQ(debugger.back().reason, StopReason::begin);
}

/// Long ways go over the vector engine, steps do not: the words are the same.
TEST(Debugger, JumpsLeadWhereStepsLead) {
  for (const bool schedule : {false, true}) {
    Debugger walker(job(300, 64 * 400, kKernel, schedule));
    Debugger jumper(job(300, 64 * 400, kKernel, schedule));
    for (Debugger* each : {&walker, &jumper}) each->set_focus({2, 7, 3, 1});
    std::mt19937 random(7);
    std::uint64_t ahead = 0;
    for (int n = 0; n < 6; ++n) {
      const std::uint64_t lines = 900 + random() % 400;
      for (std::uint64_t line = 0; line < lines; ++line) walker.step();
      ahead += lines;
      jumper.go_to_end();
      jumper.go_to_begin();
      jumper.step(StepUnit::line, ahead);
      EXPECT_EQ(walker.position(), jumper.position());
      EXPECT_EQ(Commands(walker).state(), Commands(jumper).state());
    }
  }
}

TEST(Debugger, TheWordsAreThoseOfTheDevice) {
  const Job data = job(200, 333);
  DeviceOptions options;
  options.engine = emulator::Engine::reference;
  Device device(options);
  device.load(data.program);
  device.write_j(0, data.j_fields);
  static_cast<void>(device.run(data.i_fields, data.records));
  Debugger debugger(data);
  debugger.go_to_end();
  const Reference sum = debugger.resolve("sum");
  const WordPlace place = sum.symbol.word(0, 0);
  for (const PlacedWord& found : debugger.everywhere(sum, 0, true)) {
    const auto& [chip, block, pe, element] = found.place;
    const auto words = device.inspect().read_pe(
        chip, block, pe, {isa::Memory::lm, static_cast<std::uint16_t>(place.address), isa::Width::long_word, 4});
    EXPECT_EQ(found.word, words[element]);
  }
  EXPECT_EQ(debugger.everywhere(sum, 0, true).size(), 4u * 16 * (200 - 128));
}

// The line before may have written the word, and its write land after the next line has read.
TEST(Debugger, WordsThatAreSetStay) {
  Debugger plain(job(5, 33));
  plain.go_to_pair(0, 0);
  plain.go_to_end();
  const double all = number(plain, "sum");
  for (unsigned lines = 0; lines < 12; ++lines) {
    Debugger debugger(job(5, 33));
    debugger.go_to_pair(0, 0);
    if (lines > 0) debugger.step(StepUnit::line, lines);
    const double before = number(debugger, "sum");
    debugger.set_word(debugger.resolve("sum"), {false, before + 5, 0});
    EXPECT_EQ(number(debugger, "sum"), before + 5) << lines;
    debugger.go_to_end();
    EXPECT_EQ(number(debugger, "sum"), all + 5) << lines;
  }
}

TEST(Debugger, WordsAreSetToInfinityButNotToNan) {
  Debugger debugger(job(5, 33));
  debugger.go_to_pair(0, 0);
  const Reference sum = debugger.resolve("sum");
  for (const auto& [text, value] : {std::pair{"inf", HUGE_VAL}, {"-inf", -HUGE_VAL}, {"1 / 0.0", HUGE_VAL}}) {
    debugger.set_word(sum, debugger.evaluate(text));
    EXPECT_EQ(number(debugger, "sum"), value) << text;
  }
  for (const char* text : {"nan", "0.0 / 0.0"}) {
    EXPECT_THAT(error_of([&] { debugger.set_word(sum, debugger.evaluate(text)); }),
                HasSubstr("the machine has no NaN"));
  }
  EXPECT_EQ(number(debugger, "sum"), HUGE_VAL);
  debugger.add_breakpoint("17", "sum < inf");
}

TEST(Debugger, ConditionsStopAtTheFirstIterationThatMeetsThem) {
  Debugger debugger(job(1, 64 * 40));
  debugger.add_breakpoint("17", "d > 600 && mj < 1");
  const Stop stop = debugger.go_on();
  // d is xj of the iteration: the j of chip 0 and block 0 are multiples of 64, whose mass is 1.
  EXPECT_EQ(stop.reason, StopReason::end);
  debugger.go_to_begin();
  debugger.add_breakpoint("17", "d > 600");
  EXPECT_EQ(debugger.go_on().reason, StopReason::breakpoint);
  EXPECT_EQ(debugger.j_record(), 640u);
  EXPECT_EQ(debugger.go_back().reason, StopReason::begin);
}

TEST(Debugger, AConditionEverywhereFindsTheElement) {
  Debugger debugger(job(300, 500));
  debugger.add_breakpoint("walk.vsm:17", "d == 3 + 321 - 0.5 * 77 && $i == 77", true);
  EXPECT_EQ(debugger.go_on().reason, StopReason::breakpoint);
  EXPECT_EQ(debugger.i_particle(), 77u);
  EXPECT_EQ(debugger.j_record(), 321u);
}

TEST(Debugger, AWatchStopsBehindTheWriterAndBackBeforeIt) {
  Debugger debugger(job(8, 320));
  debugger.set_focus({0, 0, 0, 1});
  debugger.add_watch("sum", "sum > 100");
  const Stop stop = debugger.go_on();
  EXPECT_EQ(stop.reason, StopReason::watch);
  EXPECT_THAT(stop.text, HasSubstr(" -> "));
  EXPECT_GT(number(debugger, "sum"), 100);
  EXPECT_EQ(debugger.go_back().reason, StopReason::watch);
  EXPECT_LE(number(debugger, "sum"), 100);
}

TEST(Debugger, OriginsLeadBackToData) {
  Debugger debugger(job(4, 64));
  debugger.go_to_pair(2, 0);
  debugger.step(StepUnit::line, 5);
  const Origin origin = debugger.why(debugger.resolve("sum"), 3);
  ASSERT_TRUE(origin.written);
  EXPECT_EQ(debugger.line_at(*origin.written).places.front().line, 19u);
  ASSERT_EQ(origin.operands.size(), 2u);
  const Origin& product = origin.operands[1];
  ASSERT_EQ(product.operands.size(), 2u);
  EXPECT_THAT(product.operands[1].text, HasSubstr("parameter scale"));
  const Origin& first = product.operands[0];
  ASSERT_EQ(first.operands.size(), 2u);
  EXPECT_THAT(first.operands[1].text, HasSubstr("mj of j-record 0"));
  EXPECT_EQ(debugger.position()->section, Section::loop_body) << "it stays where it was";
}

TEST(Debugger, NamesAreThoseOfTheKernel) {
  Debugger debugger(job(4, 1));
  debugger.go_to_pair(1, 0);
  EXPECT_EQ(number(debugger, "xi[0][3]"), i_of(3));
  EXPECT_EQ(number(debugger, "xi[1]"), -1);
  EXPECT_EQ(number(debugger, "scale"), 2);
  debugger.step(StepUnit::line, 6);
  EXPECT_EQ(number(debugger, "pair[0]"), j_of(0) - i_of(1));
  EXPECT_EQ(number(debugger, "pair[1]"), 0);
  EXPECT_THAT(error_of([&] { static_cast<void>(debugger.evaluate("sun")); }), HasSubstr("did you mean sum"));
  EXPECT_THAT(error_of([&] { static_cast<void>(debugger.evaluate("xi[2]")); }),
              HasSubstr("subscript 2 is outside 0..1"));
  EXPECT_THAT(error_of([&] { static_cast<void>(debugger.evaluate("xi[0][4]")); }),
              HasSubstr("element 4 is outside 0..3"));
  EXPECT_THAT(error_of([&] { static_cast<void>(debugger.evaluate("$lr63")); }), HasSubstr("even address"));
}

TEST(Debugger, ScheduledLinesAreFoundByAllTheirPlaces) {
  const std::string source = std::string(kKernel);
  Debugger debugger(job(4, 64, source, true));
  // The addition to the count needs neither adder nor multiplier: it moves into another line.
  const auto lines = debugger.lines_at("16");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_GE(lines.front().places.size(), 1u);
  std::size_t moved = 0;
  for (const unsigned line : {15, 16, 17, 18, 19})
    moved += debugger.lines_at(std::to_string(line)).front().places.size() > 1;
  EXPECT_GT(moved, 0u);
  EXPECT_THAT(error_of([&] { static_cast<void>(debugger.lines_at("2")); }), HasSubstr("the next lines with code: 11"));
}

TEST(Expressions, HaveTheOperatorsOfC) {
  Debugger debugger(job(1, 1));
  struct {
    const char* text;
    double value;
  } const cases[] = {{"1 + 2 * 3", 7},      {"(1 + 2) * 3", 9},       {"7 / 2", 3},
                     {"7.0 / 2", 3.5},      {"-7 % 3", -1},           {"1 << 4 | 3", 19},
                     {"0x1f & ~1", 30},     {"2 < 3 == 1", 1},        {"!0 && 5", 1},
                     {"1 ? 2 : 3", 2},      {"0 ? 2 : 0 ? 3 : 4", 4}, {"1e3", 1000},
                     {"1 || 1 / 0", 1},     {"abs(-2.5)", 2.5},       {"isnan(0.0 / 0.0)", 1},
                     {"isinf(1 / 0.0)", 1}, {"isinf(-inf)", 1},       {"isnan(nan)", 1},
                     {"1e308 < inf", 1},    {"5 - 2 - 1", 2},         {"1 - -1", 2},
                     {"6 ^ 3", 5},          {"3 != 3.0", 0}};
  for (const auto& [text, value] : cases) EXPECT_EQ(number(debugger, text), value) << text;
  EXPECT_EQ(text_of(debugger.evaluate("1 << 127")), "-170141183460469231731687303715884105728");
  EXPECT_EQ(text_of(debugger.evaluate("abs(1 << 127)")), "-170141183460469231731687303715884105728");  // it wraps
  EXPECT_EQ(text_of(debugger.evaluate("~(1 << 127)")), "170141183460469231731687303715884105727");
  for (const char* wrong :
       {"", "1 +", "(1", "1 2", "3x", "a b", "1.5 % 2", "1 / 0", "1 << 200", "f(1)", "xi[", "$", "1e999"}) {
    EXPECT_NE(error_of([&] { static_cast<void>(debugger.evaluate(wrong)); }), "no error") << wrong;
  }
  EXPECT_THAT(error_of([&] { static_cast<void>(debugger.evaluate(std::string(2000, '('))); }), HasSubstr("at most"));
  EXPECT_THAT(error_of([&] { static_cast<void>(debugger.evaluate(std::string(900, '('))); }), HasSubstr("too deeply"));
}

TEST(BlockStepper, ACopyGoesOnByItself) {
  const isa::Program program = assembled(kKernel);
  emulator::BlockStepper block(program, 3);
  EXPECT_TRUE(block.done());
  EXPECT_THROW(block.step(), Error);
  std::vector<isa::LongWord> records(64 * program.record_words);
  emulator::LoopRun run;
  run.stream = {records, program.record_words, 64};
  block.begin(run);
  for (int n = 0; n < 7; ++n) block.step();
  const emulator::BlockStepper kept = block;
  while (!block.done()) block.step();
  emulator::BlockStepper again = kept;
  EXPECT_EQ(again.next(), kept.next());
  while (!again.done()) again.step();
  EXPECT_EQ(again.state().gpr, block.state().gpr);
  EXPECT_EQ(again.state().lm, block.state().lm);
  EXPECT_NE(kept.state().gpr, block.state().gpr);
  EXPECT_THROW(static_cast<void>(block.registers(32)), Error);
  EXPECT_THROW(static_cast<void>(block.read_bm(1020, 5)), Error);
}

TEST(Commands, RefuseWhatTheyDoNotKnow) {
  Debugger debugger(job(4, 4));
  Commands commands(debugger);
  for (const char* wrong : {"stp",           "step -1",
                            "step sideways", "break",
                            "break 1",       "break nofile.vsm:3",
                            "watch",         "watch mj",
                            "focus pe=32",   "focus colour=1",
                            "pair",          "pair k=1",
                            "print",         "print sum as double",
                            "table",         "hist xi",
                            "why",           "why sum 99",
                            "delete 7",      "assert sum == 1",
                            "where now",     "break 17 if nosuch > 1",
                            "break 17 @all"}) {
    EXPECT_NE(error_of([&] { static_cast<void>(commands.execute(wrong)); }), "no error") << wrong;
  }
  EXPECT_EQ(commands.execute("  # a remark").text, "");
  EXPECT_EQ(commands.execute("").text, "");
  EXPECT_TRUE(commands.execute("quit").quit);
}

}  // namespace
}  // namespace gdr::debugger
