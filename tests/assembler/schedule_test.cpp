// Packing of lines: what may share a line does, what must not keeps its distance. The expected lengths follow from
// ports and latencies alone.
#include <gmock/gmock.h>

#include <filesystem>

#include "gdr/assembler/disassemble.h"
#include "gdr/assembler/listing.h"
#include "gdr/base/file.h"
#include "testing.h"

namespace gdr::assembler::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

/// Sets whatever the bodies read.
constexpr std::string_view kPreamble = R"(kernel k
bvar long xj elt
bvar long yj elt
loop initialization
  uxor $lt $lt $lt $lr0v $ok1
  upassa $lt $lr8v $lm100v
  upassa $lt $lr16v
  upassa $lt $lr24v
  nop
loop body
)";

AssembleOptions scheduling() {
  AssembleOptions options;
  options.schedule.level = ScheduleLevel::list;
  return options;
}

/// Lines of the loop body as the scheduler leaves them.
std::vector<std::string> packed(std::string_view body) {
  return printed(assembled(std::string(kPreamble) + std::string(body), scheduling()));
}

TEST(Schedule, IndependentOperationsOfDifferentUnitsShareALine) {
  EXPECT_THAT(packed("fadd $lr0v $lr8v $lr32v\n"
                     "fmul $lr0v fs\"2\" $lm0v\n"
                     "uadd $lr0v $lr8v $lt\n"),
              SizeIs(1));
}

TEST(Schedule, IndependentChainsInterleave) {
  EXPECT_THAT(packed("fadd $lr0v $lr8v $lr32v\n"
                     "nop\n"
                     "fadd $lr32v $lr8v $lr40v\n"
                     "fmul $lm100v fs\"2\" $lm0v\n"
                     "nop\n"
                     "fmul $lm0v fs\"2\" $lm8v\n"),
              ElementsAre(AllOf(HasSubstr("fadd $lr0v"), HasSubstr("fmul $lm100v")), HasSubstr("nop"),
                          AllOf(HasSubstr("fadd $lr32v"), HasSubstr("fmul $lm0v"))));
}

TEST(Schedule, AChainThroughTStaysAsItIs) {
  EXPECT_THAT(packed("fadd $lr0v $lr8v $lt\n"
                     "fmul $lti fs\"2\" $lt\n"
                     "fadd $lti $lr8v $lm0v\n"),
              ElementsAre(HasSubstr("fadd $lr0v"), HasSubstr("fmul $lt"), HasSubstr("fadd $lt")));
}

TEST(Schedule, TIsWrittenAgainInTheLineOfItsLastReader) {
  EXPECT_THAT(packed("fadd $lr0v $lr8v $lt\n"
                     "fpassa $lti $lr32v\n"
                     "fmul $lr0v fs\"2\" $lt\n"
                     "fpassa $lti $lm0v\n"),
              ElementsAre(HasSubstr("fadd $lr0v"), AllOf(HasSubstr("fpassa $lt $lr32v"), HasSubstr("fmul")),
                          HasSubstr("fpassa $lt $lm0v")));
}

TEST(Schedule, AWriterSharesTheLineOfAReaderOfTheOldValueAndWaitsForTheNextTurn) {
  const auto lines = packed(
      "fadd $lr0v $lr8v $lm0v\n"
      "uadd $lr8v $lr8v $lr0v\n"
      "nop\n");
  EXPECT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines, Contains(AllOf(HasSubstr("fadd"), HasSubstr("uadd"))));
}

TEST(Schedule, TwoOperationsThatReadWhatTheOtherWritesStayInOneLine) {
  EXPECT_THAT(packed("fadd $lr0v $lm100v $lm100v ; upassa $lm100v $lr0v\n"
                     "nop\n"
                     "fmul $lr8v fs\"2\" $lt\n"),
              Contains(AllOf(HasSubstr("fadd"), HasSubstr("upassa"))));
}

