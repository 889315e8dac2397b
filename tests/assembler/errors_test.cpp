// Wrong programs with their diagnostics beside the line, as comments `# error@COLUMN: text [E0123]`: exactly these are
// given, and no others.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "gdr/base/file.h"
#include "testing.h"

namespace gdr::assembler {
namespace {

std::vector<std::filesystem::path> wrong_programs() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(GDR_ERRORS_DIR)) {
    if (entry.path().extension() == ".vsm") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

constexpr std::array<std::string_view, 3> kSeverities{"note", "warning", "error"};

/// What the comments of a source expect, as `LINE: error@COLUMN: text`.
std::multiset<std::string> expected_in(std::string_view text) {
  std::multiset<std::string> expected;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty()) {
      const std::size_t comment = line.find("# ");
      if (comment == std::string_view::npos) break;
      line.remove_prefix(comment + 2);
      std::string_view item = line.substr(0, line.find("  # "));
      for (const std::string_view severity : kSeverities) {
        if (item.starts_with(std::string(severity) + "@")) expected.insert(fmt::format("{}: {}", number, item));
      }
    }
  }
  return expected;
}

std::multiset<std::string> told_by(const AssembleResult& result) {
  std::multiset<std::string> told;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    const std::string number = diagnostic.severity == Severity::note ? "" : fmt::format(" [E{:04}]", diagnostic.number);
    told.insert(fmt::format("{}: {}@{}: {}{}", diagnostic.where.line,
                            kSeverities[static_cast<std::size_t>(diagnostic.severity)], diagnostic.where.column,
                            diagnostic.message, number));
  }
  return told;
}

class WrongProgram : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(WrongProgram, GivesTheDiagnosticsBesideItsLines) {
  const std::string text = base::read_file(GetParam());
  const AssembleResult result = assemble(text, GetParam().filename().string());
  const auto expected = expected_in(text);
  ASSERT_FALSE(expected.empty());
  EXPECT_THAT(told_by(result), ::testing::ContainerEq(expected)) << format_diagnostics(result);
  const bool has_error = std::any_of(result.diagnostics.begin(), result.diagnostics.end(),
                                     [](const Diagnostic& one) { return one.severity == Severity::error; });
  EXPECT_EQ(result.program.has_value(), !has_error);
}

TEST_P(WrongProgram, IsToldInSourceOrderWithTheLineAndACaretUnderTheColumn) {
  const std::string text = base::read_file(GetParam());
  const AssembleResult result = assemble(text, "wrong.vsm");
  std::pair<std::uint32_t, std::uint32_t> before{0, 0};
  for (const Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.severity == Severity::note) continue;
    const std::pair here{diagnostic.where.line, diagnostic.where.column};
    EXPECT_LE(before, here);
    before = here;
  }
  const std::string shown = format_diagnostics(result);
  const Diagnostic& first = result.diagnostics.front();
  EXPECT_THAT(shown, ::testing::StartsWith(fmt::format("wrong.vsm:{}:{}: ", first.where.line, first.where.column)));
  const std::size_t second_line = shown.find('\n') + 1;
  const std::size_t third_line = shown.find('\n', second_line) + 1;
  EXPECT_EQ(shown.find('^', third_line) - third_line, first.where.column - 1 + 2) << shown;
}

TEST(Diagnostics, ShowALastLineWithoutAnEnd) {
  EXPECT_EQ(format_diagnostics(assemble("kernel k\nfoo", "k.vsm")),
            "k.vsm:2:1: error: 'foo' begins no declaration [E0103]\n  foo\n  ^~~\n");
}

TEST(Diagnostics, AreAsLongAsTheUseThatTheyName) {
  const AssembleResult result = assemble("kernel k\nmacro m\n  fadd none $lr0v $lt\nend\nloop body\nm\n", "k.vsm");
  ASSERT_EQ(result.diagnostics.size(), 2u) << format_diagnostics(result);
  EXPECT_EQ(result.diagnostics[1].where.line, 6u);
  EXPECT_EQ(result.diagnostics[1].where.column, 1u);
  EXPECT_EQ(result.diagnostics[1].where.length, 1u);
}

INSTANTIATE_TEST_SUITE_P(Errors, WrongProgram, ::testing::ValuesIn(wrong_programs()),
                         [](const auto& program) { return program.param.stem().string(); });

}  // namespace
}  // namespace gdr::assembler
