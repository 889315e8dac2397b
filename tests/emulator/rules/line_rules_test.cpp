// What one line does to the PEs and when it shows, rule by rule as docs/machine/machine.md has them, on every exact
// engine. Long words stand at even addresses: $lr0v is $lr0, $lr2, $lr4, $lr6.
#include <cmath>
#include <functional>

#include "rules_testing.h"

namespace gdr::tests {
namespace {

using isa::LongWord;

using Words = std::vector<LongWord>;

class Landing : public Rules {};
INSTANTIATE_TEST_SUITE_P(Engines, Landing, testing::ValuesIn(exact_engines()),
                         [](const auto& engine) { return name_of(engine.param); });

TEST_P(Landing, TIsThereInTheNextLine) {
  run_lines(R"(
    upassa il"5" $lt
    upassa $lt $lr0v $lm0v)");
  EXPECT_EQ(gpr(0, 4), integers({5, 5, 5, 5}));
  EXPECT_EQ(lm(0, 4), integers({5, 5, 5, 5}));
}

TEST_P(Landing, TReadInTheLineThatWritesItIsTheOldOne) {
  run_lines(R"(
    upassa il"3" $lt
    upassa il"5" $lt ; bm $lt $lb80v @0
    nop)");
  EXPECT_EQ(chip_->read_bm(kBlock, 40, 4), integers({3, 3, 3, 3}));
  EXPECT_EQ(t(), integers({5, 5, 5, 5}));
}

TEST_P(Landing, TIsOneWordPerElement) {
  run_lines(R"(
    upassa $lr0v $lt
    upassa $lt $lr8v)",
            [&] { set_gpr(0, integers({1, 2, 3, 4})); });
  EXPECT_EQ(gpr(8, 4), integers({1, 2, 3, 4}));
}

TEST_P(Landing, ShortWordInTStandsInItsUpperHalf) {
  run_lines(R"(
    upassa is"9" $t
    upassa $lt $lr0v)");
  EXPECT_EQ(gpr(0), short_integer(9));
}

TEST_P(Landing, ShortWordsInTheFirstElementsOfTReplaceLongOnes) {
  const auto word = [](std::string_view hex) { return *isa::parse_long(hex); };
  const std::vector<isa::LongWord> before{word("111111111222222222"), word("333333333444444444"),
                                          word("555555555666666666"), word("777777777888888888")};
  run_lines("upassa $lr0v $lt\nvlen 2 ; upassa $r16v $t\nupassa $lt $lm0v", [&] {
    set_gpr(0, before);
    set_gpr(16, {word("999999999aaaaaaaaa")});
  });
  EXPECT_EQ(lm(0, 4), (std::vector{word("999999999000000000"), word("aaaaaaaaa000000000"), before[2], before[3]}));
}

TEST_P(Landing, GprIsReadFromTheSecondLineOn) {
  run_lines(R"(
    upassa il"1" $lr0v
    upassa $lr0v $lr8v
    upassa $lr0v $lr16v)",
            [&] { set_gpr(0, integers({7, 7, 7, 7})); });
  EXPECT_EQ(gpr(8, 4), integers({7, 7, 7, 7}));
  EXPECT_EQ(gpr(16, 4), integers({1, 1, 1, 1}));
}

TEST_P(Landing, LocalMemoryIsReadFromTheSecondLineOn) {
  run_lines(R"(
    upassa il"1" $lm0v
    upassa $lm0v $lm8v
    upassa $lm0v $lm16v)",
            [&] { set_lm(0, integers({7, 7, 7, 7})); });
  EXPECT_EQ(lm(8, 4), integers({7, 7, 7, 7}));
  EXPECT_EQ(lm(16, 4), integers({1, 1, 1, 1}));
}

TEST_P(Landing, BroadcastMemoryIsReadFromTheSecondLineOn) {
  run_lines(R"(
    bm $lr0 $lb80 @0
    bm $lb80 $lr8
    bm $lb80 $lr10)",
            [&] {
              set_gpr(0, integers({1}));
              set_bm(40, integers({7}));
            });
  EXPECT_EQ(gpr(8, 2), integers({7, 1}));
}

