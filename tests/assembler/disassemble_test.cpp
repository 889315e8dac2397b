// Source from a program assembles to the same program; the listing and the stubs say what the program is.
#include "gdr/assembler/disassemble.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>

#include "gdr/assembler/listing.h"
#include "gdr/assembler/stubs.h"
#include "gdr/base/file.h"
#include "testing.h"

namespace gdr::assembler {
namespace {

using testing::assembled;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kSource = R"(kernel sample
flops 4.5
bvar long xj[3] elt
bvar long vxj xj
bvar short mj elt
bvar short tag elt fix64to36 uint12 packed
bvar vector long shared
param eps2 : short = 1e-05
param steps : long fix64to72 int20 = -3
var vector long xi[2][3] hlt
var vector short id hlt fix64to36 int16
var vector long ax rrn flt72to64 fadd
var vector long n rrn fix72to64 umax
var vector short pot rrn flt36to64 in gpr
var long alone
reg dx $r8v
initialization
  upassa $peid $lr60
loop initialization
  uxor $lt $lt $lt
  upassa $lt ax
  upassa $lt n
  uxor pot pot pot
  bm eps2 $r20v
  bm $lt shared @4
loop body
  vlen 3
  bm vxj $lr32v
  vlen 4
  fmulh xi[1][2] xi[1][2]
  fmull xi[1][2] xi[1][2] $lt
  fsub xj[1] $lti dx $t ; umax n n n ; mask 0
  fmul $ti $ti $lr24v $ok2.z
  fadd ax -$t ax
  mask !2
  fadd pot $r20v pot/2
loop termination
  fpassa ax $lt
)";

/// Without what disassembly cannot know.
isa::Program without_positions(isa::Program program) {
  program.files.clear();
  program.aliases.clear();
  program.moved.clear();
  program.origins.clear();
  program.expanded.clear();
  for (isa::Variable& variable : program.variables) variable.position = {};
  for (isa::Parameter& parameter : program.parameters) parameter.position = {};
  for (auto& section : program.sections) {
    for (isa::Step& step : section) std::visit([](auto& kind) { kind.position = {}; }, step);
  }
  return program;
}

TEST(Disassembly, AssemblesToTheSameProgram) {
  const isa::Program program = assembled(kSource);
  EXPECT_EQ(without_positions(assembled(disassemble(program))), without_positions(program)) << disassemble(program);
}

TEST(Disassembly, OfEveryShippedKernelAssemblesToTheSameProgram) {
  for (const auto& entry : std::filesystem::directory_iterator(GDR_KERNELS_DIR)) {
    if (entry.path().extension() != ".vsm") continue;
    AssembleOptions options;
    options.include_directories = {GDR_KERNELS_DIR};
    const isa::Program program = assembled(base::read_file(entry.path()), options);
    EXPECT_EQ(without_positions(assembled(disassemble(program))), without_positions(program)) << entry.path();
  }
}

/// What is assembled anew has the same words, and nothing is said of it.
void expect_clean_round_trip(const isa::Program& program) {
  const std::string source = disassemble_with_names(program);
  const AssembleResult again = assemble(source, "again.vsm");
  ASSERT_TRUE(again.program) << format_diagnostics(again) << source;
  EXPECT_TRUE(again.diagnostics.empty()) << format_diagnostics(again) << source;
  EXPECT_EQ(without_positions(*again.program), without_positions(program)) << source;
}

TEST(Disassembly, NamesVariablesInPlaceOfTheirRegisters) {
  const isa::Program program = assembled(kSource);
  const std::string source = disassemble_with_names(program);
  for (const char* line :
       {"; fmulh xi[1][2] xi[1][2]\n", "; fadd ax -$t ax/j\n", "; fadd pot $r20v pot/2/j\n", "umax n n n/j"}) {
    EXPECT_THAT(source, HasSubstr(line));
  }
  expect_clean_round_trip(program);
  const isa::Program elements = assembled(
      "kernel k\nvar vector long x[2] hlt\nvar vector short y rrn flt36to64 in gpr\nvar long alone\n"
      "loop initialization\n  uxor $lt $lt $lt\n  upassa $ti y\nloop body\n"
      "  vlen 1 ; upassa x[1][3] alone\n  nop\n  vlen 1 ; fpassa alone y[2]\n");
  EXPECT_THAT(disassemble_with_names(elements), HasSubstr("upassa x[1][3] alone\n"));
  EXPECT_THAT(disassemble_with_names(elements), HasSubstr("fpassa alone y[2]/j\n"));
  expect_clean_round_trip(elements);
}

TEST(Disassembly, OfEveryShippedKernelIsSilentHoweverItIsPacked) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(GDR_KERNELS_DIR)) {
    if (entry.path().extension() != ".vsm" || entry.path().parent_path().filename() == "macros") continue;
    for (const ScheduleLevel level : {ScheduleLevel::none, ScheduleLevel::list, ScheduleLevel::full}) {
      AssembleOptions options;
      options.schedule = {level, 1, 0.05};
      const AssembleResult result = assemble_file(entry.path(), options);
      ASSERT_TRUE(result.program) << format_diagnostics(result);
      expect_clean_round_trip(*result.program);
    }
  }
}

