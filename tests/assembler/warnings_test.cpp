// Each warning is given where it is true, names its place and its mending, and is silent beside.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "gdr/base/error.h"
#include "testing.h"

namespace gdr::assembler::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Adds up a distance, on which lines of `body` work; flag 1 is its sign if they ask for it.
std::string kernel(std::string_view declarations, std::string_view body, std::string_view before = "",
                   std::string_view after = "") {
  const bool uses_flag = body.find("/1") != body.npos || body.find("mask 1") != body.npos;
  return fmt::format(R"(kernel k
bvar long xj elt
var vector long xi hlt
var vector long sum rrn fadd
{}
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
{}  nop
loop body
  fsub xj xi $lr0v{}
  nop
{}  fadd sum $lr0v sum
loop termination
  nop
{})",
                     declarations, before, uses_flag ? " $lok1" : "", body, after);
}

std::vector<std::string> warnings_of(const std::string& source, const AssembleOptions& options = {}) {
  const AssembleResult result = assemble(source, "test.vsm", options);
  std::vector<std::string> texts;
  for (const Diagnostic& one : result.diagnostics) {
    if (one.severity == Severity::note) continue;
    texts.push_back(fmt::format("{}: {}{}", one.where.line, one.warning ? name_of(*one.warning) : "error",
                                one.severity == Severity::error ? "!" : ""));
  }
  return texts;
}

/// Adds `x` to a result that is declared as `declared`; `before` is done once.
std::string adding_up(std::string_view declared, std::string_view x, std::string_view before = "  upassa $lt sum\n") {
  return fmt::format(
      "kernel k\nbvar long xj elt # allow unused\nvar vector long xi hlt # allow unused\n"
      "var vector long sum rrn {}\nloop initialization\n  uxor $lt $lt $lt\n{}loop body\n  nop\n{}",
      declared, before, x);
}

TEST(OneBlock, IsToldWhereBlocksHaveOtherValuesAndNoneIsMeant) {
  const auto told = Contains("4: one-block");
  EXPECT_THAT(warnings_of(adding_up("", "  fadd sum xj sum\n")), told);
  EXPECT_THAT(warnings_of(adding_up("flt72to64", "  fadd sum xj sum\n")), told);
  EXPECT_THAT(warnings_of(adding_up("", "  fmax sum xj sum\n")), told);
  EXPECT_THAT(warnings_of(adding_up("", "  fpassa xj sum\n")), told);
  EXPECT_THAT(warnings_of(adding_up("", "  fadd sum f\"1\" sum\n")), told);  // counts the records
  EXPECT_THAT(warnings_of(adding_up("fix72to64", "  uadd sum il\"1\" sum\n")), told);
  EXPECT_THAT(warnings_of(adding_up("fix72to64", "  nop\n", "  upassa $bbid sum\n")), told);
  EXPECT_THAT(warnings_of(adding_up("", "  fsub xj xi $lt $lok1\n  nop\n  nop\n  fpassa xi sum/1\n")), told);
}

TEST(OneBlock, IsSilentWhereAReductionOrABlockIsNamedOrAllBlocksHaveOneValue) {
  for (const std::string_view declared : {"fadd", "flt72to64 fadd", "select", "flt72to64 select 0", "select 3"}) {
    EXPECT_THAT(warnings_of(adding_up(declared, "  fadd sum xj sum\n")), Not(Contains("4: one-block"))) << declared;
  }
  EXPECT_THAT(warnings_of(adding_up("", "  fpassa xi sum\n")), Not(Contains("4: one-block")));
  EXPECT_THAT(warnings_of(adding_up("", "  nop\n", "  fadd xi f\"1\" sum\n")), Not(Contains("4: one-block")));
}

