// The analysis counts ports, follows chains and knows which words are in use; expected numbers follow from the sources.
#include "gdr/assembler/analysis.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "gdr/base/file.h"
#include "gdr/base/html.h"
#include "testing.h"

namespace gdr::assembler::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const PortUse& port(const Analysis& analysis, std::string_view name) {
  for (const PortUse& one : analysis.ports) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << name;
  return analysis.ports.front();
}

isa::Program with_body(std::string_view body) {
  AssembleOptions silent;
  silent.warnings.told.reset();
  return assembled(
      "kernel k\nbvar long xj elt\nvar vector long xi hlt\nvar vector long sum rrn\n"
      "loop initialization\n  uxor $lt $lt $lt\n  upassa $lt sum\n  upassa $lt $lr0v\n  upassa $lt $lr8v\n  nop\n"
      "loop body\n" +
          std::string(body),
      silent);
}

Analysis analysed(std::string_view body) { return analyse(with_body(body)); }

TEST(Analysis, CountsEveryPortOfALine) {
  const Analysis one = analysed(
      "  fadd $lr0v $lr8v.b $lr16v ; fmul xi fs\"2\" $lt ; upassa $lr0v $lm100v\n  nop\n"
      "  bm xj $lr8v\n  nop\n");
  EXPECT_EQ(one.lines, 4u);
  EXPECT_EQ(one.operations, 4u);
  for (const auto& [name, busy] : std::vector<std::pair<std::string, unsigned>>{{"adder", 1},
                                                                                {"multiplier", 1},
                                                                                {"alu", 1},
                                                                                {"bm", 1},
                                                                                {"GPR read", 2},
                                                                                {"GPR write", 2},
                                                                                {"LM read", 1},
                                                                                {"LM write", 1},
                                                                                {"T write", 1},
                                                                                {"immediate", 1}}) {
    EXPECT_EQ(port(one, name).busy, busy) << name;
  }
  EXPECT_DOUBLE_EQ(port(one, "GPR read").share(), 2.0 / 8);
  EXPECT_DOUBLE_EQ(port(one, "GPR write").share(), 0.5);
  EXPECT_TRUE(one.body[1].idle);
  EXPECT_FALSE(one.body[0].idle);
}

TEST(Analysis, FollowsTheLongestChainThroughTAndRegisters) {
  // 1 line through T, 2 through the register; the product beside has a line to spare.
  const Analysis one = analysed(
      "  fsub xj xi $lt\n  fadd $lti $lti $lr8v\n  fmul xi fs\"2\" $lr16v\n"
      "  fadd sum $lr8v sum\n  nop\n");
  std::vector<std::pair<std::size_t, std::string>> steps;
  for (const ChainStep& step : one.chain) steps.emplace_back(step.line, step.operation);
  EXPECT_THAT(
      steps, ElementsAre(std::pair<std::size_t, std::string>{0, "fsub"}, std::pair<std::size_t, std::string>{1, "fadd"},
                         std::pair<std::size_t, std::string>{3, "fadd"}));
  EXPECT_EQ(one.chain_lines, 4u);
  EXPECT_EQ(one.least_lines(), 4u);
  EXPECT_EQ(one.body[0].slack, 1u);  // the body has 5 lines
  EXPECT_EQ(one.body[2].slack, 2u);
  EXPECT_EQ(one.body[3].slack, 1u);
}

TEST(Analysis, AWriterInTheLineOfTheLastReaderHoldsWhatThatReaderWaitsFor) {
  // One unit reads the word that another writes anew beside it: it stands no later than the writer, which the last sum
  // holds in line 4 of 6, and so the product that it reads stands no later than line 2.
  for (const std::string_view line :
       {"fadd xj xi $lr24v ; fmul $lr24v fs\"2\" $lm100v", "fmul xi fs\"2\" $lr24v ; fadd $lr24v xj $lm100v"}) {
    const Analysis one = analysed(
        fmt::format("  fmul xi fs\"2\" $lr24v\n  nop\n  {}\n  nop\n  fadd sum $lr24v sum\n  nop\n  nop\n", line));
    EXPECT_EQ(one.body[2].slack, 2u) << line;
    EXPECT_EQ(one.body[0].slack, 2u) << line;
  }
}