TEST_P(Landing, WordLoadedFromBroadcastMemoryIsReadFromTheSecondLineOn) {
  run_lines(R"(
    bm $lb80 $lr0
    upassa $lr0 $lr8
    upassa $lr0 $lr10)",
            [&] {
              set_gpr(0, integers({7}));
              set_bm(40, integers({1}));
            });
  EXPECT_EQ(gpr(8, 2), integers({7, 1}));
}

TEST_P(Landing, WordLoadedIntoTIsReadInTheNextLine) {
  run_lines(R"(
    bm $lb80v $lt
    upassa $lt $lr0v)",
            [&] { set_bm(40, integers({1, 2, 3, 4})); });
  EXPECT_EQ(gpr(0, 4), integers({1, 2, 3, 4}));
}

TEST_P(Landing, FlagGatesFromTheSecondLineOn) {
  run_lines(R"(
    upassa il"-1" $lok1
    mask 1 ; upassa il"1" $lr0v
    mask 1 ; upassa il"1" $lr8v
    upassa il"1" $lok1
    upassa il"2" $lr16v/1
    upassa il"2" $lr24v/1)");
  EXPECT_EQ(gpr(0, 4), integers({0, 0, 0, 0})) << "mask, one line after";
  EXPECT_EQ(gpr(8, 4), integers({1, 1, 1, 1})) << "mask, two lines after";
  EXPECT_EQ(gpr(16, 4), integers({2, 2, 2, 2})) << "predicate, one line after";
  EXPECT_EQ(gpr(24, 4), integers({0, 0, 0, 0})) << "predicate, two lines after";
}

TEST_P(Landing, FlagThatALineWritesDoesNotGateIt) {
  run_lines(R"(
    upassa il"-1" $lr0v/1 $lok1/!1
    nop)");
  EXPECT_EQ(gpr(0, 4), integers({0, 0, 0, 0}));
  EXPECT_EQ(flag(1), "1111");
}

TEST_P(Landing, RegisterReadAndWrittenInOneLineGivesItsOldWord) {
  run_lines(R"(
    uadd $lr0v il"1" $lr0v
    nop
    uadd $lr0v il"1" $lr0v)");
  EXPECT_EQ(gpr(0, 4), integers({2, 2, 2, 2}));
}

TEST_P(Landing, NoElementReadsWhatAnotherOneWritesInTheSameLine) {
  run_lines(R"(
    upassa $lr0v $lr2v
    upassa $lm0v $lm2v
    uadd $lr16 il"1" $lr16)",
            [&] {
              set_gpr(0, integers({1, 2, 3, 4, 5}));
              set_lm(0, integers({1, 2, 3, 4, 5}));
              set_gpr(16, integers({10}));
            });
  EXPECT_EQ(gpr(0, 5), integers({1, 1, 2, 3, 4}));
  EXPECT_EQ(lm(0, 5), integers({1, 1, 2, 3, 4}));
  EXPECT_EQ(gpr(16), integer(11)) << "four elements add one to the same word";
}

TEST_P(Landing, NoUnitReadsWhatAnotherOneWritesInTheSameLine) {
  run_lines(R"(
    upassa $lr0v $lr8v ; fadd $lr8v f"1" $lm0v ; bm $lr8v $lb80v @0
    nop)",
            [&] {
              set_gpr(0, integers({1, 2, 3, 4}));
              set_gpr(8, Words(4, floating(2)));
            });
  EXPECT_EQ(gpr(8, 4), integers({1, 2, 3, 4}));
  EXPECT_EQ(lm(0, 4), Words(4, floating(3)));
  EXPECT_EQ(chip_->read_bm(kBlock, 40, 4), Words(4, floating(2)));
}

TEST_P(Landing, TheLaterOfTwoLinesThatWriteOneWordStays) {
  run_lines(R"(
    upassa il"1" $lr0v
    upassa il"2" $lr0v
    upassa $lr0v $lr8v
    upassa $lr0v $lr16v)");
  EXPECT_EQ(gpr(8), integer(1));
  EXPECT_EQ(gpr(16), integer(2));
}