TEST(OneBlock, SaysWhatToWrite) {
  const AssembleResult result = assemble(adding_up("", "  fsub sum xj sum\n"), "test.vsm");
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_THAT(result.diagnostics.front().message,
              AllOf(HasSubstr("result 'sum' has no reduction"), HasSubstr("write 'fadd'"), HasSubstr("'select 0'")));
}

TEST(OneBlock, IsToldOfCollectsOfOneBlock) {
  const auto kernel_of = [](std::string_view declared, std::string_view collect) {
    return fmt::format(
        "kernel k\nvar vector long xi hlt\nbvar vector long sum[2] rrn {}\nloop initialization\n  nop\n"
        "loop termination\n  bm xi sum[0] @0\n  bm xi sum[1] @1\n  nop\n  nop\n  collect sum{}\n",
        declared, collect);
  };
  EXPECT_THAT(warnings_of(kernel_of("", "")), ElementsAre("3: one-block"));
  EXPECT_THAT(warnings_of(kernel_of("fadd", "")), IsEmpty());
  EXPECT_THAT(warnings_of(kernel_of("select", "")), IsEmpty());
  EXPECT_THAT(warnings_of(kernel_of("", " block each")), IsEmpty());
  EXPECT_THAT(warnings_of(kernel_of("", " block 0")), IsEmpty());
}

TEST(MaskedDefinition, IsToldWhereTheWordReachesAResultElsewhere) {
  EXPECT_THAT(warnings_of(kernel("", "  fpassa xj $lr8v/1\n  nop\n  fadd $lr0v $lr8v $lr0v\n  nop\n")),
              ElementsAre("15: masked-definition"));
}

TEST(MaskedDefinition, IsSilentBehindAnUnmaskedWrite) {
  EXPECT_THAT(
      warnings_of(kernel("", "  fpassa xi $lr8v\n  fpassa xj $lr8v/1\n  nop\n  fadd $lr0v $lr8v $lr0v\n  nop\n")),
      IsEmpty());
  EXPECT_THAT(
      warnings_of(kernel("", "  fpassa xj $lr8v/1\n  nop\n  fadd $lr0v $lr8v $lr0v\n  nop\n", "  upassa $lt $lr8v\n")),
      IsEmpty());
}

TEST(MaskedDefinition, IsSilentWithTheComplement) {
  EXPECT_THAT(
      warnings_of(kernel("", "  fpassa xj $lr8v/1\n  fpassa xi $lr8v/!1\n  nop\n  fadd $lr0v $lr8v $lr0v\n  nop\n")),
      IsEmpty());
}

TEST(MaskedDefinition, IsToldWhenTheFlagChangedBeforeTheComplement) {
  EXPECT_THAT(warnings_of(kernel("",
                                 "  fpassa xj $lr8v/1\n  fsub xi xj $lok1\n  nop\n  fpassa xi $lr8v/!1\n  nop\n"
                                 "  fadd $lr0v $lr8v $lr0v\n  nop\n")),
              ElementsAre("18: masked-definition"));
}

TEST(MaskedDefinition, IsSilentWhereWhatIsMadeOfItIsKeptUnderTheSameFlag) {
  EXPECT_THAT(warnings_of(kernel("",
                                 "  fpassa xj $lr8v/1\n  nop\n  fmul $lr8v fs\"2\" $lr16v\n  nop\n"
                                 "  fadd $lr0v $lr16v $lr0v/1\n  nop\n")),
              IsEmpty());
}

TEST(MaskedDefinition, FollowsMasksOfLinesToo) {
  EXPECT_THAT(
      warnings_of(kernel("", "  mask 1\n  fpassa xj $lr8v\n  nop\n  fadd $lr0v $lr8v $lr0v\n  mask 0\n  nop\n")),
      IsEmpty());
  EXPECT_THAT(warnings_of(kernel("", "  mask 1 ; fpassa xj $lr8v\n  nop\n  fadd $lr0v $lr8v $lr0v\n  nop\n")),
              ElementsAre("15: masked-definition"));
}