TEST(Schedule, WritesOfOneWordKeepTheirOrder) {
  // The way from the second writer is the longer one, and nothing but the word they share holds it back.
  EXPECT_THAT(packed("fadd $lr0v $lr8v $lr32v\n"
                     "nop\n"
                     "fmul $lr0v fs\"2\" $lr32v\n"
                     "nop\n"
                     "fadd $lr32v $lr8v $lm0v\n"),
              ElementsAre(HasSubstr("fadd $lr0v"), HasSubstr("fmul"), HasSubstr("nop"), HasSubstr("fadd $lr32v")));
}

TEST(Schedule, AGatedWriteHidesNoEarlierOne) {
  EXPECT_THAT(packed("fadd $lr0v $lr8v $lr32v\n"
                     "nop\n"
                     "fmul $lr0v fs\"2\" $lr32v/1\n"
                     "nop\n"
                     "fpassa $lr32v $lm0v\n"),
              ElementsAre(HasSubstr("fadd"), HasSubstr("fmul"), HasSubstr("nop"), HasSubstr("fpassa")));
}

TEST(Schedule, AnIndirectAccessMeetsAllOfLocalMemory) {
  // The proof takes it to reach up from its base; T may lead it anywhere.
  EXPECT_THAT(packed("uxor $lt $lt $lt\n"
                     "fadd $lr0v $lr8v $lm0v\n"
                     "nop\n"
                     "nop\n"
                     "upassa $lmt100 $lr32v\n"),
              ElementsAre(AllOf(HasSubstr("uxor"), HasSubstr("fadd")), HasSubstr("nop"), HasSubstr("upassa")));
}

TEST(Schedule, GprHasTwoReadAddresses) {
  EXPECT_THAT(packed("fadd $lr0v $lr8v $lm0v\nuadd $lr16v $lr24v $lt\n"), SizeIs(2));
  EXPECT_THAT(packed("fadd $lr0v $lr8v $lm0v\nuadd $lr8v $lr0v $lt\n"), SizeIs(1));
}

TEST(Schedule, EveryMemoryHasOneWritePort) {
  EXPECT_THAT(packed("fadd $lr0v $lr8v $lm0v\nuadd $lr0v $lr8v $lm8v\n"), SizeIs(2));
  EXPECT_THAT(packed("fadd $lr0v $lr8v $lr32v\nuadd $lr0v $lr8v $lr40v\n"), SizeIs(2));
  EXPECT_THAT(packed("fadd $lr0v $lr8v $lt\nuadd $lr0v $lr8v $lt\n"), SizeIs(2));
  EXPECT_THAT(packed("fadd $lr0v $lr8v $lok2\nuadd $lr0v $lr8v $lok2\n"), SizeIs(2));
}

TEST(Schedule, ALineHasOneImmediate) {
  EXPECT_THAT(packed("fmul $lr0v fs\"2\" $lm0v\nfadd $lr0v fs\"3\" $lt\n"), SizeIs(2));
  EXPECT_THAT(packed("fmul $lr0v fs\"2\" $lm0v\nfadd $lr0v fs\"2\" $lt\n"), SizeIs(1));
}

TEST(Schedule, ALineHasOneAccessToBroadcastMemory) {
  EXPECT_THAT(packed("bm xj $lt\nfadd yj $lr0v $lm0v\n"), SizeIs(2));
  EXPECT_THAT(packed("bm xj $lt\nfadd xj $lr0v $lm0v\n"), SizeIs(1));
}

TEST(Schedule, StoresAndLoadsOfBroadcastMemoryKeepTheirOrder) {
  EXPECT_THAT(packed("bm $lr0 $lb200 @0\n"
                     "nop\n"
                     "nop\n"
                     "bm $lb200 $lr32v\n"
                     "bm $lr8 $lb200 @0\n"),
              ElementsAre(HasSubstr("bm $lr0"), HasSubstr("nop"), HasSubstr("bm $lb200"), HasSubstr("bm $lr8")));
}

