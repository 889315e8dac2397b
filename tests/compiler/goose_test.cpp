// Programs with goose pragmas: on the board what they are on the host, within the precision that they ask for.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <sstream>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/compiler/goose.h"
#include "goose_programs.h"
#include "host_functions.h"

namespace gdr::compiler_testing {

void PrintTo(const GooseProgram& program, std::ostream* out) { *out << program.name; }

namespace {

using Rows = std::vector<std::vector<double>>;

struct Ran {
  int status = 0;
  std::string text;
};

Ran run(const std::string& command) {
  Ran ran;
  ::setenv("GDR_EVENTS", "off", 1);  // what programs print is read as numbers; tests/python/verdicts_test.py has events
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw Error("cannot run " + command);
  char part[4096];
  for (std::size_t got = 0; (got = fread(part, 1, sizeof part, pipe)) > 0;) ran.text.append(part, got);
  ran.status = pclose(pipe);
  return ran;
}

Rows rows_of(const std::string& text) {
  Rows rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    rows.emplace_back();
    for (double number = 0; words >> number;) rows.back().push_back(number);
  }
  return rows;
}

std::string with_precision(std::string text, const std::string& precision) {
  const std::string word = "PRECISION";
  const std::size_t at = text.find(word);
  return at == std::string::npos ? text : text.replace(at, word.size(), "\"" + precision + "\"");
}

compiler::GooseOptions fast() {
  compiler::GooseOptions options;
  options.compile.effort = 1;
  return options;
}

/// Compiles `text` and leaves an executable in `folder`.
void build(const Folder& folder, const std::string& file, const std::string& text) {
  const std::filesystem::path path = folder / file.c_str();
  base::write_file(path, text);
  const compiler::GooseResult result = compiler::compile_goose(path, fast());
  ASSERT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
  const compiler::HostBuild built = compiler::build_goose(result, path, folder / "board", fast());
  ASSERT_TRUE(built.done) << built.messages;
  EXPECT_EQ(built.messages, "");
}

class Goose : public testing::TestWithParam<GooseProgram> {};

TEST_P(Goose, IsOnTheBoardWhatItIsOnTheHost) {
  const GooseProgram& program = GetParam();
  const Folder folder;
  const std::string text = with_precision(program.text, program.precision);
  build(folder, program.file, text);
  if (HasFailure()) return;
  const std::string compiler = std::string(program.file).ends_with(".c") ? "cc" : "c++";
  const std::string plain = (folder / "plain").string();
  const Ran compiled = run(compiler + " -O1 -o " + plain + " " + (folder / program.file).string() + " -lm");
  ASSERT_EQ(compiled.status, 0) << compiled.text;
  const Ran host = run(plain);
  const Ran board = run((folder / "board").string());
  ASSERT_EQ(host.status, 0);
  ASSERT_EQ(board.status, 0) << board.text;
  const Rows expected = rows_of(host.text);
  const Rows got = rows_of(board.text);
  ASSERT_FALSE(expected.empty());
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t column = 0; column < expected[0].size(); ++column) {
    double size = 0;
    for (const auto& row : expected) size = std::max(size, std::abs(row[column]));
    for (std::size_t n = 0; n < expected.size(); ++n) {
      ASSERT_EQ(got[n].size(), expected[n].size());
      EXPECT_NEAR(got[n][column], expected[n][column], program.bound * size) << "line " << n << ", column " << column;
    }
  }
  // The same program, told to stay on the host, prints every digit of the plain one.
  EXPECT_EQ(run("GDR_GOOSE=host " + (folder / "board").string()).text, host.text);
}

// Long words: factors have 50 bits, sums 61; quotients and roots are off by 8 * 2^-50. Some ten such errors are added
// up. Short words: 25 bits, and the host's float where the source has it. Whole numbers are the same.
constexpr double kDouble = 1e-13;
constexpr double kSingle = 2e-6;

