// Kernels of experiments: what the form adds to a source, what it refuses, and that objects keep it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "gdr/assembler/disassemble.h"
#include "gdr/base/error.h"
#include "gdr/isa/experiment.h"
#include "testing.h"

namespace gdr::assembler {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kCounter = R"(kernel counter experiment
param add : long = 1
var vector long from hlt
var vector long left hlt fix64to72
var vector long sum[2][1] rrn
var vector long turns rrn fix72to64
experiment begin
  fpassa from $lt sum[0][0]
  fpassa $lti sum[1][0]
  upassa left turns
experiment step
  fadd sum[0][0] add sum[0][0]
  usub turns il"1" $lt turns
  usub il"0" $lti $ok1
)";

std::vector<std::string> names_of(const std::vector<const isa::Variable*>& variables) {
  std::vector<std::string> names;
  for (const isa::Variable* variable : variables) names.push_back(variable->name);
  return names;
}

std::vector<std::string> errors_of(std::string_view text) {
  std::vector<std::string> messages;
  for (const Diagnostic& diagnostic : assemble(text, "test.vsm").diagnostics) messages.push_back(diagnostic.message);
  return messages;
}

/// The counter with one text replaced by another.
std::string counter_with(std::string_view old, std::string_view text) {
  std::string source(kCounter);
  const std::size_t at = source.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return source.replace(at, old.size(), text);
}

TEST(Experiment, KnowsItsStartsAndResults) {
  const isa::Program program = testing::assembled(kCounter);
  EXPECT_TRUE(isa::is_experiment(program));
  EXPECT_TRUE(program.is_type2());
  EXPECT_THAT(names_of(isa::experiment_starts(program)), ElementsAre("from", "left"));
  EXPECT_THAT(names_of(isa::experiment_results(program)), ElementsAre("sum", "turns"));
  EXPECT_FALSE(isa::counts_steps(program));
}

TEST(Experiment, CountsStepsIfNoLineEndsIt) {
  EXPECT_TRUE(isa::counts_steps(testing::assembled(counter_with("usub il\"0\" $lti $ok1", "nop"))));
}

TEST(Experiment, AddsSixLinesToAStep) {
  const isa::Program program = testing::assembled(kCounter);
  EXPECT_EQ(program.lines(isa::Section::loop_body).size(), 3u + 6u);
}

TEST(Experiment, GivesNoWarnings) { EXPECT_THAT(errors_of(kCounter), IsEmpty()); }

TEST(Experiment, BringsOutEachElementWithItsConversion) {
  const isa::Program program = testing::assembled(kCounter);
  std::vector<std::string> conversions;
  for (const isa::Step& step : program.steps(isa::Section::loop_termination)) {
    const auto* const collect = std::get_if<isa::CollectStep>(&step);
    if (collect == nullptr) continue;
    EXPECT_EQ(collect->blocks.kind, isa::BlockChoice::Kind::each);
    conversions.emplace_back(isa::info_of(*program.variables[collect->variable].conversion).name);
  }
  EXPECT_THAT(conversions, ElementsAre("fix72to64", "flt72to64", "flt72to64", "fix72to64"));
}

TEST(Experiment, IsPrintedAsASourceWithTheSameWords) {
  const isa::Program program = testing::assembled(kCounter);
  const std::string source = disassemble_with_names(program);
  const isa::Program again = testing::assembled(source);
  EXPECT_TRUE(isa::is_experiment(again));
  EXPECT_THAT(names_of(isa::experiment_results(again)), ElementsAre("sum", "turns"));
  for (std::size_t n = 0; n < isa::kSections; ++n) {
    const auto section = static_cast<isa::Section>(n);
    EXPECT_EQ(testing::printed(again, section), testing::printed(program, section)) << isa::name_of(section);
  }
  EXPECT_THAT(errors_of(source), IsEmpty());
}