TEST(Schedule, AStoreIntoTheRecordsLeavesTheSectionAsItIs) {
  const std::string body = "bm $lr0 $lb0 @0\nnop\nnop\nfadd xj $lr8v $lm0v\n";
  EXPECT_EQ(packed(body), printed(assembled(std::string(kPreamble) + body)));
}

TEST(Schedule, AStoreRightBehindTheTwoRecordsMoves) {
  EXPECT_THAT(packed("bm $lr0 $lb8 @0\nnop\nnop\nfadd xj $lr8v $lm0v\n"), SizeIs(::testing::Lt(4)));
}

TEST(Schedule, TheTwoLinesOfALongProductStayTogether) {
  EXPECT_THAT(
      packed("fmulh $lr0v $lr8v\n"
             "fmull $lr0v $lr8v $lt\n"
             "fadd $lr0v $lr8v $lm0v\n"
             "uadd $lr0v $lr8v $lr32v\n"),
      ElementsAre(AllOf(HasSubstr("fmulh"), HasSubstr("fadd")), AllOf(HasSubstr("fmull"), Not(HasSubstr("fadd")))));
}

TEST(Schedule, OperationsUnderDifferentMasksDoNotShareALine) {
  EXPECT_THAT(packed("fadd $lr0v $lr8v $lm0v\nmask 1 ; uadd $lr0v $lr8v $lt\n"), SizeIs(2));
  EXPECT_THAT(packed("mask 1 ; fadd $lr0v $lr8v $lm0v\nmask !1 ; uadd $lr0v $lr8v $lt\n"), SizeIs(2));
  EXPECT_THAT(packed("mask 1 ; fadd $lr0v $lr8v $lm0v\nmask 1 ; uadd $lr0v $lr8v $lt\n"), SizeIs(1));
}

TEST(Schedule, OperationsOfDifferentVectorLengthsDoNotShareALine) {
  EXPECT_THAT(packed("fadd $lr0v $lr8v $lm0v\nvlen 3 ; uadd $lr0v $lr8v $lt\n"), SizeIs(2));
  EXPECT_THAT(packed("vlen 3 ; fadd $lr0v $lr8v $lm0v\nvlen 3 ; uadd $lr0v $lr8v $lt\n"), SizeIs(1));
}

TEST(Schedule, AShortVectorLeavesTheElementsBehindItAlone) {
  const auto copied_from = [](std::string_view address) {
    return packed("vlen 2 ; fadd $lr8v $lr8v $lr0v\nnop\nnop\nvlen 2 ; upassa " + std::string(address) + " $lm0v\n");
  };
  EXPECT_THAT(copied_from("$lr4v"), SizeIs(1));
  EXPECT_THAT(copied_from("$lr2v"), SizeIs(3));
}

TEST(Schedule, APackedTurnLeavesTimeForWhatTheNextOneReads) {
  EXPECT_THAT(packed("fmul $lr24v fs\"2\" $lr24v\nnop\nfadd xj xj $lm0v\nnop\n"), SizeIs(2));
}

TEST(Schedule, AFlagIsReadTwoLinesAfterItIsWritten) {
  EXPECT_THAT(packed("fadd $lr0v $lr8v $lok2\n"
                     "nop\n"
                     "nop\n"
                     "uadd $lr0v $lr8v $lm0v/2\n"),
              ElementsAre(HasSubstr("fadd"), HasSubstr("nop"), HasSubstr("uadd")));
}

TEST(Schedule, WritesOfResultsKeepTheirConditionOfAValidRecord) {
  const std::string source =
      "kernel k\nvar vector long sum rrn flt72to64 fadd\nbvar long xj elt\n"
      "loop initialization\n  uxor $lt $lt $lt sum\n  nop\nloop body\n"
      "  bm xj $lr0v\n  nop\n  fadd sum $lr0v sum\n  nop\n  nop\n  upassa $peid $lr8v\n";
  const auto lines = printed(assembled(source, scheduling()));
  EXPECT_THAT(lines, Contains(AllOf(HasSubstr("fadd"), HasSubstr("/j"))));
  EXPECT_LT(lines.size(), printed(assembled(source)).size());
}