INSTANTIATE_TEST_SUITE_P(
    Programs, Goose,
    testing::Values(GooseProgram{"OneResultDouble", "one.c", "double", kDouble, kOneResult},
                    GooseProgram{"OneResultSingle", "one.c", "single", kSingle, kOneResult},
                    GooseProgram{"OneResultMixed", "one.c", "mixed", kSingle, kOneResult},
                    GooseProgram{"OldC", "old.c", "double", kDouble, kOldC},
                    GooseProgram{"TwoResultsDouble", "two.c", "double", kDouble, kTwoResults},
                    GooseProgram{"TwoResultsSingle", "two.c", "single", kSingle, kTwoResults},
                    GooseProgram{"TwoResultsMixed", "two.c", "mixed", kSingle, kTwoResults},
                    GooseProgram{"TwoResultsOfCplusplus", "two.cc", "double", kDouble, kTwoResults},
                    GooseProgram{"ThreeResultsSingle", "three.c", "single", kSingle, kThreeResults},
                    GooseProgram{"ThreeResultsMixed", "three.cpp", "mixed", kSingle, kThreeResults},
                    GooseProgram{"Reductions", "reductions.c", "double", kDouble, kReductions},
                    GooseProgram{"ReductionsMixed", "reductions.cc", "mixed", kSingle, kReductions},
                    GooseProgram{"DataOfOneSide", "side.c", "double", kDouble, kDataOfOneSide},
                    GooseProgram{"FlatArrays", "flat.c", "double", kDouble, kFlatArrays},
                    GooseProgram{"Structures", "structures.c", "mixed", kSingle, kStructures},
                    GooseProgram{"Vectors", "vectors.cpp", "double", kDouble, kVectors},
                    GooseProgram{"Totals", "totals.c", "double", kDouble, kTotals},
                    GooseProgram{"Tables", "tables.c", "double", kDouble, kTables},
                    GooseProgram{"TablesSingle", "tables.c", "single", kSingle, kTables},
                    GooseProgram{"TablesMixed", "tables.cc", "mixed", kSingle, kTables},
                    GooseProgram{"LoopsThatEnd", "loops.c", "double", kDouble, kLoopsThatEnd},
                    GooseProgram{"LoopsThatEndMixed", "loops.cc", "mixed", kSingle, kLoopsThatEnd},
                    GooseProgram{"Conditions", "conditions.c", "double", kDouble, kConditions},
                    GooseProgram{"Nearest", "nearest.c", "double", 0, kNearest},
                    GooseProgram{"NearestMixed", "nearest.c", "mixed", 0, kNearest}),
    [](const auto& one) { return std::string(one.param.name); });

constexpr const char* kShifted = R"(#include <stdio.h>
static void scale(const double *x, double *y, int n) {
#pragma goose parallel for loopcounter(i, j) result(y[i])
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) y[i] += x[j];
  }
}
int main(void) {
  double x[20] = {1, 2, 3};
  puts("begins");
  fflush(stdout);
  scale(x, x + 2, 10);
  puts("ends");
  return 0;
}
)";

TEST(GooseRuns, StopWhereResultsOverlapData) {
  const Folder folder;
  build(folder, "shifted.c", kShifted);
  const Ran ran = run((folder / "board").string());
  EXPECT_NE(ran.status, 0);
  EXPECT_EQ(ran.text,
            "begins\n" + (folder / "shifted.c").string() +
                ":3: 'x[j]' and 'y[i]' overlap in memory: the loop reads what it has written, so that its result "
                "depends on the order of i; write to another array\n");
}

TEST(GooseRuns, StopWithWhatTheBoardRefuses) {
  const Folder folder;
  build(folder, "two.c", with_precision(kTwoResults, "double"));
  const std::string program = (folder / "board").string();
  const Ran unknown = run("GDR_MACHINE=model0 " + program);
  EXPECT_NE(unknown.status, 0);
  EXPECT_TRUE(unknown.text.starts_with((folder / "two.c").string() + ":14: ")) << unknown.text;
  EXPECT_NE(unknown.text.find("model0"), std::string::npos) << unknown.text;
  const Ran where = run("GDR_GOOSE=moon " + program);
  EXPECT_NE(where.status, 0);
  EXPECT_EQ(where.text, (folder / "two.c").string() + ":14: GDR_GOOSE = 'moon' is refused: it must be board or host\n");
}

TEST(GooseRuns, WithoutPairsKeepWhatTheProgramHas) {
  const Folder folder;
  build(folder, "empty.c", R"(#include <stdio.h>
int main(void) {
  double x[4] = {1, 2, 3, 4}, s[4] = {5, 6, 7, 8};
  int none = 0;
#pragma goose parallel for loopcounter(i, j) result(s[i])
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < none; j++) s[i] += x[j];
    s[i] *= 2;
  }
#pragma goose parallel for loopcounter(i, j) result(s[i])
  for (int i = 0; i < none; i++)
    for (int j = 0; j < 4; j++) s[i] += x[j];
  printf("%g %g %g %g\n", s[0], s[1], s[2], s[3]);
  return 0;
}
)");
  EXPECT_EQ(run((folder / "board").string()).text, "10 12 14 16\n");
}

TEST(GooseRuns, ErrorsOfTheHostsCompilerAreAtTheUsersPlaces) {
  const Folder folder;
  const std::filesystem::path path = folder / "warn.c";
  base::write_file(path, with_precision(kOneResult, "double") + "int unused(void) { int a; return 0; }\n");
  compiler::GooseOptions options = fast();
  options.host = {"-Werror=unused-variable"};
  const compiler::GooseResult result = compiler::compile_goose(path, options);
  const compiler::HostBuild built = compiler::build_goose(result, path, folder / "board", options);
  EXPECT_FALSE(built.done);
  EXPECT_NE(built.messages.find(path.string() + ":19:24: error: unused variable"), std::string::npos) << built.messages;
}

}  // namespace
}  // namespace gdr::compiler_testing