TEST_P(Landing, HalfOfALongWordWrittenLateKeepsTheOtherHalf) {
  run_lines(R"(
    upassa is"1" $r0
    upassa is"2" $r1
    upassa $lr0 $lr8
    upassa $lr0 $lr10)",
            [&] { set_gpr(0, {isa::join({7}, {9})}); });
  EXPECT_EQ(gpr(8), isa::join({1}, {9}));
  EXPECT_EQ(gpr(10), isa::join({1}, {2}));
}

TEST_P(Landing, WritesCrossTheEdgesBetweenSections) {
  load({{},
        lines_of(R"(
          upassa il"1" $lr0v)"),
        lines_of(R"(
          upassa $lr0v $lr8v
          upassa $lr0v $lr16v
          upassa il"2" $lr0v)"),
        lines_of(R"(
          upassa $lr0v $lr24v
          upassa $lr0v $lr32v)")});
  iterate(1);
  EXPECT_EQ(gpr(8), integer(0)) << "first line of the body, right after loop initialization";
  EXPECT_EQ(gpr(16), integer(1)) << "second line of the body";
  EXPECT_EQ(gpr(24), integer(1)) << "first line of loop termination, right after the body";
  EXPECT_EQ(gpr(32), integer(2)) << "second line of loop termination";
}

TEST_P(Landing, TCrossesTheEdgesBetweenSections) {
  load({{},
        lines_of(R"(
          upassa il"1" $lt)"),
        lines_of(R"(
          upassa $lt $lr0v
          uadd $lt il"1" $lt)"),
        lines_of(R"(
          upassa $lt $lr8v)")});
  iterate(3);
  EXPECT_EQ(gpr(0), integer(3)) << "T of the second iteration's last line, in the third";
  EXPECT_EQ(gpr(8), integer(4));
}

TEST_P(Landing, WithoutRecordsLoopTerminationFollowsLoopInitialization) {
  load({{},
        lines_of(R"(
          upassa il"1" $lr0v)"),
        lines_of(R"(
          upassa il"9" $lr0v)"),
        lines_of(R"(
          upassa $lr0v $lr8v
          upassa $lr0v $lr16v)")});
  run(0);
  EXPECT_EQ(gpr(8), integer(0));
  EXPECT_EQ(gpr(16), integer(1));
}

TEST_P(Landing, LastLineOfAnIterationAndFirstOneOfTheNextAreNeighbours) {
  // The counter is written by the second line k times before iteration k (from 0). Its last value lands while the first
  // line of iteration k reads, which sees k - 1; the second line sees k.
  load({{},
        {},
        lines_of(R"(
          upassa $lr0 $lr8
          uadd $lr0 il"1" $lr0)"),
        {}});
  iterate(6);
  EXPECT_EQ(gpr(8), integer(4));
  EXPECT_EQ(gpr(0), integer(6));
}

TEST_P(Landing, ABodyOfOneLineReadsWhatItWroteTwoIterationsBefore) {
  load({{},
        {},
        lines_of(R"(
          uadd $lr0 il"1" $lr0)"),
        {}});
  iterate(5);  // 0 + 1, 0 + 1, 1 + 1, 1 + 1, 2 + 1
  EXPECT_EQ(gpr(0), integer(3));
}

TEST_P(Landing, AllHasLandedWhenARunEnds) {
  load({lines_of(R"(
          upassa il"1" $lr0v)"),
        lines_of(R"(
          upassa $lr0v $lr8v)"),
        {},
        lines_of(R"(
          upassa il"2" $lr0v)")});
  chip_->run_initialization(kBlock);
  EXPECT_EQ(gpr(0), integer(1));
  run();
  EXPECT_EQ(gpr(8), integer(1)) << "the first line of a run, after section initialization";
  EXPECT_EQ(gpr(0), integer(2));
  run();
  EXPECT_EQ(gpr(8), integer(2)) << "the first line of a run, after another run";
}

class Gates : public Rules {
 protected:
  /// Before what is tested: flag 1 is set in elements 1 and 2.
  static constexpr std::string_view kFlagInTheMiddle = R"(
    upassa $lr56v $lok1
    nop
)";
  void run_behind_flag(std::string_view assembly, const std::function<void()>& set_up = [] {}) {
    run_lines(std::string(kFlagInTheMiddle) + std::string(assembly), [&] {
      const LongWord minus_one = integer(~isa::uint128{0});
      set_gpr(56, {integer(0), minus_one, minus_one, integer(0)});
      set_up();
    });
    EXPECT_EQ(flag(1), "0110");
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Gates, testing::ValuesIn(exact_engines()),
                         [](const auto& engine) { return name_of(engine.param); });

TEST_P(Gates, MaskGatesEveryDestination) {
  run_behind_flag(R"(
    mask 1 ; upassa il"5" $lt $lr0v $lm0v $lok2.z
    mask !1 ; upassa il"6" $lr8v $lok3.z
    mask !1 ; upassa il"0" $lok4.z)");
  EXPECT_EQ(t(), integers({0, 5, 5, 0}));
  EXPECT_EQ(gpr(0, 4), integers({0, 5, 5, 0}));
  EXPECT_EQ(lm(0, 4), integers({0, 5, 5, 0}));
  EXPECT_EQ(gpr(8, 4), integers({6, 0, 0, 6}));
  EXPECT_EQ(flag(4), "1001");
}

TEST_P(Gates, MaskedFlagKeepsItsValueWhetherSetOrClear) {
  run_behind_flag(R"(
    upassa il"0" $lok2.z
    nop
    mask 1 ; upassa il"1" $lok2.z)");
  EXPECT_EQ(flag(2), "1001");
}

TEST_P(Gates, MaskGatesEveryUnit) {
  run_behind_flag(R"(
    mask 1 ; fadd $lr16v $lr16v $lr0v ; upassa il"3" $lm0v ; bm $lb80v $lt
    mask !1 ; fmul $lr16v fs"4" $lr8v)",
                  [&] {
                    set_gpr(16, Words(4, floating(1)));
                    set_bm(40, integers({1, 2, 3, 4}));
                  });
  EXPECT_EQ(gpr(0, 4), (Words{{}, floating(2), floating(2), {}}));
  EXPECT_EQ(lm(0, 4), integers({0, 3, 3, 0}));
  EXPECT_EQ(t(), integers({0, 2, 3, 0}));
  EXPECT_EQ(gpr(8, 4), (Words{floating(4), {}, {}, floating(4)}));
}

TEST_P(Gates, MaskGatesStoresToBroadcastMemory) {
  run_behind_flag(R"(
    mask 1 ; bm $lr0v $lb80v @0
    nop)",
                  [&] { set_gpr(0, integers({1, 2, 3, 4})); });
  EXPECT_EQ(chip_->read_bm(kBlock, 40, 4), integers({0, 2, 3, 0}));
}

TEST_P(Gates, ElementsBeyondTheVectorLengthDoNothing) {
  run_lines(R"(
    vlen 2 ; upassa il"5" $lt $lr0v $lok1.z
    vlen 3 ; bm $lb80v $lm0v
    vlen 1 ; upassa il"0" $lok2.z)",
            [&] { set_bm(40, integers({1, 2, 3, 4})); });
  EXPECT_EQ(t(), integers({5, 5, 0, 0}));
  EXPECT_EQ(gpr(0, 4), integers({5, 5, 0, 0}));
  EXPECT_EQ(lm(0, 4), integers({1, 2, 3, 0}));
  EXPECT_EQ(flag(2), "1000");
}

TEST_P(Gates, PredicateGatesItsOwnDestinationAlone) {
  run_behind_flag(R"(
    upassa il"5" $lt/1 $lr0v/!1 $lm0v
    upassa il"0" $lr8v $lok2.z/1
    upassa il"0" $lr16v $lok3.z/!1)",
                  [&] { set_gpr(8, integers({9, 9, 9, 9})); });
  EXPECT_EQ(t(), integers({0, 5, 5, 0}));
  EXPECT_EQ(gpr(0, 4), integers({5, 0, 0, 5}));
  EXPECT_EQ(lm(0, 4), integers({5, 5, 5, 5}));
  EXPECT_EQ(gpr(8, 4), integers({0, 0, 0, 0}));
  EXPECT_EQ(flag(2), "0110");
  EXPECT_EQ(flag(3), "1001");
}

TEST_P(Gates, MaskAndPredicateMustBothHold) {
  run_behind_flag(R"(
    vlen 2 ; upassa il"0" $lok2.z
    nop
    mask 1 ; upassa il"5" $lr0v/2 $lm0v/!2)");
  EXPECT_EQ(gpr(0, 4), integers({0, 5, 0, 0}));
  EXPECT_EQ(lm(0, 4), integers({0, 0, 5, 0}));
}

TEST_P(Gates, TheLastElementThatIsLetThroughStaysInAScalar) {
  run_behind_flag(R"(
    upassa $lr0v $lr16
    mask 1 ; upassa $lr0v $lr18
    mask !1 ; upassa $lr0v $lr20
    upassa $lr0v $lr22/1
    vlen 2 ; upassa $lr0v $lm0
    mask 1 ; bm $lr0v $lb80 @0
    mask 1 ; vlen 1 ; upassa $lr0v $lr24)",
                  [&] {
                    set_gpr(0, integers({1, 2, 3, 4}));
                    set_gpr(24, integers({9}));
                  });
  EXPECT_EQ(gpr(16, 4), integers({4, 3, 4, 3}));
  EXPECT_EQ(lm(0), integer(2));
  EXPECT_EQ(bm(40), integer(3));
  EXPECT_EQ(gpr(24), integer(9)) << "no element is let through";
}

TEST_P(Gates, FlagsAreOfEachPeAndElement) {
  load({{},
        lines_of(R"(
    usub $peid il"2" $lok1
    nop
    mask 1 ; vlen 3 ; upassa $peid $lr0v)"),
        {},
        {}});
  run();
  EXPECT_EQ(flag(1, 1), "1111");
  EXPECT_EQ(flag(1, 2), "0000");
  EXPECT_EQ(gpr(0, 4, 1), integers({1, 1, 1, 0}));
  EXPECT_EQ(gpr(0, 4, 2), integers({0, 0, 0, 0}));
}

TEST_P(Gates, ConditionsSayWhatTheResultIs) {
  run_lines(R"(
    usub $lr0v $lr8v $lok1
    usub $lr0v $lr8v $lok2.z
    usub $lr0v $lr8v $lok3.c
    fadd $lr16v f"0" $ok4
    nop)",
            [&] {
              set_gpr(0, integers({1, 2, 3, 0}));
              set_gpr(8, {integer(2), integer(2), integer(2), integer(~isa::uint128{0})});
              set_gpr(16, {floating(-1), floating(-0.0), floating(1), floating(-2)});
            });
  EXPECT_EQ(flag(1), "1000") << "1 - 2, but not 0 - (-1)";
  EXPECT_EQ(flag(2), "0100");
  EXPECT_EQ(flag(3), "1001") << "borrow: a < b unsigned";
  EXPECT_EQ(flag(4), "1001") << "no zero is negative";
}

/// Two lines as one: units and destinations of both, which the assembler would not write together.
isa::Line merged(isa::Line first, const isa::Line& second) {
  if (second.adder.op != isa::Op::NOP) first.adder = second.adder;
  if (second.multiplier.op != isa::Op::NOP) first.multiplier = second.multiplier;
  if (second.alu.op != isa::Op::NOP) first.alu = second.alu;
  if (reads(second, isa::Source::immediate)) first.immediate = second.immediate;
  return first;
}

TEST_P(Gates, OfTwoUnitsThatSetOneFlagTheLaterOfAdderMultiplierAluStays) {
  // T is 0 and so is every operand; the ALU's zero says 1, the negative of adder and multiplier 0.
  const isa::Line adder = lines_of("fadd $lr0v $lr0v $lok1").front();
  const isa::Line adder_zero = lines_of("fadd $lr0v $lr0v $lok1.z").front();
  const isa::Line multiplier = lines_of("fmul $lr0v $r8v $lok1").front();
  const isa::Line multiplier_zero = lines_of("fmul $lr0v $r8v $lok1.z").front();
  const isa::Line alu = lines_of("upassa $lr0v $lok1").front();
  const isa::Line alu_zero = lines_of("upassa $lr0v $lok1.z").front();
  const auto flag_of = [&](const std::vector<isa::Line>& units) {
    isa::Line line = units.front();
    for (const isa::Line& unit : units) line = merged(line, unit);
    if (reads(multiplier, isa::Source::gpr_b)) line.gpr_b = multiplier.gpr_b;
    if (!reads(line, isa::Source::gpr_b)) line.gpr_b = {};
    load({{}, {line}, {}, {}});
    run();
    return flag(1);
  };
  EXPECT_EQ(flag_of({adder, alu_zero}), "1111");
  EXPECT_EQ(flag_of({adder_zero, alu}), "0000");
  EXPECT_EQ(flag_of({adder, multiplier_zero}), "1111");
  EXPECT_EQ(flag_of({adder_zero, multiplier}), "0000");
  EXPECT_EQ(flag_of({adder_zero, multiplier_zero, alu}), "0000");
  EXPECT_EQ(flag_of({adder, multiplier, alu_zero}), "1111");
}

TEST_P(Gates, OfTwoUnitsThatSetOneFlagTheGatedOneDoesNotCount) {
  const isa::Line adder = lines_of("fadd $lr0v $lr0v $lok1.z").front();
  isa::Line alu = lines_of("upassa $lr0v $lok1").front();
  alu.alu.flag.predicate = {2, false, false};  // flag 2 is clear
  load({{}, {merged(adder, alu)}, {}, {}});
  run();
  EXPECT_EQ(flag(1), "1111");
}

TEST_P(Gates, UnitsOfALineSetDifferentFlags) {
  run_lines(R"(
    fadd $lr0v $lr0v $lok1 ; fmul $lr0v fs"1" $lok2 ; upassa $lr0v $lok3.z)",
            [&] { set_gpr(0, {floating(-1), floating(1), {}, floating(-3)}); });
  EXPECT_EQ(flag(1), "1001");
  EXPECT_EQ(flag(2), "1001");
  EXPECT_EQ(flag(3), "0010");
}

TEST_P(Gates, OneResultGoesToAllItsDestinations) {
  run_lines(R"(
    fadd $lr0v f"1" $lt $lr8v $lm0v $lok1.z)",
            [&] { set_gpr(0, {floating(1), floating(-1), floating(2), floating(3)}); });
  const Words sums{floating(2), {}, floating(3), floating(4)};
  EXPECT_EQ(t(), sums);
  EXPECT_EQ(gpr(8, 4), sums);
  EXPECT_EQ(lm(0, 4), sums);
  EXPECT_EQ(flag(1), "0100");
}