TEST(Schedule, KeepsTheErrorsOfTheSourceAsWritten) {
  const std::string source = std::string(kPreamble) + "fadd $lr0v $lr8v $lr32v\nfpassa $lr32v $lm0v\n";
  EXPECT_EQ(format_diagnostics(assemble(source, "test.vsm", scheduling())),
            format_diagnostics(assemble(source, "test.vsm")));
}

TEST(Schedule, EveryShippedKernelGetsNoLongerAndDisassemblesToTheSameWords) {
  const auto words_of = [](const isa::Program& program) {
    std::vector<std::vector<isa::InstructionWord>> words;
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      words.emplace_back();
      for (const isa::ProgramLine& line : program.lines(static_cast<isa::Section>(section))) {
        words.back().push_back(line.word);
      }
    }
    return words;
  };
  for (const auto& entry : std::filesystem::directory_iterator(GDR_KERNELS_DIR)) {
    if (entry.path().extension() != ".vsm") continue;
    const std::string source = base::read_file(entry.path());
    AssembleOptions options;
    options.include_directories = {GDR_KERNELS_DIR};
    const isa::Program written = assembled(source, options);
    options.schedule.level = ScheduleLevel::list;
    const isa::Program program = assembled(source, options);
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      EXPECT_LE(program.sections[section].size(), written.sections[section].size()) << entry.path();
    }
    EXPECT_EQ(words_of(assembled(disassemble(program))), words_of(program)) << entry.path();
  }
}

/// Lines of the loop body as the search leaves them; `sum` is a result.
std::vector<std::string> planned(std::string_view body) {
  AssembleOptions options;
  options.schedule = {.level = ScheduleLevel::full, .effort = 0.05};
  std::string source(kPreamble);
  source.insert(source.find("loop init"), "var vector long sum rrn flt72to64 fadd\n");
  source.insert(source.find("loop body"), "  upassa $lt sum\n  nop\n");
  return printed(assembled(source + std::string(body), options));
}

TEST(ScheduleFull, AChainThroughRegistersGoesThroughT) {
  EXPECT_THAT(planned("fmul xj fs\"2\" $lr32v\n"
                      "nop\n"
                      "fadd $lr32v $lr8v $lr40v\n"
                      "nop\n"
                      "fmul $lr40v fs\"2\" $lr0v\n"
                      "nop\n"
                      "fadd $lr0v $lr8v sum\n"
                      "nop\n"),
              ElementsAre(AllOf(HasSubstr("fmul $lj0"), HasSubstr("$lt")),
                          AllOf(HasSubstr("fadd"), HasSubstr("fadd $lt $lr8v $lt")), HasSubstr("fmul $lt"),
                          HasSubstr("fadd $lt")));
}

TEST(ScheduleFull, ChainsThatShareARegisterStandSideBySide) {
  const std::string chain =
      "fmul $lr0v fs\"2\" $lr32v\n"
      "nop\n"
      "fadd $lr32v xj $lr32v\n"
      "nop\n"
      "fmul $lr32v fs\"2\" $lr32v\n"
      "nop\n"
      "fadd sum $lr32v sum\n"
      "nop\n";
  // 4 lines through T and one until the sum is there again, the second chain a line behind; as written one waits for
  // the other.
  EXPECT_LE(planned(chain + chain).size(), 7u);
}

