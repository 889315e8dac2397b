// Macros: registers of one use, arguments by name, questions for names, files found by name.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "gdr/base/error.h"
#include "scratch_directory.h"
#include "testing.h"

namespace gdr::assembler::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Messages of the errors and warnings.
std::vector<std::string> told(const std::string& source, const AssembleOptions& options = {}) {
  std::vector<std::string> messages;
  for (const Diagnostic& one : assemble(source, "test.vsm", options).diagnostics) {
    if (one.severity != Severity::note) messages.push_back(one.message);
  }
  return messages;
}

TEST(LocalRegisters, AreFreeOnesFromTheEndAndSharedByUsesSideBySide) {
  EXPECT_THAT(printed(assembled(R"(kernel k
macro inner to
  reg t short
  upassa $peid t
  nop
  upassa t to
end
macro outer to
  reg a long
  reg b short
  uxor $lt $lt a
  inner b
  nop
  upassa b to
end
loop body
  inner $r0v
  inner $r4v
  outer $r8v
)")),
              ElementsAre("vlen 4; upassa $peid $r60v", "vlen 4; nop", "vlen 4; upassa $r60v $r0v",
                          "vlen 4; upassa $peid $r60v", "vlen 4; nop", "vlen 4; upassa $r60v $r4v",
                          "vlen 4; uxor $lt $lt $lr56v", "vlen 4; upassa $peid $r48v", "vlen 4; nop",
                          "vlen 4; upassa $r48v $r52v", "vlen 4; nop", "vlen 4; upassa $r52v $r8v"));
}

TEST(LocalRegisters, TakeARegisterOrAShapeAndSubscripts) {
  EXPECT_THAT(
      printed(assembled(R"(kernel k
macro m
  reg one scalar long
  reg fixed $lr8v
  vlen 1 ; upassa il"1" one
  vlen 1 ; upassa il"2" fixed[1]
end
loop body
  m
)")),
      ElementsAre("vlen 1; upassa hl\"000000000000000001\" $lr62", "vlen 1; upassa hl\"000000000000000002\" $lr10"));
}

TEST(LocalRegisters, AreNotKnownOutsideTheirUse) {
  EXPECT_THAT(told("kernel k\nmacro m\n  reg t short\n  upassa $peid t\nend\nloop body\n  m\n  nop\n  upassa t $r0v\n"),
              ElementsAre("unknown name 't'"));
}

TEST(LocalRegisters, ThatDoNotFitAreRefused) {
  EXPECT_THAT(told("kernel k\nmacro m\n  repeat i = 0..8\n    reg t{i} long\n  end\nend\nloop body\n  m\n"),
              ElementsAre(HasSubstr("more registers than the 64 short words of the GPR")));
}

TEST(LocalRegisters, OverAKernelsOwnAreToldByTheNameInTheMacro) {
  const auto messages = told(R"(kernel k
bvar long xj elt
var vector long sum rrn fadd
reg mine $r60v
macro m to
  reg t short
  fpassa xj t
  nop
  fpassa t to
end
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fpassa xj mine
  m $lt
  fadd $lti mine $lt
  fadd sum $lti sum
)");
  EXPECT_THAT(messages,
              ElementsAre(HasSubstr("no result depends on 'mine'"), HasSubstr("'mine' was written over by 't'")));
}

TEST(MacroArguments, GoByNameInAnyOrderBehindThoseByPlace) {
  const std::string macro = "kernel k\nmacro m from to\n  upassa from to\nend\nloop body\n";
  for (const std::string use : {"m $peid $r0v", "m to=$r0v from=$peid", "m $peid to=$r0v"}) {
    EXPECT_THAT(printed(assembled(macro + "  " + use + "\n")), ElementsAre("vlen 4; upassa $peid $r0v")) << use;
  }
  EXPECT_THAT(told(macro + "  m to=$r0v $peid\n"), ElementsAre(HasSubstr("comes after an argument by name")));
  EXPECT_THAT(told(macro + "  m from=$peid tto=$r0v\n"), ElementsAre(HasSubstr("did you mean 'to'?")));
  EXPECT_THAT(told(macro + "  m $peid from=$r0v\n"), ElementsAre(HasSubstr("'from' of macro 'm' is given twice")));
  EXPECT_THAT(told(macro + "  m from=$peid\n"), ElementsAre(HasSubstr("is not given 'to'")));
  EXPECT_THAT(told(macro + "  m $peid\n"), ElementsAre(HasSubstr("takes 2 arguments, 1 is given")));
}

TEST(MacroArguments, KeepTheirNamesInsideAMacroWithTheSameParameters) {
  EXPECT_THAT(printed(assembled("kernel k\nmacro inner from to\n  upassa from to\nend\n"
                                "macro outer to from\n  inner from=from to=to\nend\nloop body\n  outer $r0v $peid\n")),
              ElementsAre("vlen 4; upassa $peid $r0v"));
}

TEST(MacroArguments, HaveNamesOfAllLettersDigitsAndUnderscores) {
  for (const std::string name : {"a", "z", "A", "Z", "x0", "x9", "_p"}) {
    EXPECT_THAT(
        printed(assembled("kernel k\nmacro m " + name + "\n  upassa " + name + " $r0v\nend\nloop body\n  m $peid\n")),
        ElementsAre("vlen 4; upassa $peid $r0v"))
        << name;
  }
}

TEST(Defined, AsksForConstantsDefinitionsMacrosParametersAndDeclarations) {
  const auto known = [](std::string_view name, const AssembleOptions& options = {}) {
    return isa::decoded(
               assembled("kernel k\nvar vector long x hlt\nconst n = 1\nmacro m p\n  upassa il\"{defined(p)}\" $lt\n"
                         "end\nloop body\n  upassa il\"{defined(" +
                             std::string(name) + ")}\" $lt\n  if defined( " + std::string(name) +
                             " ) && 1\n    nop\n  end\n  m 1\n",
                         options)
                   .lines(isa::Section::loop_body)
                   .at(0)
                   .word)
               .immediate.value.low == 1;
  };
  for (const std::string_view name : {"n", "m", "x"}) EXPECT_TRUE(known(name)) << name;
  EXPECT_FALSE(known("p"));  // a parameter, outside its macro
  EXPECT_FALSE(known("wide"));
  AssembleOptions options;
  options.definitions["wide"] = "0x3";
  EXPECT_TRUE(known("wide", options));
}

TEST(Include, LooksBesideTheFileThenInTheFoldersThenAmongOurMacros) {
  const tests::ScratchDirectory scratch;
  const std::filesystem::path directory = scratch.path();
  std::filesystem::create_directories(directory / "own");
  std::ofstream(directory / "own" / "common.vsm") << "const n = 2\n";
  std::ofstream(directory / "main.vsm") << "kernel k\ninclude \"common.vsm\"\ninclude \"math.vsm\"\nloop body\n"
                                        << "  upassa il\"{n}\" $lt\n";
  EXPECT_FALSE(assemble_file(directory / "main.vsm").program);
  AssembleOptions options;
  options.include_directories.push_back(directory / "own");
  const AssembleResult result = assemble_file(directory / "main.vsm", options);
  EXPECT_TRUE(result.program) << format_diagnostics(result);
  std::ofstream(directory / "common.vsm") << "const n = 3\n";
  EXPECT_THAT(printed(*assemble_file(directory / "main.vsm", options).program), ElementsAre(HasSubstr("3\" $lt")));
}

TEST(Include, RefusesWhatIsNoFileAndSaysWhereItLooked) {
  EXPECT_THAT(told("kernel k\ninclude \"/dev/zero\"\nloop body\n  nop\n"),
              ElementsAre(HasSubstr("is no regular file")));
  EXPECT_THAT(told("kernel k\ninclude \"nowhere.vsm\"\nloop body\n  nop\n"),
              ElementsAre(AllOf(HasSubstr("'nowhere.vsm' is not found; looked for"))));
}

}  // namespace
}  // namespace gdr::assembler::testing