/// Transfers and collects in sections with lines and without, before, between and behind them.
constexpr std::string_view kMoves = R"(kernel moves
bvar long bj[2] elt
bvar vector long c[2] rrn
bvar vector long d rrn
loop initialization
  transfer
loop body
  collect c[1] not_first
  bm bj[1] $lr0v
  nop
  bm $lr0v c[0] @3
  transfer
  nop
  collect c[0]
  bm $lr0v c[1] @3
  bm $lr0v d @4
  nop
  collect c
loop termination
  collect d
)";

TEST(Disassembly, KeepsTransfersAndCollectsInTheirPlaces) {
  const isa::Program program = assembled(kMoves);
  EXPECT_EQ(without_positions(assembled(disassemble(program))), without_positions(program)) << disassemble(program);
}

TEST(Listing, ShowsTransfersAndCollectsOfSectionsWithoutLines) {
  const std::string text = listing(assembled(kMoves));
  EXPECT_THAT(text, HasSubstr("\nloop initialization\n            0  transfer\n"));
  EXPECT_THAT(text, HasSubstr("\nloop termination\n            0  collect 4 words of d\n"));
  EXPECT_THAT(text, HasSubstr("            0  collect 4 words of c, not in the first iteration\n"));
}

TEST(Listing, ShowsSourceWordClockUnitsAndLayout) {
  const AssembleResult result = assemble(kSource, "sample.vsm");
  ASSERT_TRUE(result.program);
  const std::string text = listing(*result.program, result.files);
  EXPECT_THAT(text, HasSubstr("sample.vsm:31: fmull xi[1][2] xi[1][2] $lt\n"));
  EXPECT_THAT(text, HasSubstr("     2      8  aM..  "));
  EXPECT_THAT(text, HasSubstr("     0      0  ...r  "));
  EXPECT_THAT(text, HasSubstr("elt flt64to72"));
  EXPECT_THAT(text, HasSubstr("j-record: 5 long words"));
}

TEST(Listing, NamesTheBoundOfTheLoopAndThePeakItImplies) {
  const std::string record = "kernel k\nflops 2\nbvar long xj[4] elt\nloop body\n  bm xj[0] $lt\n";
  // 16 blocks x 4 words are 64 clocks; 2 flops x 2,048 elements / 64 clocks are 64 per clock.
  EXPECT_THAT(listing(assembled(record)),
              HasSubstr("clocks per iteration: 64, bound by idp (lines 4, idp 64, bm 5, odp 0)"));
  EXPECT_THAT(listing(assembled(record)),
              HasSubstr("peak: 64 flops per clock and chip; 102.4 Gflops with 4 chips at 400 MHz"));
  std::string lines = record;
  for (int line = 0; line < 20; ++line) lines += "  nop\n";
  EXPECT_THAT(listing(assembled(lines)), HasSubstr("clocks per iteration: 84, bound by lines"));
}

TEST(Listing, WithoutSourcesShowsTheDisassembly) {
  EXPECT_THAT(listing(assembled(kSource)), HasSubstr("vlen 3; bm $lj0v $lr32v\n"));
}