TEST(ScheduleFull, WhatIsOverwrittenUnderAFlagMovesWithWhatOverwritesIt) {
  const auto lines = planned(
      "fmul xj fs\"2\" $lr32v\n"
      "nop\n"
      "fadd $lr0v $lr8v $lr32v/1\n"
      "nop\n"
      "fadd sum $lr32v sum\n"
      "nop\n");
  EXPECT_THAT(lines, SizeIs(3));
  EXPECT_THAT(lines, Contains(AllOf(HasSubstr("fmul"), HasSubstr(" $lt"))));
  EXPECT_THAT(lines, Contains(HasSubstr("$lt/1")));
}

TEST(ScheduleFull, OperationsUnderDifferentMasksDoNotShareALine) {
  for (const char* other : {"mask 1", "mask 2", "mask !2"}) {
    const auto lines = planned(std::string("uxor $lr0v $lr8v $lr56v $ok2\n"
                                           "mask !1 ; fadd xj $lr8v $lr40v\n") +
                               other +
                               " ; uadd $lr0v $lr8v $lm120v\n"
                               "fmul xj fs\"2\" $lr32v\n"
                               "nop\n"
                               "fadd $lr32v $lr8v $lr32v\n"
                               "nop\n"
                               "fmul $lr32v fs\"2\" $lr32v\n"
                               "nop\n"
                               "fadd sum $lr32v sum\n"
                               "nop\n");
    EXPECT_THAT(lines, SizeIs(6)) << "two lines under masks, four of the chain through T, " << other;
    EXPECT_THAT(lines, Not(Contains(AllOf(HasSubstr("mask"), HasSubstr("fadd"), HasSubstr("uadd"))))) << other;
  }
}

TEST(ScheduleFull, WhatOverwritesTheTurnBeforeUnderAFlagStaysInItsRegister) {
  const auto lines = planned(
      "fadd $lr0v $lr8v $lr24v/1\n"
      "nop\n"
      "fadd sum $lr24v sum\n"
      "nop\n"
      "nop\n");
  EXPECT_THAT(lines, Contains(HasSubstr("$lr24v/1")));
}

TEST(ScheduleFull, WhatTheNextTurnReadsStaysInItsRegister) {
  const auto lines = planned(
      "fadd sum $lr24v sum\n"
      "nop\n"
      "fmul $lr24v fs\"2\" $lr24v\n"
      "nop\n"
      "nop\n");
  EXPECT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines, Contains(AllOf(HasSubstr("fmul $lr24v"), HasSubstr(" $lr24v"))));
}

TEST(ScheduleFull, NamesOfRegistersWhoseValuesMoveLeaveTheProgram) {
  const std::string source =
      "kernel k\nbvar long xj elt\nvar vector long sum rrn flt72to64 fadd\nreg moved $lr0v\nreg stays $lr8v\n"
      "loop initialization\n  uxor $lt $lt $lt sum\n  upassa $lt stays\n  nop\nloop body\n"
      "  fadd stays xj stays\n  fmul xj fs\"2\" moved\n  nop\n  fadd sum moved sum\n  nop\n  fadd sum stays sum\n  "
      "nop\n";
  AssembleOptions options;
  options.schedule = {.level = ScheduleLevel::full, .effort = 0.05};
  std::vector<std::string> names;
  for (const isa::Alias& alias : assembled(source, options).aliases) names.push_back(alias.name);
  EXPECT_THAT(names, ElementsAre("stays"));
}

TEST(Schedule, TheListingNamesTheSourceOfWhatMovedIn) {
  const AssembleResult result =
      assemble(std::string(kPreamble) + "  fadd $lr0v $lr8v $lm0v\n  uadd $lr0v $lr8v $lt\n", "test.vsm", scheduling());
  ASSERT_TRUE(result.program);
  const std::string text = listing(*result.program, result.files);
  EXPECT_THAT(text, HasSubstr("test.vsm:11: fadd $lr0v $lr8v $lm0v\n"));
  EXPECT_THAT(text, HasSubstr("+ test.vsm:12: uadd $lr0v $lr8v $lt\n"));
}

}  // namespace
}  // namespace gdr::assembler::testing