TEST(Experiment, IsAlsoPrintedWithNumbersOfRegisters) {
  const isa::Program program = testing::assembled(kCounter);
  const isa::Program again = testing::assembled(disassemble(program));
  EXPECT_TRUE(isa::is_experiment(again));
  for (std::size_t n = 0; n < isa::kSections; ++n) {
    const auto section = static_cast<isa::Section>(n);
    EXPECT_EQ(testing::printed(again, section), testing::printed(program, section)) << isa::name_of(section);
  }
}

TEST(Experiment, IsKeptByObjectFiles) {
  const isa::Program program = testing::assembled(kCounter);
  EXPECT_EQ(isa::deserialize(isa::serialize(program), "counter.gdro"), program);
}

TEST(Experiment, IsRefusedFromObjectsWithOtherCollects) {
  isa::Program program = testing::assembled(kCounter);
  auto& steps = program.steps(isa::Section::loop_termination);
  const auto collect =
      std::ranges::find_if(steps, [](const isa::Step& step) { return std::holds_alternative<isa::CollectStep>(step); });
  steps.erase(collect);
  EXPECT_THROW(isa::validate(program), Error);
}

TEST(Experiment, NeedsItsFormInTheFirstLine) {
  EXPECT_THAT(errors_of(counter_with("counter experiment", "counter")),
              ::testing::Contains(HasSubstr("'experiment begin' stands in a kernel of experiments: begin it with "
                                            "'kernel NAME experiment'")));
}

TEST(Experiment, HasNoOtherSectionsBesideItsOwn) {
  EXPECT_THAT(errors_of(counter_with("experiment step", "loop body")),
              ::testing::Contains("'loop body' does not stand beside 'experiment begin'; write 'experiment step'"));
}

TEST(Experiment, SaysWhichSectionsThereAre) {
  EXPECT_THAT(errors_of(counter_with("experiment step", "experiment run")),
              ::testing::Contains(HasSubstr("the sections are 'experiment initialization', 'experiment begin', "
                                            "'experiment step', 'experiment end'")));
}

TEST(Experiment, NeedsStartsResultsAndSections) {
  EXPECT_THAT(errors_of("kernel none experiment\nvar vector long x rrn\nexperiment begin\n  fpassa f\"1\" x\n"),
              ElementsAre(HasSubstr("no variable is declared with 'hlt'")));
  EXPECT_THAT(errors_of("kernel none experiment\nvar vector long x hlt # allow unused\nexperiment step\n  nop\n"),
              ElementsAre(HasSubstr("no variable of the PE is declared with 'rrn'")));
  EXPECT_THAT(
      errors_of("kernel none experiment\nvar vector long x hlt\nvar vector long y rrn\nloop body\n  fpassa x y\n"),
      ::testing::Contains(HasSubstr("has the sections 'experiment begin', 'experiment step'")));
}

TEST(Experiment, HasNoJData) {
  EXPECT_THAT(errors_of(counter_with("param add : long = 1", "bvar long add elt")),
              ::testing::Contains(HasSubstr("'add' is j-data, and experiments have none")));
}

TEST(Experiment, HasResultsThatStayApartAndAreLong) {
  EXPECT_THAT(
      errors_of(counter_with("turns rrn fix72to64", "turns rrn fix72to64 uadd")),
      ::testing::Contains("results of experiments stay apart; leave what follows the conversion of 'turns' out"));
  EXPECT_THAT(errors_of(counter_with("long turns rrn fix72to64", "short turns rrn fix36to64")),
              ::testing::Contains(HasSubstr("a result of experiments is long: declare 'turns' as 'var vector long'")));
}

/// Three lines of a problem and the end of the message that refuses the kernel, or nothing.
struct LinesOfElements {
  std::string declared;
  std::string begin;
  std::string step;
  std::string end;
  std::string refused;
};