class Events : public Gates {
 protected:
  static constexpr std::uint64_t kPes = emulator::kPesPerBlock;
  /// 2 x 2^1023, which overflows.
  void set_largest() { set_all(Words(4, floating(0x1p1023))); }
  void set_all(const Words& words) {
    for (unsigned pe = 0; pe < kPes; ++pe) {
      set_gpr(0, words, pe);
      set_gpr(56, gpr(56, 4), pe);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Events, testing::ValuesIn(exact_engines()),
                         [](const auto& engine) { return name_of(engine.param); });

TEST_P(Events, AreCountedOncePerOperationPeAndElement) {
  run_lines(R"(
    fadd $lr0v $lr0v $lt $lr8v $lm0v $lok1
    vlen 3 ; fsub $lr0v $lr0v $lr8v
    vlen 2 ; fmul $lr0v fs"2" $lr8v ; fadd $lr0v $lr0v $lm0v)",
            [&] { set_largest(); });
  EXPECT_EQ(events(), (emulator::FpEvents{0, kPes * (4 + 2 + 2), 0}));
}

TEST_P(Events, AreOfThreeKinds) {
  run_lines(R"(
    fsub $lr0v $lr0v $lr8v
    fmul $lr16v $r16v $lr24v
    vlen 1 ; fadd $lr32 $lr32 $lr34)",
            [&] {
              for (unsigned pe = 0; pe < kPes; ++pe) {
                set_gpr(0, {floating(INFINITY), floating(1), floating(INFINITY), floating(2)}, pe);
                set_gpr(16, {floating(0x1p-600), floating(1), floating(2), floating(3)}, pe);
                set_gpr(32, {floating(0x1p1023)}, pe);
              }
            });
  // The second operand of the product is $r16 .. $r19: 2^-600, its zero lower half, 1, its zero lower half.
  EXPECT_EQ(events(), (emulator::FpEvents{2 * kPes, kPes, kPes}));
}

