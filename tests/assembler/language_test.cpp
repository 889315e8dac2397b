// What the language means, feature by feature: source against the lines and the layout that come out.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "gdr/base/error.h"
#include "scratch_directory.h"
#include "testing.h"

namespace gdr::assembler {
namespace {

using testing::assembled;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::printed;

const isa::Variable& variable(const isa::Program& program, std::string_view name) {
  for (const isa::Variable& candidate : program.variables) {
    if (candidate.name == name) return candidate;
  }
  ADD_FAILURE() << "no variable " << name;
  return program.variables.front();
}

TEST(Declarations, PlaceVariablesInOrderOfDeclaration) {
  const isa::Program program = assembled(R"(kernel layout
var vector long xi[3] hlt
var short flagged
var long scalar
var vector short half
var vector long ax rrn flt72to64 fadd in gpr
loop initialization
  uxor ax ax ax
)");
  EXPECT_EQ(variable(program, "xi").address, 0);
  EXPECT_EQ(variable(program, "xi").elements, 3);
  EXPECT_THAT(variable(program, "xi").dimensions, ElementsAre(3));
  EXPECT_EQ(variable(program, "flagged").address, 3 * 8);
  EXPECT_EQ(variable(program, "scalar").address, 3 * 8 + 2) << "a long word has an even address";
  EXPECT_EQ(variable(program, "half").address, 3 * 8 + 4);
  EXPECT_EQ(variable(program, "ax").memory, isa::Memory::gpr);
  EXPECT_EQ(variable(program, "ax").address, 0);
}

TEST(Declarations, StateTransferConversionAndReduction) {
  const isa::Program program = assembled(R"(kernel travel
flops 38
bvar long xj elt
bvar long nj elt flt64to72 uint28
bvar short mj elt fix64to36 uint8
param n : long fix64to72 int16 = 7
var long xi hlt none
var vector short pot rrn flt36to64 fmax
var long count rrn fix72to64 uadd
var long near rrn fix72to64 uint28 umin
var long first rrn flt72to64 select
loop initialization
  uxor pot pot pot
  uxor count count count
  uxor near near near
  uxor first first first
)");
  EXPECT_EQ(program.kernel, "travel");
  EXPECT_EQ(program.flops, 38);
  EXPECT_EQ(variable(program, "xj").conversion, isa::Conversion::FLT64TO72);
  EXPECT_EQ(variable(program, "nj").conversion, isa::Conversion::FLT64TO72);
  EXPECT_EQ(variable(program, "nj").integer, (isa::HostInteger{28, false}));
  EXPECT_EQ(variable(program, "near").reduction, isa::Op::UMIN);
  EXPECT_EQ(variable(program, "near").integer, (isa::HostInteger{28, false}));
  EXPECT_EQ(variable(program, "mj").conversion, isa::Conversion::FIX64TO36);
  EXPECT_EQ(variable(program, "mj").integer, (isa::HostInteger{8, false}));
  EXPECT_EQ(program.parameters.at(0).integer, (isa::HostInteger{16, true}));
  EXPECT_TRUE(variable(program, "xj").integer.is_any());
  EXPECT_EQ(variable(program, "xi").conversion, isa::Conversion::NONE);
  EXPECT_TRUE(variable(program, "xi").vector);
  EXPECT_FALSE(variable(program, "xj").vector);
  EXPECT_EQ(variable(program, "pot").reduction, isa::Op::FMAX);
  EXPECT_EQ(variable(program, "count").reduction, isa::Op::UADD);
  EXPECT_EQ(variable(program, "first").reduction, std::nullopt);
}

TEST(Views, OfShortFieldsAreLongOrScalarOrOfPackedOnes) {
  const isa::Program program = assembled(R"(kernel views
bvar short sj[4] elt
bvar short pj[4] elt packed
bvar vector long wide sj
bvar scalar short one sj
bvar vector short packed_ones pj
loop body
  upassa wide $lt
  upassa one $t
  upassa packed_ones $t
)");
  EXPECT_THAT(printed(program),
              ElementsAre("vlen 4; upassa $lj0v $lt", "vlen 4; upassa $j0 $t", "vlen 4; upassa $j8v $t"));
}

TEST(Diagnostics, HaveALengthOfOneWhereTheLineEnds) {
  for (const char* source : {"kernel k\nloop body\n  fadd $t $t $lr{}v\n", "kernel k\nconst a =\nloop body\n",
                             "kernel k\nconst {}\nloop body\n"}) {
    const AssembleResult result = assemble(source, "k.vsm");
    ASSERT_FALSE(result.diagnostics.empty()) << source;
    EXPECT_EQ(result.diagnostics.front().where.length, 1u) << source;
  }
}

TEST(BroadcastMemory, HoldsTwoRecordsThenParametersThenVariables) {
  const isa::Program program = assembled(R"(kernel layout
bvar long xj[3] elt
bvar short mj elt
bvar short half1 elt packed
bvar short half2 elt packed
bvar long shared
param eps2 : short = 0.25
param scale : long = 2
loop body
  bm eps2 $t
  bm scale $lt
  bm mj $t
  bm half2 $t
)");
  EXPECT_EQ(program.record_words, 5);
  EXPECT_EQ(variable(program, "mj").address, 6);
  EXPECT_EQ(variable(program, "half1").address, 8);
  EXPECT_EQ(variable(program, "half2").address, 9);
  EXPECT_TRUE(variable(program, "half2").packed);
  EXPECT_EQ(program.parameters.at(0).address, 2 * 2 * 5);
  EXPECT_EQ(program.parameters.at(1).address, 2 * 2 * 5 + 2);
  EXPECT_EQ(variable(program, "shared").address, 2 * 2 * 5 + 4);
  EXPECT_THAT(printed(program),
              ElementsAre("vlen 4; bm $b20 $t", "vlen 4; bm $lb22 $lt", "vlen 4; bm $j6 $t", "vlen 4; bm $j9 $t"));
}

TEST(Names, StandForVectorsElementsAndEntries) {
  const isa::Program program = assembled(R"(kernel names
var vector long x hlt
var vector long m[2][3] hlt
bvar long xj[3] elt
bvar long vxj xj
bvar scalar long yj xj
reg dx $r8v
reg total $lr40v
loop body
  fpassa x dx
  fpassa x[2] dx[1]
  fpassa m[1][2] total
  fpassa m[1][2][3] total[3]
  vlen 3
  bm vxj $lr0v
  bm vxj[2] $lr0
  bm yj $lr2
  bm xj[1] $lr4
)");
  EXPECT_THAT(printed(program),
              ElementsAre("vlen 4; fpassa $lm0v $r8v", "vlen 4; fpassa $lm4 $r9", "vlen 4; fpassa $lm48v $lr40v",
                          "vlen 4; fpassa $lm54 $lr46", "vlen 3; bm $lj0v $lr0v", "vlen 3; bm $lj4 $lr0",
                          "vlen 3; bm $lj0 $lr2", "vlen 3; bm $lj2 $lr4"));
}

TEST(Lines, SteerUnitsSideBySideInAnyOrder) {
  const std::string head = "kernel lines\nvar vector long x hlt\nloop body\n  upassa $peid $lt $lr0v\n  nop\n";
  const isa::Program two = assembled(head + "  fadd x $lt $lr8v ; uasr $lr0v $lr0v $lm8v ; fmul x fs\"0.5\" $lt\n");
  const isa::Program three = assembled(head + "  fmul x fs\"0.5\" $lt ; uasr $lr0v $lr0v $lm8v ; fadd x $lt $lr8v\n");
  EXPECT_EQ(two.sections, three.sections);
  EXPECT_THAT(printed(two).back(),
              "vlen 4; fadd $lm0v $lt $lr8v; fmul $lm0v hs\"3fe000000\" $lt; uasr $lr0v $lr0v $lm8v");
}

TEST(Lines, ShareAPortForOneWord) {
  const isa::Program program = assembled(R"(kernel ports
var vector long x hlt
bvar long xj elt
loop initialization
  uxor $lr0v $lr0v $lr0v
  nop
loop body
  fadd x $lr0v $lr8v ; fmul x $r0v $lt ; upassa x $lm64v
  fsub xj x $lt ; fmul xj $r0v $lr16v ; bm xj $lm64v
)");
  const isa::Line first = isa::decoded(program.lines(isa::Section::loop_body)[0].word);
  EXPECT_EQ(first.adder.a, isa::Source::lm);
  EXPECT_EQ(first.multiplier.a, isa::Source::lm);
  EXPECT_EQ(first.alu.a, isa::Source::lm);
  EXPECT_NE(first.gpr_a, first.gpr_b) << "the same address as short and as long word are two reads";
  const isa::Line second = *isa::decode(program.lines(isa::Section::loop_body)[1].word).line;
  EXPECT_EQ(second.adder.a, isa::Source::bm);
  EXPECT_EQ(second.multiplier.a, isa::Source::bm);
  EXPECT_EQ(second.lm_write.source, isa::Unit::bm);
}

TEST(Sequencer, StateHoldsForTheSectionAndAlongsideOperationsForTheLine) {
  const isa::Program program = assembled(R"(kernel sequencer
loop initialization
  vlen 2
  upassa $peid $lt
  vlen 3 ; mask 0
  upassa $peid $lt
loop body
  upassa $peid $lt
  upassa $peid $lt $ok2 ; vlen 1
  upassa $peid $lt $ok2
  nop
  mask !2
  upassa $peid $lt
  mask 0 ; upassa $peid $lt ; vlen 3
  upassa $peid $lt
)");
  EXPECT_THAT(printed(program, isa::Section::loop_initialization),
              ElementsAre("vlen 2; upassa $peid $lt", "vlen 3; upassa $peid $lt"));
  EXPECT_THAT(printed(program),
              ElementsAre("vlen 4; upassa $peid $lt", "vlen 1; upassa $peid $lt $ok2", "vlen 4; upassa $peid $lt $ok2",
                          "vlen 4; nop", "vlen 4; mask !2; upassa $peid $lt", "vlen 3; upassa $peid $lt",
                          "vlen 4; mask !2; upassa $peid $lt"));
}

TEST(Destinations, TakePredicatesFlagsAndConditions) {
  const isa::Program program = assembled(R"(kernel predicates
loop initialization
  usub $peid $peid $lt $ok1
  usub $lt $lt $ok2.z
  nop
  usub $lt $lt $lt/j $lr0v/1 $lm0v/!2/j $ok3.c/2
  fsub $lt $lt $lok4
)");
  EXPECT_THAT(printed(program, isa::Section::loop_initialization),
              ElementsAre("vlen 4; usub $peid $peid $lt $ok1", "vlen 4; usub $lt $lt $lok2.z", "vlen 4; nop",
                          "vlen 4; usub $lt $lt $lt/j $lr0v/1 $lm0v/!2/j $ok3.c/2", "vlen 4; fsub $lt $lt $lok4"));
}

TEST(Results, AreWrittenUnderJvalidInTheLoopBodyAlone) {
  const isa::Program program = assembled(R"(kernel results
var vector long ax rrn
var vector long bx
loop initialization
  uxor $lt $lt $lt
  upassa $lt ax
  upassa $lt bx
  nop
loop body
  fadd ax f"1" ax
  fadd bx f"1" bx
  upassa $lt $lm4
  nop
loop termination
  upassa $lt ax
)");
  EXPECT_THAT(printed(program),
              ElementsAre(HasSubstr("$lm0v/j"), HasSubstr("$lm8v"), HasSubstr("$lm4/j"), "vlen 4; nop"));
  EXPECT_THAT(printed(program)[1], ::testing::Not(HasSubstr("/j")));
  EXPECT_THAT(printed(program, isa::Section::loop_termination), ElementsAre("vlen 4; upassa $lt $lm0v"));
}

TEST(LocalMemory, IsReadAndWrittenThroughT) {
  const isa::Program program = assembled(R"(kernel indirect
var vector long table[4] hlt
loop body
  upassa is"2" $t
  fpassa $lmt0 $lr0v
  upassa $t $mt33v
)");
  EXPECT_THAT(printed(program), ElementsAre("vlen 4; upassa hs\"000000002\" $t", "vlen 4; fpassa $lmt0 $lr0v",
                                            "vlen 4; upassa $t $mt33v"));
}

TEST(BroadcastMemory, IsLoadedByAllOrOnePeAndStoredByOne) {
  const isa::Program program = assembled(R"(kernel moves
bvar vector long shared
loop initialization
  upassa $peid $lt $lr0v
  nop
  bm $lr0v shared @7
  bm $peid $b30 @31
  bm shared $lt $lr8v @3
)");
  EXPECT_THAT(printed(program, isa::Section::loop_initialization),
              ElementsAre("vlen 4; upassa $peid $lt $lr0v", "vlen 4; nop", "vlen 4; bm $lr0v $lb0v @7",
                          "vlen 4; bm $peid $b30 @31", "vlen 4; bm $lb0v $lt $lr8v @3"));
}

/// The word that an immediate becomes.
std::string immediate(const std::string& text, const AssembleOptions& options = {}) {
  const bool is_short = text.starts_with("is") || text.starts_with("hs") || text.starts_with("fs");
  const isa::Program program =
      assembled("kernel immediates\nloop body\n  upassa " + text + (is_short ? " $t\n" : " $lt\n"), options);
  const isa::Line line = *isa::decode(program.lines(isa::Section::loop_body).at(0).word).line;
  return is_short ? isa::to_hex(line.immediate.value.upper()) : isa::to_hex(line.immediate.value);
}

TEST(Immediates, OfWholeNumbersAreTwosComplement) {
  EXPECT_EQ(immediate("il\"42\""), "00000000000000002a");
  EXPECT_EQ(immediate("il\"-1\""), "ffffffffffffffffff");
  EXPECT_EQ(immediate("il\"0xfedcba9876543210ff\""), "fedcba9876543210ff");
  EXPECT_EQ(immediate("il\"-2361183241434822606848\""), "800000000000000000");
  EXPECT_EQ(immediate("il\"4722366482869645213695\""), "ffffffffffffffffff");
  EXPECT_EQ(immediate("is\"-1\""), "fffffffff");
  EXPECT_EQ(immediate("is\"0x5\""), "000000005");
  EXPECT_EQ(immediate("hl\"3ff000000000000001\""), "3ff000000000000001");
  EXPECT_EQ(immediate("hs\"3ff000000\""), "3ff000000");
}

TEST(Immediates, OfTheOriginalSetTheLowerHalfAlone) {
  AssembleOptions options;
  options.compat_il = true;
  EXPECT_EQ(immediate("il\"-1\"", options), "000000000fffffffff");
  EXPECT_EQ(immediate("il\"42\"", options), "00000000000000002a");
  EXPECT_EQ(immediate("is\"-1\"", options), "fffffffff");
}

TEST(Immediates, OfDecimalNumbersAreTheNearestDoubleThenRoundedToNearestEven) {
  EXPECT_EQ(immediate("f\"1.5\""), "3ff800000000000000");
  EXPECT_EQ(immediate("f\"-0.1\""), "bfb999999999999a00");
  EXPECT_EQ(immediate("f\"-0\""), "000000000000000000");
  EXPECT_EQ(immediate("f\"inf\""), "7ff000000000000000");
  // 1 + 2^-25 lies between two short words: the even one. 1 + 3 x 2^-25 goes up, and so does anything above a tie.
  EXPECT_EQ(immediate("fs\"1.0000000298023224\""), "3ff000000");
  EXPECT_EQ(immediate("fs\"1.0000000894069671\""), "3ff000002");
  EXPECT_EQ(immediate("fs\"1.0000000298023226\""), "3ff000001");
  EXPECT_EQ(immediate("fs\"1.99999999999\""), "400000000") << "the carry steps the exponent";
  // The numbers that would become 0 or infinity.
  for (const char* beyond : {"upassa f\"1e-310\" $lt", "upassa fs\"1.7976931348623157e308\" $t"}) {
    const AssembleResult result = assemble("kernel k\nloop body\n  " + std::string(beyond) + "\n", "k.vsm");
    ASSERT_EQ(result.diagnostics.size(), 1u) << beyond;
    EXPECT_EQ(result.diagnostics.front().number, 147u) << beyond;
  }
}

TEST(Repeat, NestsAndSubstitutesItsIndex) {
  const isa::Program program = assembled(R"(kernel loops
const rows = 2
var vector long x[2][3] hlt
loop body
  repeat i = 0..rows-1
    repeat j = 1..2
      fpassa x[i][j] $lr{8 * i + (j - 1) * 16}v
    end
    upassa il"{10 * i + 5 % 3}" $lt
  end
  repeat k = 3..2
    nop
  end
)");
  EXPECT_THAT(printed(program),
              ElementsAre("vlen 4; fpassa $lm8v $lr0v", "vlen 4; fpassa $lm16v $lr16v",
                          "vlen 4; upassa hl\"000000000000000002\" $lt", "vlen 4; fpassa $lm32v $lr8v",
                          "vlen 4; fpassa $lm40v $lr24v", "vlen 4; upassa hl\"00000000000000000c\" $lt"));
}

TEST(Macros, PutTheirArgumentsInPlaceOfTheirParameters) {
  const isa::Program program = assembled(R"(kernel macros
var vector long x hlt
macro double value to count
  repeat i = 1..count
    fadd value value to
  end
end
macro twice register
  double x $l{register} 2
end
macro clear r
  uxor $lr{r}v $lr{r}v $lr{r}v
end
loop body
  twice r8v
  clear 16
)");
  EXPECT_THAT(printed(program), ElementsAre("vlen 4; fadd $lm0v $lm0v $lr8v", "vlen 4; fadd $lm0v $lm0v $lr8v",
                                            "vlen 4; uxor $lr16v $lr16v $lr16v"));
}

TEST(Conditions, ChooseLinesWhileAssembling) {
  const std::string source = R"(kernel choice
const n = 2
loop body
  if n >= 2 && !(n == 5)
    upassa il"1" $lt
  else
    upassa il"2" $lt
  end
  if n == 5 || n < 0
    upassa il"3" $lt
  end
)";
  EXPECT_THAT(printed(assembled(source)), ElementsAre(HasSubstr("01\"")));
  AssembleOptions options;
  options.definitions["n"] = "5";
  EXPECT_THAT(printed(assembled(source, options)), ElementsAre(HasSubstr("02\""), HasSubstr("03\"")));
}

TEST(Definitions, OverrideTheDefaultsOfParameters) {
  AssembleOptions options;
  options.definitions["eps2"] = "1e-4";
  const isa::Program program = assembled("kernel p\nparam eps2 : short = 0.01\nloop body\n  bm eps2 $t\n", options);
  EXPECT_EQ(program.parameters.at(0).default_value, 1e-4);
  options.definitions["eps2"] = "none";
  EXPECT_THAT(
      testing::numbers_of(assemble("kernel p\nparam eps2 : short = 0.01\nloop body\n  bm eps2 $t\n", "p", options)),
      ElementsAre(126u));
}

TEST(Definitions, ThatAreUnusedOrUnusableAreRefusedByTheirName) {
  const auto told = [](const std::string& name, const std::string& value) {
    AssembleOptions options;
    options.definitions[name] = value;
    const AssembleResult result =
        assemble("kernel p\nconst n = 2\nparam eps : long = 0\nloop body\n  vlen n; bm eps $lt\n", "p", options);
    EXPECT_LE(result.diagnostics.size(), 1u) << format_diagnostics(result);
    return result.diagnostics.empty() ? "" : result.diagnostics.front().message;
  };
  EXPECT_EQ(told("n", "3"), "");
  EXPECT_EQ(told("eps", "0.5"), "");
  EXPECT_EQ(told("esp", "1"), "-D esp=1: the source never uses 'esp'; did you mean 'eps'?");
  EXPECT_THAT(told("n", "abc"), HasSubstr("-D n=abc: 'abc' is no whole number"));
  EXPECT_THAT(told("eps", "abc"), HasSubstr("-D eps=abc: 'abc' is no finite number"));
}

TEST(Diagnostics, BeyondAHundredErrorsAreCounted) {
  std::string source = "kernel many\nloop body\n";
  for (int line = 0; line < 130; ++line) source += "  wrong\n";
  const std::string shown = format_diagnostics(assemble(source, "many.vsm"));
  EXPECT_THAT(shown, HasSubstr("many.vsm:102:"));
  EXPECT_THAT(shown, ::testing::Not(HasSubstr("many.vsm:103:")));
  EXPECT_THAT(shown, ::testing::EndsWith("\n30 more errors are not shown\n"));
}

TEST(Diagnostics, ShowOfALongLineWhatStandsAroundTheCaret) {
  const std::string blanks(400, ' ');
  const std::string shown =
      format_diagnostics(assemble("kernel k\nloop body\n" + blanks + "wrong" + blanks + "; nop\n", "k.vsm"));
  const std::size_t line = shown.find('\n') + 1;
  const std::size_t caret_line = shown.find('\n', line) + 1;
  EXPECT_LE(caret_line - line, 180u);
  const std::size_t caret = shown.find('^', caret_line);
  ASSERT_NE(caret, std::string::npos);
  EXPECT_EQ(shown.substr(line + (caret - caret_line), 5), "wrong") << shown;
}

TEST(Expressions, BindAsInC) {
  const auto takes_then_branch = [](std::string_view condition) {
    const std::string text =
        fmt::format("kernel k\nloop body\nif {}\n  upassa il\"1\" $lt\nelse\n  upassa il\"0\" $lt\nend\n", condition);
    return isa::decoded(assembled(text).lines(isa::Section::loop_body).at(0).word).immediate.value.low == 1;
  };
  EXPECT_TRUE(takes_then_branch("1 || 0 && 0"));
  EXPECT_TRUE(takes_then_branch("0 && 0 || 1"));
  EXPECT_FALSE(takes_then_branch("(1 || 0) && 0"));
  EXPECT_TRUE(takes_then_branch("1 || 1 && 0 || 0"));
  EXPECT_TRUE(takes_then_branch("1 + 2 * 3 == 7 && !(1 > 2)"));
}

TEST(Include, OfAFileInItselfIsReportedOnce) {
  const tests::ScratchDirectory scratch;
  const std::filesystem::path directory = scratch / "cycle";
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "a.vsm") << "kernel k\ninclude \"b.vsm\"\nloop body\n  nop\n";
  std::ofstream(directory / "b.vsm") << "include \"../cycle/a.vsm\"\n";
  const AssembleResult result = assemble_file(directory / "a.vsm");
  EXPECT_THAT(testing::numbers_of(result), ElementsAre(109u));
  EXPECT_THAT(result.diagnostics.front().message, HasSubstr("includes itself"));
}