TEST(MaskedDefinition, NamesTheWordThatItsOwnWriteLeavesUndefined) {
  // What the second line reads is defined where it writes, so the third line's trouble is $lr16v, not $lr8v.
  const AssembleResult result = assemble(kernel("",
                                                "  fpassa xj $lr8v/1\n  nop\n  fmul $lr8v fs\"2\" $lr16v/1\n  nop\n"
                                                "  fadd $lr0v $lr16v $lr0v\n  nop\n"),
                                         "test.vsm");
  ASSERT_EQ(result.diagnostics.size(), 2u) << format_diagnostics(result);
  EXPECT_THAT(result.diagnostics[0].message, HasSubstr("'$lr16v' is written only where flag 1 is set"));
  EXPECT_EQ(result.diagnostics[1].where.line, 15u);
}

TEST(MaskedDefinition, IsToldOfWhatATurnLeftForTheNext) {
  // Flag 1 of this turn says nothing of the word that the last turn wrote under its own.
  EXPECT_THAT(warnings_of(kernel("", "  fadd $lr0v $lr8v $lr0v/1\n  fpassa xj $lr8v/1\n  nop\n",
                                 "  fsub xi f\"1\" $lok1\n"
                                 "  nop\n  upassa $lt $lr8v/1\n")),
              ElementsAre("16: masked-definition"));
}

TEST(OverwrittenInput, IsToldInTheBodyAndNotOfATransformationBeforeIt) {
  EXPECT_THAT(warnings_of(kernel("", "  fsub xj $lr0v xi\n")), ElementsAre("13: overwritten-input"));
  EXPECT_THAT(warnings_of(kernel("", "", "  fmul xi fs\"2\" xi\n")), IsEmpty());
  EXPECT_THAT(warnings_of(kernel("", "", "  upassa $lt xi\n")), ElementsAre("9: overwritten-input"));
  // A kernel that keeps its state there writes it often.
  EXPECT_THAT(warnings_of(kernel("", "  fsub xj xi xi\n  nop\n  fsub xj xi xi\n  nop\n")),
              ElementsAre("13: overwritten-input"));
}

TEST(ShortVector, IsToldAtTheEndOfASectionAndAtResults) {
  EXPECT_THAT(warnings_of(kernel("", "  vlen 3\n  nop\n")), ElementsAre("13: short-vector", "15: short-vector"));
  EXPECT_THAT(warnings_of(kernel("", "  vlen 3\n  nop\n  vlen 4\n")), IsEmpty());
  EXPECT_THAT(warnings_of(kernel("", "  vlen 3 ; nop\n")), IsEmpty());
}

TEST(Overlap, IsToldOfNamesInUseTogetherAndNotOneAfterTheOther) {
  const std::string_view names = "reg q $lr8v\nreg p $lr10v";
  EXPECT_THAT(warnings_of(kernel(names,
                                 "  fadd xj xi q\n  fsub xi xj p\n  nop\n  fadd q $lr0v $lr0v\n  fpassa p $lt\n"
                                 "  fadd $lr0v $lti $lr0v\n  nop\n")),
              ElementsAre("17: overlap"));
  EXPECT_THAT(warnings_of(kernel(names,
                                 "  fadd xj xi q\n  nop\n  fadd q $lr0v $lr0v\n  fsub xi xj p\n  nop\n  fpassa p $lt\n"
                                 "  fadd $lr0v $lti $lr0v\n  nop\n")),
              IsEmpty());
}

TEST(Overlap, IsSilentOfANameForOneElement) {
  EXPECT_THAT(
      warnings_of(kernel("reg q $lr8v\nreg third $lr12",
                         "  fadd xj xi q\n  nop\n  vlen 1 ; fpassa q third\n  nop\n  fadd q $lr0v $lr0v\n  nop\n")),
      IsEmpty());
}