TEST_P(Events, OfMaskedElementsAreNotCounted) {
  run_behind_flag(R"(
    mask 1 ; fadd $lr0v $lr0v $lr8v)",
                  [&] { set_largest(); });
  EXPECT_EQ(events(), (emulator::FpEvents{0, 2 * kPes, 0}));
}

TEST_P(Events, CountIfAtLeastOneDestinationIsWritten) {
  run_behind_flag(R"(
    fadd $lr0v $lr0v $lt/1 $lr8v/!1
    fadd $lr0v $lr0v $lr16v/1 $lm0v/1
    fadd $lr0v $lr0v $lr24v/2 $lok3/1)",
                  [&] { set_largest(); });
  EXPECT_EQ(events(), (emulator::FpEvents{0, (4 + 2 + 2) * kPes, 0}));
}

TEST_P(Events, DoNotCountIfNoDestinationIsWritten) {
  run_behind_flag(R"(
    fadd $lr0v $lr0v $lr8v/2 $lm0v/2 $lok3/2)",
                  [&] { set_largest(); });
  EXPECT_EQ(events(), emulator::FpEvents());
}

TEST_P(Events, OfALongProductAreCountedOnce) {
  run_lines(R"(
    fmulh $lr0v $lr8v
    fmull $lr0v $lr8v $lt)",
            [&] {
              for (unsigned pe = 0; pe < kPes; ++pe) set_gpr(0, Words(8, floating(0x1p1000)), pe);
            });
  EXPECT_EQ(events(), (emulator::FpEvents{0, 4 * kPes, 0}));
}

