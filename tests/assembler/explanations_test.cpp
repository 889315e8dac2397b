// Every diagnostic is explained, and its example gives it.
#include "diagnostics/explanations.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "testing.h"

namespace gdr::assembler {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string source(std::string_view fragment) {
  return (fragment.starts_with("kernel") ? "" : "kernel example\n") + std::string(fragment) + "\n";
}

TEST(Explanations, EachExampleGivesItsDiagnosticAlone) {
  for (const Explanation& explanation : explanations()) {
    const AssembleResult result = assemble(source(explanation.wrong), "example.vsm");
    const std::vector<unsigned> numbers = testing::numbers_of(result);
    EXPECT_THAT(numbers, Contains(static_cast<unsigned>(explanation.code))) << explanation.wrong;
    EXPECT_THAT(numbers, Each(static_cast<unsigned>(explanation.code))) << format_diagnostics(result);
  }
}

TEST(Explanations, EachMendedExampleAssemblesWithoutDiagnostics) {
  for (const Explanation& explanation : explanations()) {
    const AssembleResult result = assemble(source(explanation.right), "example.vsm");
    EXPECT_THAT(result.diagnostics, IsEmpty()) << format_diagnostics(result);
  }
}

TEST(Explanations, KnowTheirNumbersAndNoOthers) {
  for (const unsigned number : diagnostic_numbers()) EXPECT_TRUE(explain(number)) << number;
  EXPECT_FALSE(explain(0));
  EXPECT_FALSE(explain(9999));
  EXPECT_THAT(diagnostic_numbers(), Not(IsEmpty()));
}

TEST(Explanations, NameTheMemoriesAndReductionsThatThereAre) {
  const std::string full = *explain(static_cast<unsigned>(Code::memory_full));
  EXPECT_THAT(full, HasSubstr(fmt::format("{} short words, the GPR {}.", isa::kLmShortWords, isa::kGprShortWords)));
  EXPECT_EQ(isa::kBmShortWords / 2, 1024u);  // as the text writes it
  EXPECT_THAT(full, HasSubstr("1,024 long words"));
  EXPECT_THAT(full, HasSubstr(fmt::format("its last {} words are for i-data", isa::kTransferWindowWords)));
  const std::string reduction = *explain(static_cast<unsigned>(Code::reduction));
  for (const isa::OperationInfo& info : isa::operations()) {
    EXPECT_EQ(reduction.find(fmt::format("`{}`", info.mnemonic)) != std::string::npos, info.reduces) << info.mnemonic;
  }
}

}  // namespace
}  // namespace gdr::assembler