TEST(Width, IsToldOfNumbersAndNotOfBits) {
  EXPECT_THAT(warnings_of(kernel("", "  fadd xj xi $lr8v\n  nop\n  fadd $r8v $lr0v $lr0v\n  nop\n")),
              ElementsAre("15: width"));
  EXPECT_THAT(
      warnings_of(kernel("", "  fadd xj xi $r8v\n  fadd xj xi $r12v\n  nop\n  fadd $lr8v $lr0v $lr0v\n  nop\n")),
      ElementsAre("16: width"));
  EXPECT_THAT(warnings_of(kernel("", "  upassa xj $lr8v\n  nop\n  fadd $r8v $lr0v $lr0v\n  nop\n")), IsEmpty());
}

TEST(Identity, IsToldWithTheValueThatIsThereAndTheOneThatBelongs) {
  const auto message = [](std::string_view reduction, std::string_view value) {
    const AssembleResult result =
        assemble(fmt::format("kernel k\nbvar long xj elt\nvar vector long r rrn {}\nloop initialization\n"
                             "  upassa {} r\n  nop\nloop body\n  {} r xj r\n  nop\n",
                             reduction, value, reduction.substr(reduction.find(' ') + 1)),
                 "test.vsm");
    return result.diagnostics.empty() ? "" : result.diagnostics.front().message;
  };
  EXPECT_THAT(message("flt72to64 fadd", "f\"1.5\""),
              HasSubstr("begins with 1.5, but what leaves 'fadd' unchanged is 0"));
  EXPECT_THAT(message("flt72to64 fmin", "f\"0\""),
              HasSubstr("begins with 0, but what leaves 'fmin' unchanged is f\"inf\""));
  EXPECT_THAT(message("fix72to64 uadd", "il\"3\""), HasSubstr("begins with hl\"000000000000000003\", but"));
}

TEST(Identity, IsToldOfEachReductionsOwn) {
  const auto begun = [](std::string_view reduction, std::string_view value) {
    return warnings_of(
        fmt::format("kernel k\nbvar long xj elt\nvar vector long r rrn {}\nloop initialization\n  upassa {} r\n"
                    "  nop\nloop body\n  {} r xj r\n  nop\n",
                    reduction, value, reduction.substr(reduction.find(' ') + 1)));
  };
  EXPECT_THAT(begun("flt72to64 fmin", "f\"0\""), ElementsAre("5: identity"));
  EXPECT_THAT(begun("flt72to64 fmin", "f\"inf\""), IsEmpty());
  EXPECT_THAT(begun("flt72to64 fmax", "f\"-inf\""), IsEmpty());
  EXPECT_THAT(begun("flt72to64 fadd", "f\"1\""), ElementsAre("5: identity"));
  EXPECT_THAT(begun("fix72to64 uand", "il\"0\""), ElementsAre("5: identity"));
  EXPECT_THAT(begun("fix72to64 uand", "il\"-1\""), IsEmpty());
  EXPECT_THAT(begun("fix72to64 umax", "hl\"800000000000000000\""), IsEmpty());
  EXPECT_THAT(begun("fix72to64 umin", "hl\"7fffffffffffffffff\""), IsEmpty());
  EXPECT_THAT(begun("fix72to64 umin", "il\"7\""), ElementsAre("5: identity"));
}

TEST(Unused, NamesWhatItCosts) {
  const AssembleResult result = assemble(kernel("bvar long spare[2] elt", "  fmul xi fs\"3\" $lr8v\n"), "test.vsm");
  std::vector<std::string> messages;
  for (const Diagnostic& one : result.diagnostics) messages.push_back(one.message);
  EXPECT_THAT(messages, ElementsAre(AllOf(HasSubstr("'spare'"), HasSubstr("32 clocks of the input port")),
                                    AllOf(HasSubstr("'$lr8v'"), HasSubstr("4 clocks of every iteration"))));
}