TEST(Analysis, SaysThatAPortLimitsWhereItDoes) {
  std::string body;
  for (unsigned word = 8; word < 48; word += 8) body += "  fpassa xi $lr" + std::to_string(word) + "v\n";
  const Analysis one = analysed(body);
  EXPECT_EQ(one.least_lines(), 5u);
  EXPECT_EQ(one.busiest().share(), 1.0);
  EXPECT_EQ(one.chain_lines, 1u);
}

TEST(Analysis, CountsAReadThatTwoUnitsCanShareOnce) {
  // Two lines read a word through the only port, but one line has room for both operations.
  for (const std::string_view read : {"xi", "f\"2\"", "xj"}) {
    const Analysis one = analysed(fmt::format("  fadd {0} $lr8v $lt\n  upassa {0} $lr16v\n", read));
    EXPECT_EQ(one.least_lines(), 1u) << read;
  }
  const Analysis of_registers = analysed("  fadd $lr8v $lr0v $lt\n  uadd $lr8v $lr0v $lm100v\n");
  EXPECT_EQ(port(of_registers, "GPR read").busy, 4u);
  EXPECT_EQ(of_registers.least_lines(), 1u);
}

TEST(Analysis, CountsReadsThatNoLineCanShareEach) {
  // Other words; the same word before and after it is written; lines of other vector lengths.
  EXPECT_EQ(analysed("  fadd xi $lr8v $lt\n  upassa sum $lr16v\n").least_lines(), 2u);
  const Analysis written = analysed("  fadd sum $lr8v $lt\n  fpassa $lr8v sum\n  nop\n  upassa sum $lr16v\n  nop\n");
  EXPECT_EQ(port(written, "LM read").needed, 2u);
  EXPECT_EQ(analysed("  fadd xi $lr8v $lt\n  vlen 1\n  upassa xi $lr16v\n").least_lines(), 2u);
  // A unit makes one operation in a line: each of these loads moves the word to a register of its own.
  EXPECT_EQ(analysed("  bm xj $lr8v\n  bm xj $lr16v\n").least_lines(), 2u);
}

TEST(Analysis, CountsReadsOfOneUnitEach) {
  // Each line reads one word of local memory, and each unit makes one operation in it: no two of these share a line.
  const Analysis one = analysed(
      "  fadd xi $lr8v $lt\n  fmul sum fs\"2\" $lr16v\n  fadd xi $lr0v $lt\n  fmul sum fs\"3\" $lr24v\n  nop\n");
  EXPECT_EQ(port(one, "LM read").needed, 4u);
  EXPECT_EQ(one.least_lines(), 4u);
}

TEST(Analysis, FollowsWhatWaitsForSeveralOperationsOfAUnit) {
  // Thrice two products and their sum. The chain takes 11 lines, and each pair needs a line more: its products are on
  // two lines. Each pair alone says so of itself only.
  std::string body;
  for (const auto& [from, to] :
       std::vector<std::pair<const char*, const char*>>{{"xi", "$lr24v"}, {"$lr24v", "$lr24v"}, {"$lr24v", "sum"}}) {
    body += fmt::format("  fmul {0} fs\"2\" $lr8v\n  fmul {0} fs\"3\" $lr16v\n  nop\n  fadd $lr8v $lr16v {1}\n  nop\n",
                        from, to);
  }
  const isa::Program program = with_body(body);
  const Analysis one = analyse(program);
  EXPECT_EQ(one.chain_lines, 11u);
  EXPECT_EQ(one.shared.least_lines(), 12u);
  EXPECT_EQ(one.least_lines(), 14u);
  EXPECT_EQ(one.no_room.lines, 13u);
  EXPECT_THAT(analysis_text(one, {program, {}}), HasSubstr("at least 14 lines with these registers and operations (in "
                                                           "13 lines, "));
}

TEST(Analysis, CountsWordsThatALaterLineReads) {
  const Analysis one =
      analysed("  fpassa xj $lr8v\n  nop\n  fadd $lr8v $lr8v $r16v\n  nop\n  fadd sum $r16v sum\n  nop\n");
  std::vector<unsigned> live;
  for (const LineUse& line : one.body) live.push_back(line.live_gpr);
  EXPECT_THAT(live, ElementsAre(0, 8, 8, 4, 4, 0));
  EXPECT_EQ(one.peak(), 1u);
  EXPECT_EQ(one.body[0].live_lm, 8u);  // sum; no line reads xi
}