TEST(Include, ReadsFilesWhosePathsHaveLettersOfOtherAlphabets) {
  const tests::ScratchDirectory scratch;
  const std::filesystem::path folder = scratch.path() / "\xc3\xbc \xe6\xbc\xa2";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "m.vsm") << "macro one\n  nop\nend\n";
  const auto told = [&](const std::string& name) {
    std::ofstream(scratch.path() / "main.vsm") << "kernel k\ninclude \"" << name << "\"\nloop body\n  one\n";
    return testing::numbers_of(assemble_file(scratch.path() / "main.vsm"));
  };
  EXPECT_THAT(told("\xc3\xbc \xe6\xbc\xa2/m.vsm"), ::testing::IsEmpty());
  for (const char* broken : {"\xc3/m.vsm", "\xc0\xaf", "\xed\xa0\x80", "\xf8\x88\x80\x80", "\x80"}) {
    EXPECT_THAT(told(broken), ::testing::Contains(101u)) << broken;
  }
}

TEST(Include, ReadsDeclarationsConstantsAndMacrosOfAnotherFile) {
  const tests::ScratchDirectory scratch;
  const std::filesystem::path& directory = scratch.path();
  std::ofstream(directory / "common.vsm") << "const n = 3\nmacro one\n  upassa il\"{n}\" $lt\nend\n";
  std::ofstream(directory / "main.vsm") << "kernel k\ninclude \"common.vsm\"\nloop body\n  one\n  fadd $rx\n";
  std::ofstream(directory / "self.vsm") << "include \"self.vsm\"\n";
  const AssembleResult result = assemble_file(directory / "main.vsm");
  EXPECT_THAT(testing::numbers_of(result), ElementsAre(101u));
  ASSERT_EQ(result.files.size(), 2u);
  EXPECT_THAT(result.files[1].text, HasSubstr("macro one"));
  EXPECT_THAT(testing::numbers_of(assemble_file(directory / "self.vsm")), ::testing::Contains(109u));
  EXPECT_THROW(static_cast<void>(assemble_file(directory / "none.vsm")), Error);
}