TEST(Unused, TellsOfAccumulationsThatNothingReads) {
  EXPECT_THAT(warnings_of(kernel("", "  fadd $lr8v f\"1\" $lr8v\n", "  upassa $lt $lr8v\n")),
              ElementsAre("9: unused", "14: unused"));
}

TEST(Unused, TellsOfDestinationsBesideOnesInUse) {
  EXPECT_THAT(warnings_of(kernel("", "  fmul $lr0v fs\"2\" $lr0v $lm100v\n  nop\n")), ElementsAre("13: unused"));
}

TEST(Unused, SparesWhatOneRunLeavesForTheNext) {
  EXPECT_THAT(warnings_of("kernel k\nvar vector long n rrn fix72to64 select\nvar vector long count\ninitialization\n"
                          "  uxor $lt $lt $lt\n  upassa $lt count\nloop initialization\n  nop\n  upassa count n\n"
                          "loop termination\n  uadd count il\"1\" count\n  nop\n"),
              IsEmpty());
}

TEST(Unused, SparesTablesThatIndicesReach) {
  EXPECT_THAT(warnings_of(kernel("var vector long table[8]", "  uxor $lt $lt $lt\n  fadd $lmt16v $lr0v $lr0v\n  nop\n",
                                 "  upassa $lt table[3]\n  upassa $lt table[7]\n")),
              IsEmpty());
}

TEST(Unused, IsSilentWithoutResults) {
  EXPECT_THAT(warnings_of("kernel k\nbvar long never elt\nloop body\n  uxor $lr0v $lr0v $lr0v\n"), IsEmpty());
}

TEST(EventProne, IsToldOfConstantsThatCannotGiveANumber) {
  EXPECT_THAT(
      warnings_of(kernel("", "  fpassa f\"inf\" $lt\n  fmul $lti fs\"0\" $lt\n  fadd $lti $lr0v $lr0v\n  nop\n")),
      ElementsAre("14: event-prone"));
  EXPECT_THAT(
      warnings_of(kernel("", "  fpassa f\"inf\" $lt\n  fsub $lti f\"inf\" $lt\n  fadd $lti $lr0v $lr0v\n  nop\n")),
      ElementsAre("14: event-prone"));
  EXPECT_THAT(
      warnings_of(kernel("", "  fpassa f\"inf\" $lt\n  fadd $lti f\"inf\" $lt\n  fadd $lti $lr0v $lr0v\n  nop\n")),
      IsEmpty());
  EXPECT_THAT(
      warnings_of(kernel("",
                         "  fmul xj fs\"1e300\" $lt\n  fmul $lti fs\"1e-300\" $lt\n  fmul $lti fs\"1e300\" $lt\n"
                         "  fadd $lti $lr0v $lr0v\n  nop\n")),
      IsEmpty());
}

TEST(EventProne, IsToldOfProductsOfConstantsThatOverflow) {
  const auto product = [](const std::string& a, const std::string& b) {
    return warnings_of(
        kernel("", "  fpassa f\"" + a + "\" $lt\n  fmul $lti fs\"" + b + "\" $lt\n  fadd $lti $lr0v $lr0v\n  nop\n"));
  };
  EXPECT_THAT(product("1e200", "1e200"), ElementsAre("14: event-prone"));
  EXPECT_THAT(product("-1e200", "1e200"), ElementsAre("14: event-prone"));
  EXPECT_THAT(product("1e200", "1e-200"), IsEmpty());
  EXPECT_THAT(product("3", "2"), IsEmpty());
  EXPECT_THAT(product("inf", "2"), IsEmpty());
  EXPECT_THAT(product("2", "inf"), IsEmpty());
  EXPECT_THAT(product("inf", "inf"), IsEmpty());
}