TEST(Stubs, DeclareOneFieldPerVariableInOrderOfDeclaration) {
  const Stubs stubs = generate_stubs(assembled(kSource));
  EXPECT_THAT(stubs.header, HasSubstr("typedef struct sample_i_particle {\n  double xi[2][3];\n  int64_t id;\n}"));
  EXPECT_THAT(stubs.header,
              HasSubstr("typedef struct sample_j_particle {\n  double xj[3];\n  double mj;\n  int64_t tag;\n}"));
  EXPECT_THAT(stubs.header, HasSubstr("typedef struct sample_result {\n  double ax;\n  int64_t n;\n  double pot;\n}"));
  for (const char* prototype :
       {"int sample_grape_init(void);", "int sample_send_i_particle(const sample_i_particle* records, int n);",
        "int sample_send_elt_data0(const sample_j_particle* records, int first, int n);",
        "int sample_set_eps2(double value);", "int sample_set_steps(double value);", "int sample_grape_run(int nj);",
        "int sample_grape_start(int nj);", "int sample_grape_wait(void);",
        "int sample_get_result(sample_result* records, int n);", "int sample_grape_close(void);",
        "const char* sample_strerror(int status);"}) {
    EXPECT_THAT(stubs.header, HasSubstr(prototype));
  }
  EXPECT_THAT(stubs.fortran, HasSubstr("real(c_double) :: xi(3, 2)"));
}

TEST(Stubs, OfFortranHaveLinesOfTheLengthThatItReads) {
  const std::string name(111, 'k');
  const Stubs stubs = generate_stubs(assembled("kernel " + name + "\nvar vector long x hlt\nloop body\n  nop\n"));
  std::istringstream lines(stubs.fortran);
  std::string joined;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 132u) << line;
    // A name that is cut goes on behind the second `&`.
    const std::size_t first = line.find_first_not_of(' ');
    const bool goes_on = first != std::string::npos && line[first] == '&';
    if (goes_on) {
      EXPECT_TRUE(joined.ends_with("&\n")) << line;
      joined.resize(joined.size() - 2);
    }
    joined += (goes_on ? line.substr(first + 1) : line) + "\n";
  }
  EXPECT_THAT(joined, HasSubstr("        bind(c, name=\"" + name + "_grape_init\") result(status)\n"));
}

TEST(Stubs, OfAKernelWithoutJDataHaveNoFunctionForIt) {
  const Stubs stubs = generate_stubs(assembled("kernel lonely\nvar vector long x hlt\nloop body\n  nop\n"));
  EXPECT_THAT(stubs.header, Not(HasSubstr("elt_data")));
  EXPECT_THAT(stubs.header, Not(HasSubstr("get_result")));
  EXPECT_THAT(stubs.header, HasSubstr("send_i_particle"));
}

TEST(Stubs, MendNamesThatTheLanguagesKeepForThemselves) {
  const Stubs stubs = generate_stubs(assembled(
      "kernel k\nvar vector long double hlt\nvar vector long X hlt\nvar vector long x hlt\nloop body\n  nop\n"));
  EXPECT_THAT(stubs.header, HasSubstr("double double_;"));
  EXPECT_THAT(stubs.fortran, HasSubstr(":: x\n"));
  EXPECT_THAT(stubs.fortran, HasSubstr(":: x_2\n"));
}

TEST(Stubs, MendNamesSoThatNoTwoBecomeOne) {
  const Stubs stubs = generate_stubs(
      assembled("kernel k\nvar vector long double_ hlt\nvar vector long double hlt\nvar vector long double__ hlt\n"
                "var vector long doubles_ hlt\nloop body\n  nop\n"));
  for (const char* field : {"double double__;\n", "double double_;\n", "double double___;\n", "double doubles_;\n"}) {
    EXPECT_THAT(stubs.header, HasSubstr(field));
  }
}

TEST(Stubs, OfAKernelThatMovesItsDataRunTurnsAndGiveWords) {
  const Stubs stubs = generate_stubs(assembled(kMoves));
  for (const char* prototype : {"_type2_run(int turns);", "_type2_start(int turns);", "_type2_wait(void);",
                                "_get_words(double* words, int n);", "_grape_close(void);"}) {
    EXPECT_THAT(stubs.header, HasSubstr(prototype));
  }
  for (const char* of_type_one : {"_grape_run", "_grape_start", "_grape_wait", "_get_result", "_result {"}) {
    EXPECT_THAT(stubs.header, Not(HasSubstr(of_type_one)));
  }
  EXPECT_THAT(stubs.fortran, HasSubstr("real(c_double), dimension(*), intent(inout) :: words"));
  EXPECT_THAT(stubs.header, Not(HasSubstr("get_integers")));
}

