// HPL.dat as HPL 2.3 reads it (testing/ptest/HPL_pdinfo.c).
#include "gdr/hostlib/hpl_dat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "gdr/base/error.h"

namespace gdr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The file that comes with HPL 2.3, with what a test changes: lines are counted from 1.
class Dat {
 public:
  Dat& line(std::size_t number, const std::string& text) {
    lines_.at(number - 1) = text;
    return *this;
  }
  Dat& ends_before(std::size_t number) {
    lines_.resize(number - 1);
    return *this;
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const std::string& line : lines_) text += line + "\n";
    return text;
  }
  [[nodiscard]] HplDat parsed() const { return parse_hpl_dat(text(), "HPL.dat"); }
  [[nodiscard]] std::string refusal() const {
    try {
      static_cast<void>(parsed());
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

 private:
  std::vector<std::string> lines_{"HPLinpack benchmark input file",
                                  "Innovative Computing Laboratory, University of Tennessee",
                                  "HPL.out      output file name (if any)",
                                  "6            device out (6=stdout,7=stderr,file)",
                                  "4            # of problems sizes (N)",
                                  "29 30 34 35  Ns",
                                  "4            # of NBs",
                                  "1 2 3 4      NBs",
                                  "0            PMAP process mapping (0=Row-,1=Column-major)",
                                  "3            # of process grids (P x Q)",
                                  "2 1 4        Ps",
                                  "2 4 1        Qs",
                                  "16.0         threshold",
                                  "3            # of panel fact",
                                  "0 1 2        PFACTs (0=left, 1=Crout, 2=Right)",
                                  "2            # of recursive stopping criterium",
                                  "2 4          NBMINs (>= 1)",
                                  "1            # of panels in recursion",
                                  "2            NDIVs",
                                  "3            # of recursive panel fact.",
                                  "0 1 2        RFACTs (0=left, 1=Crout, 2=Right)",
                                  "1            # of broadcast",
                                  "0            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)",
                                  "1            # of lookahead depth",
                                  "0            DEPTHs (>=0)",
                                  "2            SWAP (0=bin-exch,1=long,2=mix)",
                                  "64           swapping threshold",
                                  "0            L1 in (0=transposed,1=no-transposed) form",
                                  "0            U  in (0=transposed,1=no-transposed) form",
                                  "1            Equilibration (0=no,1=yes)",
                                  "8            memory alignment in double (> 0)"};
};

TEST(HplDat, TheFileOfHplGivesItsRunsInItsOrder) {
  const HplDat dat = Dat().parsed();
  EXPECT_EQ(dat.name, "HPL.out");
  EXPECT_EQ(dat.device, 6U);
  EXPECT_EQ(dat.threshold, 16);
  EXPECT_EQ(dat.swap, 2U);
  EXPECT_EQ(dat.swap_threshold, 64U);
  EXPECT_TRUE(dat.l1_transposed);
  EXPECT_TRUE(dat.u_transposed);
  EXPECT_TRUE(dat.equilibration);
  EXPECT_EQ(dat.alignment, 8U);
  EXPECT_THAT(dat.notes, testing::IsEmpty());
  const std::vector<HplRun> runs = dat.runs();
  ASSERT_EQ(runs.size(), 864U);  // what HPL 2.3 says of this file
  // The loops of HPL_pddriver.c: grids, N, NB, depth, broadcast, RFACT, PFACT, NBMIN, NDIV.
  EXPECT_EQ(runs[0].variant(), "WR00L2L2");
  EXPECT_EQ(runs[1].variant(), "WR00L2L4");
  EXPECT_EQ(runs[2].variant(), "WR00L2C2");
  EXPECT_EQ(runs[6].variant(), "WR00C2L2");
  EXPECT_EQ(runs[17].nb, 1U);
  EXPECT_EQ(runs[18].nb, 2U);
  EXPECT_EQ(runs[71].n, 29U);
  EXPECT_EQ(runs[72].n, 30U);
  EXPECT_EQ(runs[287].grid.columns, 2U);
  EXPECT_EQ(runs[288].grid.columns, 4U);
  EXPECT_EQ(runs[863].variant(), "WR00R2R4");
}

TEST(HplDat, EachListVariesWhereTheTableSaysSo) {
  const HplDat dat = Dat().line(9, "1").line(18, "2").line(19, "2 3").line(23, "4").line(25, "1").parsed();
  const std::vector<HplRun> runs = dat.runs();
  ASSERT_EQ(runs.size(), 2 * 864U);
  EXPECT_EQ(runs[0].variant(), "WC14L2L2");
  EXPECT_EQ(runs[1].variant(), "WC14L3L2");
}

TEST(HplDat, ValuesBehindTheCountAndLinesBehindTheLastAreText) {
  const HplDat dat = Dat().line(5, "2 sizes").line(7, "1").parsed();
  EXPECT_THAT(dat.n, ElementsAre(29, 30));
  EXPECT_THAT(dat.nb, ElementsAre(1));
  const std::string hpcc = Dat().text() + "##### hpcc lines #####\n0 Number of additional problem sizes for PTRANS\n";
  EXPECT_EQ(parse_hpl_dat(hpcc, "hpccinf.txt").runs().size(), 864U);
}

TEST(HplDat, ValuesThatHplReplacesAreNoted) {
  const HplDat dat = Dat().line(14, "1").line(15, "7").line(23, "9").line(26, "3").line(28, "5").line(30, "2").parsed();
  EXPECT_THAT(dat.panels, ElementsAre(HplFactorisation::right));
  EXPECT_THAT(dat.broadcasts, ElementsAre(1));
  EXPECT_EQ(dat.swap, 1U);
  EXPECT_TRUE(dat.l1_transposed);
  EXPECT_TRUE(dat.equilibration);
  ASSERT_EQ(dat.notes.size(), 5U);
  EXPECT_EQ(dat.notes[0], "HPL.dat:15: PFACT = 7 is none of 0 to 2: HPL takes 2");
  EXPECT_EQ(dat.notes[1], "HPL.dat:23: BCAST = 9 is none of 0 to 5: HPL takes 1");
}

// HPL_pdinfo.c compares these lines with the values that it knows, and takes another one for all else, negative ones
// too.
TEST(HplDat, ValuesBelowThoseThatHplKnowsAreReplacedAndNoted) {
  const HplDat dat = Dat()
                         .line(9, "-1")
                         .line(14, "1")
                         .line(15, "-1")
                         .line(20, "1")
                         .line(21, "-2147483648")
                         .line(23, "-1")
                         .line(26, "-1")
                         .line(27, "-5")
                         .line(28, "-1")
                         .line(29, "-1")
                         .line(30, "-1")
                         .line(31, "0  memory alignment")
                         .parsed();
  EXPECT_FALSE(dat.column_major);
  EXPECT_THAT(dat.panels, ElementsAre(HplFactorisation::right));
  EXPECT_THAT(dat.recursive, ElementsAre(HplFactorisation::right));
  EXPECT_THAT(dat.broadcasts, ElementsAre(1));
  EXPECT_EQ(dat.swap, 1U);
  EXPECT_EQ(dat.swap_threshold, 0U);
  EXPECT_TRUE(dat.l1_transposed);
  EXPECT_TRUE(dat.u_transposed);
  EXPECT_TRUE(dat.equilibration);
  EXPECT_EQ(dat.alignment, 4U);
  ASSERT_EQ(dat.notes.size(), 10U);
  EXPECT_EQ(dat.notes[0], "HPL.dat:9: PMAP = -1 is none of 0 to 1: HPL takes 0");
  EXPECT_EQ(dat.notes[5], "HPL.dat:27: swapping threshold = -5 is less than 0: HPL takes 0");
  EXPECT_EQ(dat.notes[9], "HPL.dat:31: memory alignment = 0 is less than 1: HPL takes 4");
}

TEST(HplDat, BlanksBeforeValuesMakeHplReadOneTwice) {
  const HplDat dat = Dat().line(5, "2").line(6, "     29 30").parsed();
  EXPECT_THAT(dat.n, ElementsAre(29, 29));
  ASSERT_EQ(dat.notes.size(), 1U);
  EXPECT_THAT(dat.notes[0], HasSubstr("HPL.dat:6: HPL reads 29 as value 2 of N, not 30"));
}

TEST(HplDat, MistakesAreToldWithLineValueAndRange) {
  struct Mistake {
    std::size_t line;
    const char* text;
    const char* told;
  };
  constexpr std::array<Mistake, 20> kMistakes{{
      {4, "x", "HPL.dat:4: device out = 'x' is refused: it must be a whole number of at least 0"},
      {5, "0", "HPL.dat:5: number of problem sizes N = 0 is refused: it must be a whole number from 1 to 20"},
      {5, "21", "HPL.dat:5: number of problem sizes N = 21 is refused"},
      {5, "5", "HPL.dat:6: N = 'Ns' is refused: it must be a whole number of at least 0"},
      {6, "-1 2 3 4", "HPL.dat:6: N = -1 is refused: it must be a whole number of at least 0 and at most 2147483647"},
      {6, "1 2 3 4000000000", "HPL.dat:6: N = 4000000000 is refused"},
      {6, "1 2 3", "HPL.dat:6: 3 values of N are refused: line 5 says 4"},
      {7, "NBs", "HPL.dat:7: number of NBs = 'NBs' is refused"},
      {8, "1 0 3 4", "HPL.dat:8: NB = 0 is refused: it must be a whole number of at least 1"},
      {9, "", "HPL.dat:9: an empty line is refused: it must hold PMAP"},
      {11, "0 1 4", "HPL.dat:11: P = 0 is refused"},
      {12, "2 -4 1", "HPL.dat:12: Q = -4 is refused"},
      {12, "2", "HPL.dat:12: 1 value of Q are refused: line 10 says 3"},
      {13, "nan", "HPL.dat:13: threshold = 'nan' is refused: it must be a finite number"},
      {15, "left Crout right", "HPL.dat:15: PFACT = 'left' is refused"},
      {17, "0 4", "HPL.dat:17: NBMIN = 0 is refused: it must be a whole number of at least 1"},
      {19, "1", "HPL.dat:19: NDIV = 1 is refused: it must be a whole number of at least 2"},
      {25, "-1", "HPL.dat:25: DEPTH = -1 is refused"},
      {27, "no", "HPL.dat:27: swapping threshold = 'no' is refused"},
      {31, "8.5", "HPL.dat:31: memory alignment = '8.5' is refused: it must be a whole number from -2147483648"},
  }};
  for (const Mistake& mistake : kMistakes) {
    EXPECT_THAT(Dat().line(mistake.line, mistake.text).refusal(), HasSubstr(mistake.told)) << mistake.line;
  }
}

TEST(HplDat, MissingAndTooLongLinesAreRefused) {
  EXPECT_THAT(Dat().ends_before(31).refusal(), HasSubstr("HPL.dat:31: the file ends before this line"));
  EXPECT_THAT(parse_hpl_dat(Dat().text(), "HPL.dat").runs(), testing::SizeIs(864));
  EXPECT_THAT(Dat().line(6, "29 30 34 35 " + std::string(300, 'x')).refusal(),
              HasSubstr("HPL.dat:6: a line of 312 bytes is refused: HPL reads at most 252"));
}

TEST(HplDat, MoreCombinationsThanCanBeLookedAtAreRefused) {
  const std::string twenty = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20";
  const HplDat dat =
      Dat().line(5, "20").line(6, twenty).line(7, "20").line(8, twenty).line(16, "20").line(17, twenty).parsed();
  EXPECT_THROW(static_cast<void>(dat.runs()), Error);
}

}  // namespace
}  // namespace gdr