TEST(Allow, HoldsOnItsLineOnTheNextOneAndForTheWholeKernel) {
  const std::string line = "  fmul xi fs\"3\" $lr8v";
  EXPECT_THAT(warnings_of(kernel("", line + "\n")), ElementsAre("13: unused"));
  EXPECT_THAT(warnings_of(kernel("", line + "  # allow unused: for the debugger\n")), IsEmpty());
  EXPECT_THAT(warnings_of(kernel("", "  # allow width, unused\n" + line + "\n")), IsEmpty());
  EXPECT_THAT(warnings_of(kernel("", line + "  # allow width\n")), ElementsAre("13: unused"));
  EXPECT_THAT(warnings_of(kernel("", line + "  # allow unused words here\n")), ElementsAre("13: unused"));
  EXPECT_THAT(warnings_of("kernel k  # allow unused\n" + kernel("", line + "\n").substr(9)), IsEmpty());
}

TEST(Allow, HoldsForAllLinesOfTheMacroItStandsBehind) {
  const std::string macro = "macro wasted\n  fmul xi fs\"3\" $lr8v\nend\n";
  EXPECT_THAT(warnings_of(kernel(macro, "  wasted\n")), ElementsAre("6: unused"));
  EXPECT_THAT(warnings_of(kernel(macro, "  wasted  # allow unused\n")), IsEmpty());
}

TEST(WarningOptions, LeaveOutAndMakeErrors) {
  const std::string source = kernel("", "  fmul xi fs\"3\" $lr8v\n");
  const auto with = [&](std::initializer_list<std::string_view> arguments) {
    AssembleOptions options;
    for (const std::string_view argument : arguments) options.warnings.apply(argument);
    return warnings_of(source, options);
  };
  EXPECT_THAT(with({"no-unused"}), IsEmpty());
  EXPECT_THAT(with({"no-all", "unused"}), ElementsAre("13: unused"));
  EXPECT_THAT(with({"error"}), ElementsAre("13: unused!"));
  EXPECT_THAT(with({"no-unused", "error"}), IsEmpty());
  EXPECT_THAT(with({"no-all", "error=unused"}), ElementsAre("13: unused!"));
  EXPECT_THAT(with({"error", "no-error=unused"}), ElementsAre("13: unused"));
  AssembleOptions options;
  options.warnings.apply("error");
  EXPECT_FALSE(assemble(source, "test.vsm", options).program);
}

TEST(WarningOptions, RefuseUnknownNamesWithTheNearest) {
  WarningOptions options;
  try {
    options.apply("no-unsed");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'unsed'"), HasSubstr("did you mean 'unused'?")));
  }
}

TEST(WarningOptions, NamesAreToldInTheText) {
  const AssembleResult result = assemble(kernel("", "  fmul xi fs\"3\" $lr8v\n"), "test.vsm");
  EXPECT_THAT(format_diagnostics(result), HasSubstr("[E0206 -Wunused]"));
  for (std::size_t number = 0; number < kWarnings; ++number) {
    const auto warning = static_cast<Warning>(number);
    EXPECT_EQ(warning_named(name_of(warning)), warning);
    EXPECT_THAT(explain(warning), HasSubstr("# allow " + std::string(name_of(warning))));
  }
}

TEST(ShortRead, IsToldWhereTheOtherElementsAreOld) {
  EXPECT_THAT(warnings_of(kernel("", "  vlen 2 ; fpassa xj $lr0v\n  nop\n")), ElementsAre("15: short-vector"));
  EXPECT_THAT(warnings_of(kernel("", "  fpassa xj $lt\n  vlen 3 ; fpassa xi $lt\n  fadd $lr0v $lt $lr0v\n  nop\n")),
              ElementsAre("15: short-vector"));
}

TEST(ShortRead, IsSilentIfLinesWriteThePartsOfAVector) {
  EXPECT_THAT(warnings_of(kernel("",
                                 "  vlen 2 ; fpassa xj $lr8v\n  vlen 2 ; fpassa xj $lr12v\n  nop\n"
                                 "  fadd $lr0v $lr8v $lr0v\n  nop\n")),
              IsEmpty());
  EXPECT_THAT(warnings_of(kernel("", "  vlen 2 ; fpassa xj $lt\n  vlen 2 ; fadd $lr0v $lti $lr0v\n  nop\n")),
              ElementsAre("16: short-vector"));  // the last line reads all of $lr0v
}