class Addresses : public Rules {};
INSTANTIATE_TEST_SUITE_P(Engines, Addresses, testing::ValuesIn(exact_engines()),
                         [](const auto& engine) { return name_of(engine.param); });

TEST_P(Addresses, VectorsStepByWordsAndScalarsStay) {
  run_lines(R"(
    uadd $lr0v $lr8 $lr16v
    uadd $r0v $r9 $r32v)",
            [&] {
              set_gpr(0, integers({1, 2, 3, 4}));
              set_gpr(8, integers({10}));
            });
  EXPECT_EQ(gpr(16, 4), integers({11, 12, 13, 14}));
  // $r0 .. $r3 are 0, 1, 0, 2 and $r9 is 10.
  EXPECT_EQ(gpr(32), isa::join({10}, {11}));
  EXPECT_EQ(gpr(34), isa::join({10}, {12}));
}

TEST_P(Addresses, TOfTheElementIsAddedInLocalMemory) {
  run_lines(R"(
    upassa $lr0v $lt
    upassa $lmt16v $lr8v
    upassa $lr0v $lmt48v)",
            [&] {
              set_gpr(0, integers({8, 0, 2, 4}));
              set_lm(16, integers({100, 101, 102, 103, 104, 105, 106, 107}));
            });
  // Element e reads $lm(16 + 2 e + T) and writes $lm(48 + 2 e + T).
  EXPECT_EQ(gpr(8, 4), integers({104, 101, 103, 105}));
  EXPECT_EQ(lm(48, 6), integers({0, 0, 0, 2, 8, 4})) << "addresses 56, 50, 54 and 58";
}