TEST(Stubs, OfIntegersThatAreCollectedGiveIntegers) {
  const auto stubs_of = [](const std::string& results, const std::string& collects) {
    return generate_stubs(assembled("kernel k\nvar vector long x hlt\n" + results +
                                    "loop body\n  upassa x $lr0v\n  nop\n  bm $lr0v whole @0\n"
                                    "  bm $lr0v real @0\n  nop\nloop termination\n" +
                                    collects));
  };
  const std::string whole = "bvar vector long whole rrn fix72to64 uadd\n";
  const Stubs integers =
      stubs_of(whole + "bvar vector long real rrn fix72to64\n", "  collect whole\n  collect real block each\n");
  EXPECT_THAT(integers.header, HasSubstr("_get_words(int64_t* words, int n);"));
  EXPECT_THAT(integers.fortran, HasSubstr("integer(c_int64_t), dimension(*), intent(inout) :: words"));
  EXPECT_THAT(integers.header, Not(HasSubstr("double* words")));
  const Stubs both = stubs_of(whole + "bvar vector long real rrn flt72to64\n", "  collect whole\n  collect real\n");
  EXPECT_THAT(both.header, HasSubstr("_get_words(double* words, int n);"));
  EXPECT_THAT(both.header, HasSubstr("_get_integers(int64_t* words, int n);"));
}

TEST(Disassembly, NamesBlocksThatStayApart) {
  const std::string source =
      "kernel apart\nvar vector long x hlt flt64to72\nbvar vector long a[2] rrn flt72to64\n"
      "bvar vector long b rrn flt72to64 select 9\nloop initialization\n  vlen 4; fpassa $lm0v $lr0v\n  nop\n"
      "  vlen 4; bm $lr0v $lb0v @0\n  vlen 4; bm $lr0v $lb8v @1\n  vlen 4; bm $lr0v $lb16v @2\n  nop\n"
      "loop body\n  nop\n  collect b\n  collect a[0] block 15 not_first\nloop termination\n  collect b\n  collect a "
      "block each\n";
  const isa::Program program = assembled(source);
  const std::string text = disassemble(program);
  EXPECT_THAT(text, HasSubstr("bvar vector long b rrn flt72to64 select 9\n"));
  EXPECT_THAT(text, HasSubstr("  collect a[0] block 15 not_first\n"));
  EXPECT_THAT(text, HasSubstr("  collect a block each\n"));
  EXPECT_EQ(disassemble(assembled(text)), text);
}

TEST(Stubs, GiveFortranNamesThatItTakes) {
  const Stubs stubs = generate_stubs(assembled("kernel k\nvar vector long _x hlt none\nloop body\n  nop\n"));
  EXPECT_THAT(stubs.header, HasSubstr("int64_t _x;"));
  EXPECT_THAT(stubs.fortran, HasSubstr(":: v_x\n"));
}

TEST(Listing, ShowsSourceLinesWithoutBlanksAroundThemWhateverEndsThem) {
  const AssembleResult result =
      assemble("kernel k\r\nvar short s in gpr\r\nloop body\r\n\t upassa $peid s  \r\n\tnop", "k.vsm");
  ASSERT_TRUE(result.program) << format_diagnostics(result);
  const std::string text = listing(*result.program, result.files);
  EXPECT_THAT(text, HasSubstr("k.vsm:4: upassa $peid s\n"));
  EXPECT_THAT(text, HasSubstr("k.vsm:5: nop\n"));
  EXPECT_THAT(text, HasSubstr("  gpr     0  scalar short"));
}

TEST(Listing, OfAProgramWithoutItsFilesNamesNone) {
  isa::Program program = assembled("kernel k\nloop body\n  nop\n");
  program.files.clear();
  EXPECT_THAT(listing(program), HasSubstr("?:3: "));
}

}  // namespace
}  // namespace gdr::assembler