TEST(ShortRead, IsAnErrorWhereTheLineSaysThatTWasWritten) {
  EXPECT_THAT(warnings_of(kernel("", "  vlen 2 ; fpassa xj $lt\n  fadd $lr0v $lti $lr0v\n  nop\n")),
              ElementsAre("14: error!"));
}

TEST(Type, IsToldWhereAnIntegerIsReadAsANumber) {
  EXPECT_THAT(warnings_of(kernel("bvar short nj elt fix64to36\n", "  fmul $lr0v nj $lr0v\n  nop\n")),
              ElementsAre("14: type"));
  EXPECT_THAT(
      warnings_of(kernel("param n : long fix64to72 = 3\n", "  bm n $lr8v\n  nop\n  fadd $lr0v $lr8v $lr0v\n  nop\n")),
      ElementsAre("16: type"));
  EXPECT_THAT(warnings_of(kernel("bvar long nj elt fix64to72\n",
                                 "  upassa nj $lt\n  uadd $lti nj $lt\n  fadd $lr0v $lti $lr0v\n  nop\n")),
              ElementsAre("16: type"));
}

TEST(Type, IsToldOfConstantsThatAreNumbersOfTheOtherKind) {
  EXPECT_THAT(warnings_of(kernel("", "  fmul $lr0v is\"3\" $lr0v\n  nop\n")), ElementsAre("13: type"));
  EXPECT_THAT(warnings_of(kernel("", "  fadd il\"-1\" $lr0v $lr0v\n  nop\n")), ElementsAre("13: type"));
  EXPECT_THAT(warnings_of(kernel("", "  upassa il\"3\" $lt\n  fadd $lti $lr0v $lr0v\n  nop\n")),
              ElementsAre("14: type"));
  EXPECT_THAT(warnings_of(kernel("", "  fmul $lr0v is\"0\" $lr0v\n  nop\n")), IsEmpty());
  EXPECT_THAT(warnings_of(kernel("", "  fmul $lr0v hs\"3ff000000\" $lr0v\n  nop\n")), IsEmpty());
  EXPECT_THAT(warnings_of(kernel("", "  fmul $lr0v fs\"3\" $lr0v\n  nop\n")), IsEmpty());
}

TEST(Type, IsSilentBehindOperationsOnBits) {
  EXPECT_THAT(warnings_of(kernel("bvar long nj elt fix64to72\n",
                                 "  upassa nj $lt\n  uor $lti hl\"433000000000000000\" $lt\n"
                                 "  fadd $lr0v $lti $lr0v\n  nop\n")),
              IsEmpty());
}

TEST(Type, IsToldOfResultsThatTheHostReadsAsOtherNumbers) {
  const auto result = [](std::string_view conversion, std::string_view line) {
    return fmt::format(
        "kernel k\nbvar long nj elt fix64to72\nbvar long xj elt\n"
        "var vector long n rrn {}\nvar vector long s rrn fadd\nloop initialization\n  uxor $lt $lt $lt\n"
        "  upassa $lti n\n  upassa $lt s\nloop body\n  nop\n{}\n  fadd xj s s\n",
        conversion, line);
  };
  EXPECT_THAT(warnings_of(result("fix72to64 uadd", "  uadd nj n n")), IsEmpty());
  EXPECT_THAT(warnings_of(result("flt72to64 fadd", "  uadd nj n n")), ElementsAre("12: type"));
  EXPECT_THAT(warnings_of(result("fix72to64 uadd", "  fadd nj n n")), ElementsAre("12: type", "12: type"));
}

}  // namespace
}  // namespace gdr::assembler::testing