TEST_P(Addresses, ScalarBaseAddsTAlone) {
  run_lines(R"(
    upassa $lr0v $lt
    upassa $lmt16 $lr8v)",
            [&] {
              set_gpr(0, integers({6, 4, 2, 0}));
              set_lm(16, integers({100, 101, 102, 103}));
            });
  EXPECT_EQ(gpr(8, 4), integers({103, 102, 101, 100}));
}

TEST_P(Addresses, ShortAccessTakesTheShortWordInT) {
  run_lines(R"(
    upassa is"3" $t
    upassa $mt16 $r0v)",
            [&] { set_lm(18, {isa::join({5}, {6})}); });
  EXPECT_EQ(gpr(0, 2), (Words{isa::join({6}, {6}), isa::join({6}, {6})})) << "$m19, with T = 3 in the upper half";
}

TEST_P(Addresses, TheLastOfElementsThatMeetStays) {
  run_lines(R"(
    upassa $lr0v $lt
    upassa $lr8v $lmt0v)",
            [&] {
              set_gpr(0, integers({6, 4, 2, 0}));
              set_gpr(8, integers({1, 2, 3, 4}));
            });
  EXPECT_EQ(lm(6), integer(4));
}

TEST_P(Addresses, OutsideLocalMemoryAreAFaultOfTheLine) {
  const auto fault_of = [&](std::string_view line, LongWord t) -> std::size_t {
    load({{}, lines_of(std::string("upassa $lr0v $lt\n") + std::string(line)), {}, {}});
    set_gpr(0, Words(4, t));
    try {
      run();
    } catch (const emulator::Fault& fault) {
      EXPECT_EQ(fault.kind(), emulator::FaultKind::address);
      EXPECT_EQ(fault.section(), isa::Section::loop_initialization);
      return fault.line();
    }
    return 0;
  };
  EXPECT_EQ(fault_of("upassa $lmt0 $lr8v", integer(510)), 0u) << "the last long word";
  EXPECT_EQ(fault_of("upassa $lmt0 $lr8v", integer(512)), 1u);
  EXPECT_EQ(fault_of("upassa $lmt2 $lr8v", integer(510)), 1u);
  EXPECT_EQ(fault_of("upassa $lr8v $lmt0", integer(512)), 1u);
  EXPECT_EQ(fault_of("upassa $lmt0 $lr8v", integer(3)), 1u) << "a long word at an odd address";
  EXPECT_EQ(fault_of("upassa $lmt0 $lr8v", integer(~isa::uint128{0})), 1u) << "T has no sign";
  EXPECT_EQ(fault_of("upassa $mt0 $r8v", short_integer(511)), 0u);
  EXPECT_EQ(fault_of("upassa $mt0 $r8v", short_integer(512)), 1u);
}

