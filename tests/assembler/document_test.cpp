// The examples of the language's description are programs.
#include <gmock/gmock.h>

#include "gdr/base/file.h"
#include "testing.h"

namespace gdr::assembler {
namespace {

/// Assembles the page's examples, and says how many there are.
int examples_of(const std::string& page) {
  const std::string text = base::read_file(page);
  const std::string begin = "\n```vsm\n";
  int examples = 0;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    std::string example = text.substr(at, text.find("\n```\n", at) - at + 1);
    if (!example.starts_with("kernel")) example.insert(0, "kernel example\n");
    const AssembleResult result = assemble(example, page);
    EXPECT_THAT(result.diagnostics, ::testing::IsEmpty()) << format_diagnostics(result) << example;
    ++examples;
  }
  return examples;
}

TEST(Pages, HaveExamplesThatAssembleWithoutDiagnostics) {
  EXPECT_GE(examples_of(GDR_LANGUAGE_PAGE), 4);
  EXPECT_GE(examples_of(GDR_WARNINGS_PAGE), 1);
}

}  // namespace
}  // namespace gdr::assembler