TEST(Experiment, DependsOnNoOtherElement) {
  const std::string other = "belongs to another element";
  const std::string part = "of the 4 elements of a PE, each of which has an experiment";
  const std::string apart = "are words that different lines of 'experiment initialization' write";
  for (const LinesOfElements& one : {
           LinesOfElements{"", "fpassa from $lr0v", "fadd $lr0v one $lr0v", "fpassa $lr0v big", ""},
           {"", "fpassa from $lr0v", "fadd $lr0v table[1] $lr0v", "fpassa $lr0v big", ""},
           {"", "fpassa from $lr0v", "fadd $lr0v ones $lr0v", "fpassa $lr0v big", ""},
           {"", "fpassa from $lr0v", "fadd $lr0v table $lr0v", "fpassa $lr0v big", apart},
           {"", "fpassa from x", "fadd x[1] f\"1\" x", "fpassa x big", other},
           {"", "fpassa from x", "fadd x f\"1\" x", "fpassa x[2] big", other},
           {"", "fpassa from[0] x", "fadd x f\"1\" x", "fpassa x big", other},
           {"", "fpassa from x", "fadd x f\"1\" x[2]", "fpassa x big", other},
           {"", "fpassa from $lr0v\nfpassa from $lr8v", "fadd $lr2v f\"1\" $lr0v", "fpassa $lr0v big", other},
           {"", "fpassa from $lr0v", "fadd $lr0v f\"1\" $lr2v", "fpassa $lr0v big", other},
           {"var scalar long s", "fpassa from s", "fadd s f\"1\" s", "fpassa s big", other},
           {"reg s $lr20", "fpassa from s", "fadd s f\"1\" s", "fpassa s big", other},
           {"", "fpassa from x", "vlen 2 ; fadd x f\"1\" x\nvlen 4", "fpassa x big", part},
           {"", "fpassa from x", "fadd x f\"1\" x", "vlen 3 ; fpassa x big\nvlen 4", part},
           {"", "fpassa from x", "fadd x f\"1\" x", "upassa experiment_ticket big", "says of a place in this round"},
       }) {
    const std::string text =
        "kernel test experiment\nvar vector long from hlt\nvar vector long x\n"
        "var vector long table\nvar vector long ones\nvar scalar long one\n" +
        one.declared +
        "\nvar vector long big rrn\nexperiment initialization\nvlen 1\nfpassa f\"1\" table[0]\n"
        "fpassa f\"2\" table[1]\nfpassa f\"3\" table[2]\nfpassa f\"4\" table[3]\n"
        "fpassa f\"1\" one\nvlen 4\nfpassa f\"1\" ones\n"
        "experiment begin\n" +
        one.begin + "\nnop\nexperiment step\n" + one.step + "\nnop\nexperiment end\n" + one.end + "\nnop\n";
    if (one.refused.empty()) {
      EXPECT_THAT(errors_of(text), Not(Contains(AnyOf(HasSubstr("element"), HasSubstr("experiment"))))) << text;
    } else {
      EXPECT_THAT(errors_of(text), Contains(HasSubstr(one.refused))) << text;
    }
  }
}

TEST(Experiment, ExitsByLinesThatStoreEachPesOwnWord) {
  const std::string source = disassemble_with_names(testing::assembled(kCounter));
  const std::size_t at = source.find("@7");
  ASSERT_NE(at, std::string::npos);
  std::string swapped = source;
  swapped.replace(at, 2, "@8");
  EXPECT_THAT(errors_of(swapped), ElementsAre(HasSubstr("entry 7 of what is collected here is not 'experiment_status' "
                                                        "of PE 7")));
}

TEST(Experiment, TakesMacrosWithRegistersOfTheirOwn) {
  EXPECT_THAT(errors_of(R"(kernel roots experiment
include "math.vsm"
var vector long x hlt
var vector long y rrn
experiment begin
  fpassa x y
experiment step
  sqrt_long y y
)"),
              IsEmpty());
}

}  // namespace
}  // namespace gdr::assembler