TEST(Analysis, CountsWordsThatTheNextTurnReads) {
  const Analysis one = analysed("  fadd $lr0v xj $lr0v $lt\n  fadd sum $lti sum\n  nop\n");
  for (const LineUse& line : one.body) EXPECT_EQ(line.live_gpr, 8u);
}

TEST(Analysis, TakesPackedKernelsAndShowsWhatMoved) {
  AssembleOptions options;
  options.schedule.level = ScheduleLevel::list;
  const AssembleResult result = assemble_file(std::string(GDR_KERNELS_DIR) + "/gravity_jerk_2009.vsm", options);
  ASSERT_TRUE(result.program);
  const Analysis one = analyse(*result.program);
  EXPECT_EQ(one.lines, result.program->lines(isa::Section::loop_body).size());
  EXPECT_EQ(one.bound.clocks(), isa::loop_bound(*result.program).clocks());
  EXPECT_LE(one.least_lines(), one.lines);
  const AnalysedSources sources{*result.program, result.files};
  EXPECT_THAT(analysis_text(one, sources), HasSubstr("were brought into other lines"));
  const std::string page = analysis_page(one, sources);
  EXPECT_THAT(page, HasSubstr("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr("usub indexi $ti $ok1.z"));
  EXPECT_THAT(page, Not(HasSubstr("src=")));  // one file
  // Its own script runs, and no other.
  const std::size_t script = page.find("<script>") + std::string_view("<script>").size();
  const std::string policy = base::content_policy(page.substr(script, page.find("</script>") - script));
  EXPECT_LT(page.find(policy), page.find("<title>"));
  EXPECT_EQ(page.find("<script", script), std::string::npos);
}

TEST(Analysis, ShowsTheSourceOfTheChainAndOfEachLine) {
  const AssembleResult result = assemble(
      "kernel k\nbvar long xj elt\nvar vector long xi hlt\nvar vector long sum rrn\n"
      "loop initialization\n  uxor $lt $lt $lt\n  upassa $lt sum\n"
      "loop body\n  fsub xj xi $lt\n  fadd sum $lti sum\n  nop\n",
      "test.vsm");
  ASSERT_TRUE(result.program);
  const std::string text = analysis_text(analyse(*result.program), {*result.program, result.files});
  EXPECT_THAT(text, HasSubstr("\n     0  fsub    1  test.vsm:9: fsub xj xi $lt\n"
                              "     1  fadd    0  test.vsm:10: fadd sum $lti sum\n\n"));
  EXPECT_THAT(text, HasSubstr("     0     1    0   16  A..r   test.vsm:9: fsub xj xi $lt\n"
                              "     1     1    0   16  A...   test.vsm:10: fadd sum $lti sum\n"
                              "     2     -    0   16  ....   test.vsm:11: nop\n"));
}

TEST(Analysis, NamesTheUnitsThatALineKeepsBusy) {
  const AssembleResult result = assemble(
      "kernel k  # allow unused\nbvar long xj elt\nvar vector long xi hlt\nvar vector long sum rrn\n"
      "loop initialization\n  uxor $lt $lt $lt\n  upassa $lt sum\n  nop\n"
      "loop body\n  fmul xi fs\"2\" $lt ; upassa xi $lm100v\n  fadd sum xj sum\n  nop\n",
      "test.vsm");
  ASSERT_TRUE(result.program) << format_diagnostics(result);
  const std::string text = analysis_text(analyse(*result.program), {*result.program, result.files});
  EXPECT_THAT(text, HasSubstr("  .MI.   test.vsm:10: fmul"));
  EXPECT_THAT(text, HasSubstr("  A..r   test.vsm:11: fadd"));
}

std::size_t count_of(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(Analysis, ShowsWhatUsesOfMacrosAndTurnsOfRepeatsBecame) {
  const AssembleResult result = assemble(
      "kernel k  # allow unused\nmacro twice a b\n  fadd a a b\nend\nbvar long xj elt\nvar vector long sum rrn\n"
      "loop initialization\n  uxor $lt $lt $lt\n  upassa $lt sum\n  nop\nloop body\n  twice xj $lr8v\n"
      "  repeat k = 1..2\n    fpassa xj $lr{8*k+8}v\n  end\n  fadd sum $lr8v sum\n",
      "k.vsm");
  ASSERT_TRUE(result.program) << format_diagnostics(result);
  const AnalysedSources sources{*result.program, result.files};
  const Analysis one = analyse(*result.program);
  const std::string text = analysis_text(one, sources);
  EXPECT_THAT(text, HasSubstr("in k.vsm:12: twice xj $lr8v\n"));
  EXPECT_THAT(text, HasSubstr("k.vsm:3: fadd a a b\n"));
  EXPECT_THAT(text, HasSubstr("= fadd xj xj $lr8v\n"));
  EXPECT_THAT(text, HasSubstr("= fpassa xj $lr24v\n"));
  EXPECT_THAT(text, Not(HasSubstr("= fadd sum")));
  const std::string page = analysis_page(one, sources);
  EXPECT_THAT(page, HasSubstr("data-at=\"0:3 0:12\""));  // pointing at the use shows its line
  EXPECT_THAT(page, HasSubstr("<td>fadd xj xj $lr8v</td>"));
}

TEST(Analysis, DrawsEveryOperationAndTheWayOfEveryResult) {
  const AssembleResult result = assemble(
      "kernel k  # allow unused\nbvar long xj elt\nvar vector long sum rrn\n"
      "loop initialization\n  uxor $lt $lt $lt\n  upassa $lt sum\n  nop\nloop body\n"
      "  fmul xj fs\"2\" $lt $lr8v\n  fadd $lti xj $lr16v\n  nop\n  fadd $lr8v $lr16v $lt ; fmul $lr8v fs\"3\" $lr24v\n"
      "  fadd sum $lti sum\n  nop\n",
      "k.vsm");
  ASSERT_TRUE(result.program) << format_diagnostics(result);
  const Analysis one = analyse(*result.program);
  std::vector<std::tuple<std::size_t, std::size_t, unsigned, std::string>> ways;
  for (const DependentOperation& way : one.dependences)
    ways.emplace_back(way.from.line, way.to.line, way.waits, way.what);
  using Way = std::tuple<std::size_t, std::size_t, unsigned, std::string>;
  EXPECT_THAT(ways, ::testing::UnorderedElementsAre(Way{0, 1, 1, "T"}, Way{0, 3, 2, "$lr8v"}, Way{0, 3, 2, "$lr8v"},
                                                    Way{1, 3, 2, "$lr16v"}, Way{3, 4, 1, "T"}));
  const std::string page = analysis_page(one, {*result.program, result.files});
  EXPECT_EQ(count_of(page, "<g class=\"op"), one.operations);
  EXPECT_EQ(count_of(page, "<path data-from="), one.dependences.size());
  EXPECT_THAT(page, HasSubstr("data-from=\"o3-adder\" data-to=\"o4-adder\""));
  std::size_t taken = 0;
  for (const LineUse& use : one.body) taken += use.ports.size();
  EXPECT_EQ(count_of(page, "<rect class=lane"), taken);
}

TEST(Analysis, HoldsForEveryKernelOfOurs) {
  for (const std::string name : {"gravity", "gravity_jerk", "gravity_jerk_long", "vdw", "nearest", "tutorial", "count",
                                 "dgemm", "dgemm_double", "sgemm"}) {
    const AssembleResult result = assemble_file(std::string(GDR_KERNELS_DIR) + "/" + name + ".vsm");
    ASSERT_TRUE(result.program) << name;
    const Analysis one = analyse(*result.program);
    EXPECT_LE(one.least_lines(), one.lines) << name;
    for (const PortUse& use : one.ports) EXPECT_LE(use.share(), 1) << name << ", " << use.name;
    for (const LineUse& line : one.body) EXPECT_LE(line.live_gpr, isa::kGprShortWords) << name;
    EXPECT_THAT(analysis_text(one, {*result.program, result.files}), HasSubstr("kernel " + name)) << name;
  }
}

/// What holds each operation of a line.
std::vector<std::string> holds(const Analysis& analysis, std::size_t line) {
  std::vector<std::string> texts;
  for (const HeldOperation& operation : analysis.body[line].operations) {
    texts.push_back(operation.operation + " " + operation.text());
  }
  return texts;
}

TEST(Analysis, NamesTheResultThatAnOperationWaitsFor) {
  const Analysis one = analysed(
      "  fsub xj xi $lt $lr8v\n  fmul $lti fs\"2\" $lr16v\n  fadd sum $lr8v sum ; ulsr $lr8v il\"1\" $lt $ok1.z\n"
      "  nop\n  uadd $lt il\"1\" $lr24v/1\n  nop\n");
  EXPECT_THAT(holds(one, 0), ElementsAre("fsub stands in the first line"));
  EXPECT_THAT(holds(one, 1), ElementsAre("fmul reads T, which line 0 writes"));
  EXPECT_THAT(holds(one, 2),
              ElementsAre("fadd reads $lr8v, which line 0 writes", "ulsr reads $lr8v, which line 0 writes"));
  EXPECT_THAT(holds(one, 4), ElementsAre("uadd reads flag 1, which line 2 writes"));
}

TEST(Analysis, NamesTheUnitOrPortThatIsTaken) {
  const Analysis one = analysed(
      "  fpassa xi $lr8v\n  fadd xi xi $lm40v\n  upassa xi $lr16v\n  uadd xi il\"1\" $lr24v\n"
      "  vlen 2 ; fpassa xi $lt\n");
  EXPECT_THAT(holds(one, 1), ElementsAre("fadd adder is taken in line 0"));
  EXPECT_THAT(holds(one, 2), ElementsAre("upassa line 1 has room for it"));
  EXPECT_THAT(holds(one, 3), ElementsAre("uadd line 1 has room for it"));
  EXPECT_THAT(holds(one, 4), ElementsAre("fpassa line 3 has another vector length or mask"));
}

TEST(Analysis, NamesTheReaderThatMayNotLoseItsWord) {
  const Analysis one = analysed("  fpassa xi $lm40v\n  fadd $lr0v xi $lm48v\n  upassa $peid $lr0v\n  nop\n  nop\n");
  EXPECT_THAT(holds(one, 2), ElementsAre("upassa line 1 has room for it"));
  const Analysis packed = analysed("  fpassa xi $lm40v\n  fadd $lr0v xi $lm48v ; upassa $peid $lr0v\n  nop\n  nop\n");
  EXPECT_THAT(holds(packed, 1),
              ElementsAre("fadd adder is taken in line 0", "upassa writes $lr0v, which line 1 still reads"));
}

TEST(Analysis, CountsOneInTheSingular) {
  const auto text = [](const std::string& body) {
    const isa::Program program = assembled("kernel k\nvar vector long xi hlt\nloop body\n" + body);
    const Analysis analysis = analyse(program);
    return analysis_text(analysis, {program, {}}) + analysis_page(analysis, {program, {}});
  };
  const std::string one = text("  fpassa xi $lt\n");
  for (const char* part : {"kernel k: 1 loop line, 1 operation, ", "Kernel k: 1 loop line, ",
                           "the line cannot go: a chain of 1 operation takes 1 line\n",
                           "1 of 1 line cannot stand later, none is empty\n"}) {
    EXPECT_THAT(one, HasSubstr(part));
  }
  const std::string two = text("  fpassa xi $lt\n  nop\n");
  for (const char* part : {"at least 1 line with these registers and operations (a chain of 1 operation takes 1 line); "
                           "the kernel has 1 more\n",
                           " of 2 lines cannot stand later, 1 is empty\n"}) {
    EXPECT_THAT(two, HasSubstr(part));
  }
}

TEST(Analysis, OfAKernelWithoutABodySaysSo) {
  const Analysis one = analyse(assembled("kernel k\nloop initialization\n  nop\n"));
  EXPECT_EQ(one.lines, 0u);
  EXPECT_EQ(one.least_lines(), 0u);
  const isa::Program program = assembled("kernel k\nloop initialization\n  nop\n");
  EXPECT_THAT(analysis_text(one, {program, {}}), HasSubstr("0 loop lines"));
  EXPECT_THAT(analysis_page(one, {program, {}}), HasSubstr("0 loop lines"));
}

}  // namespace
}  // namespace gdr::assembler::testing