TEST(Registers, OfOtherSpellingsAndOperationsAreAccepted) {
  const isa::Program program =
      assembled("kernel spelling\nvar vector long x hlt\nloop body\n  fpass x $lt\n  upass $lt $lt\n");
  EXPECT_THAT(printed(program), ElementsAre("vlen 4; fpassa $lm0v $lt", "vlen 4; upassa $lt $lt"));
}

TEST(LineTable, NamesFileLineAndColumn) {
  const isa::Program program = assembled("kernel t\nloop body\n\n  # comment\n   nop # and another\n");
  EXPECT_EQ(program.lines(isa::Section::loop_body).at(0).position, (isa::SourcePosition{0, 5, 4}));
  EXPECT_THAT(program.files, ElementsAre("test.vsm"));
}

TEST(Hazards, EndWhenEnoughLinesStandBetween) {
  const isa::Program program = assembled(R"(kernel enough
loop initialization
  uxor $lr0v $lr0v $lr0v
  nop
loop body
  fadd $lr0v f"1" $lr0v
  nop
loop termination
  fpassa $lr0v $lt
)");
  EXPECT_EQ(program.lines(isa::Section::loop_body).size(), 2u);
}

TEST(Hazards, SpareTheOldValueOfTheSameLineAndOtherWords) {
  EXPECT_THAT(testing::numbers_of(assemble(R"(kernel other
loop initialization
  uxor $lr0v $lr0v $lr0v
  nop
loop body
  upassa $lr0 $lr0
  upassa $lr2 $lr2
  vlen 2
  upassa $peid $lr8v
  upassa $lr4v $lr4v
  vlen 4
)",
                                           "other.vsm")),
              IsEmpty());
}