TEST_P(Addresses, ThatNoElementUsesAreNoFault) {
  const auto runs = [&](std::string_view line) {
    load({{}, lines_of(std::string("upassa il\"600\" $lt\n") + std::string(line)), {}, {}});
    EXPECT_NO_THROW(run()) << line;
  };
  runs("mask 1 ; upassa $lmt0 $lr8v");
  runs("mask 1 ; upassa $lr8v $lmt0");
  runs("upassa $lr8v $lmt0/1");
}

TEST_P(Addresses, ThatAreReadForNoDestinationAreAFault) {
  load({{}, lines_of("upassa il\"600\" $lt\nupassa $lmt0 $lr8v/1"), {}, {}});
  EXPECT_THROW(run(), emulator::Fault);
}

TEST_P(Addresses, NumbersOfPeAndBlockAreIntegers) {
  load({{}, lines_of("upassa $peid $lr0\nupassa $bbid $lr2\nuadd $peid is\"1\" $r8\nuadd $bbid is\"1\" $r9"), {}, {}});
  run();
  EXPECT_EQ(gpr(0, 2, 31), integers({31, kBlock}));
  EXPECT_EQ(gpr(8, 1, 31).front(), isa::join({32}, {kBlock + 1}));
}

}  // namespace
}  // namespace gdr::tests