TEST(Language, TextOfTwoBytesALetterIsToldOnce) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {"\xff\xfek\0e\0r\0n\0e\0l\0\n\0n\0"sv, "\xfe\xff\0k\0\n\0n"sv}) {
    const AssembleResult result = assemble(text, "two.vsm");
    ASSERT_EQ(result.diagnostics.size(), 1u) << format_diagnostics(result);
    EXPECT_EQ(result.diagnostics[0].message, "the file begins with a UTF-16 byte order mark; save it as UTF-8");
  }
}

TEST(Language, TakesAByteOrderMarkAtTheBeginOfAFile) {
  const std::string source = "kernel k\nloop body\n  fadd $lt f\"1\" $lr8v ; nope\n";
  const AssembleResult marked = assemble("\xef\xbb\xbf" + source, "test.vsm");
  const AssembleResult plain = assemble(source, "test.vsm");
  ASSERT_EQ(marked.diagnostics.size(), plain.diagnostics.size());
  EXPECT_EQ(marked.diagnostics.front().where.column, plain.diagnostics.front().where.column);
}

TEST(Language, WritesAResultWhateverJvalidSaysWithAlways) {
  const auto body_of = [](const std::string& destination) {
    const AssembleResult result = assemble(
        "kernel k\nbvar long xj elt\nvar vector long sum rrn\nloop initialization\n"
        "  uxor $lt $lt $lt $ok1\n  upassa $lti sum\nloop body\n  nop\n  fadd sum xj " +
            destination + "\n",
        "test.vsm");
    EXPECT_TRUE(result.program) << format_diagnostics(result);
    return isa::decoded(result.program->lines(isa::Section::loop_body)[1].word).lm_write.predicate;
  };
  EXPECT_TRUE(body_of("sum").jvalid);
  EXPECT_FALSE(body_of("sum/always").jvalid);
  EXPECT_FALSE(body_of("sum/1/always").jvalid);
  EXPECT_EQ(body_of("sum/!1/always").flag, 1);
}

}  // namespace
}  // namespace gdr::assembler
