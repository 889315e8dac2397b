// Directives of XcalableMP and OpenACC: what is not taken is told at its place, with the name of the directive.
#include "gdr/compiler/xacc.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <ostream>
#include <string>

#include "gdr/base/error.h"
#include "gdr/base/file.h"

namespace gdr::compiler_testing {
namespace {

/// A folder of the test's own.
class ScratchOfXacc {
 public:
  ScratchOfXacc() : path_(std::filesystem::path(testing::TempDir()) / ("xacc" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ScratchOfXacc(const ScratchOfXacc&) = delete;
  ScratchOfXacc& operator=(const ScratchOfXacc&) = delete;
  ~ScratchOfXacc() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

struct WrongDirective {
  const char* name;
  std::string outside;  // from line 9 on
  const char* inside;   // of main()
  unsigned line;
  unsigned column;
  const char* message;
};

constexpr const char* kDeclared =
    "#define N 8\n"
    "double u[N][N], w[N][N], plain[N];\n"
    "#pragma xmp nodes p(2, 2)\n"
    "#pragma xmp template t(0:N-1, 0:N-1)\n"
    "#pragma xmp distribute t(block, block) onto p\n"
    "#pragma xmp align u[i][j] with t(j, i)\n"
    "#pragma xmp align w[i][j] with t(j, i)\n"
    "#pragma xmp shadow u[1:1][0:1]\n";

void PrintTo(const WrongDirective& one, std::ostream* out) { *out << one.name; }

class XaccMessages : public testing::TestWithParam<WrongDirective> {};

TEST_P(XaccMessages, NameTheDirectiveAndItsPlace) {
  const WrongDirective& one = GetParam();
  const ScratchOfXacc folder;
  const std::filesystem::path path = folder / "wrong.c";
  base::write_file(path, std::string(kDeclared) + one.outside + "int main(void) {\n  int i, j; double x = 0;\n" +
                             one.inside + "  return 0;\n}\n");
  const compiler::XaccResult result = compiler::compile_xacc(path);
  EXPECT_EQ(result.source, "");
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].message, one.message);
  EXPECT_EQ(result.diagnostics[0].file, path.string());
  EXPECT_EQ(result.diagnostics[0].line, one.line);
  EXPECT_EQ(result.diagnostics[0].column, one.column);
}

#define LOOP(directive, statement)    \
  "#pragma " directive                \
  "\n  for (i = 1; i < N - 1; i++)\n" \
  "    for (j = 1; j < N - 1; j++) " statement "\n"

#define ONE_DIMENSION                        \
  "double a[N], y[N];\n"                     \
  "#pragma xmp nodes q(4)\n"                 \
  "#pragma xmp template s(0:N-1)\n"          \
  "#pragma xmp distribute s(block) onto q\n" \
  "#pragma xmp align a[i] with s(i)\n"       \
  "#pragma xmp align y[i] with s(i)\n"

#define BOARD(before, between, statement)                         \
  before "#pragma goose parallel for loopcounter(i, j)\n" between \
         "  for (i = 0; i < N; i++)\n"                            \
         "    for (j = 0; j < N; j++) " statement "\n"

INSTANTIATE_TEST_SUITE_P(
    Programs, XaccMessages,
    testing::Values(
        WrongDirective{"BarrierOfSome", "", "#pragma xmp barrier on p(1, 1)\n", 11, 25,
                       "'(' in the directive xmp barrier is not taken"},
        WrongDirective{"BarrierOfOthers", "", "#pragma xmp barrier on q\n", 11, 24,
                       "'q' is no node set: #pragma xmp nodes declares one"},
        WrongDirective{"GmoveOfNothing", "", "#pragma xmp gmove\n#pragma xmp barrier\n", 11, 13,
                       "the directive xmp gmove stands before no assignment of an array or a section to another"},
        WrongDirective{"GmoveOfSums", "", "#pragma xmp gmove\n  u[:][:] = w[:][:] + 1;\n", 11, 39,
                       "'+' in the directive xmp gmove is not taken"},
        WrongDirective{"GmoveByStride", "", "#pragma xmp gmove\n  u[0:4:2][:] = w[0:4][:];\n", 11, 26,
                       "a stride in the directive xmp gmove is not taken"},
        WrongDirective{"GmoveAsynchronous", "", "#pragma xmp gmove async(1)\n  u[:][:] = w[:][:];\n", 11, 19,
                       "async in the directive xmp gmove is not taken"},
        WrongDirective{"GmoveOfTypes", "", "  int n;\n#pragma xmp gmove\n  n = w[0][0];\n", 12, 25,
                       "the directive xmp gmove: 'n' and 'w' have elements of different types"},
        WrongDirective{"GmoveOfSections", "", "#pragma xmp gmove\n  u[:][0] = w[:][:];\n", 11, 31,
                       "the directive xmp gmove: 'u' has sections in 1 dimensions, 'w' in 2"},
        WrongDirective{"GmoveOfRows", "", "#pragma xmp gmove\n  u[0] = w[0];\n", 11, 21,
                       "'u' has 2 dimensions, the directive xmp gmove 1"},
        WrongDirective{"GmoveOfPointers", "", "  double* at = &x;\n#pragma xmp gmove\n  at = w[0][0];\n", 12, 21,
                       "the directive xmp gmove: 'at' is refused: it takes distributed arrays, arrays of constant "
                       "sizes, and variables"},
        WrongDirective{
            "Coarray", "#pragma xmp coarray plain : [*]\n", "", 9, 13,
            "the directive xmp coarray is not taken; taken are nodes, template, distribute, align, shadow, loop, "
            "reflect, reflect_init, reflect_do, barrier, bcast, task, reduction and gmove"},
        WrongDirective{
            "Atomic", "", "#pragma acc atomic\n  x += 1;\n", 11, 13,
            "the directive acc atomic is not taken; taken are data, parallel, kernels, loop, update, wait and "
            "host_data"},
        WrongDirective{"Clause", "", LOOP("acc parallel loop tile(2, 2)", "plain[i] = j;"), 11, 27,
                       "the clause 'tile' of the directive acc parallel is not taken"},
        WrongDirective{"Cyclic", "#pragma xmp template s(0:N-1)\n#pragma xmp distribute s(cyclic) onto p\n", "", 10, 26,
                       "the directive xmp distribute: cyclic is not taken; taken are block and *"},
        WrongDirective{"Dimensions", "#pragma xmp template s(0:N-1)\n#pragma xmp distribute s(block) onto p\n", "", 10,
                       24, "1 dimensions are split by block, the nodes 'p' have 2"},
        WrongDirective{"NoTemplate", "#pragma xmp align plain[i] with s(i)\n", "", 9, 33,
                       "'s' is no template: #pragma xmp template declares one"},
        WrongDirective{"LocalArray", "#pragma xmp align local[i][j] with t(j, i)\n", "", 9, 19,
                       "the directive xmp align: 'local' is no array that this file defines outside of functions, with "
                       "constant sizes and without initial values, and no parameter of this function with constant "
                       "sizes"},
        WrongDirective{"OpenParameter", "void f(double a[][N]) {\n#pragma xmp align a[i][j] with t(j, i)\n}\n", "", 10,
                       19,
                       "the directive xmp align: 'a' is no array that this file defines outside of functions, with "
                       "constant sizes and without initial values, and no parameter of this function with constant "
                       "sizes"},
        WrongDirective{"PlainParameter", "void f(double a[N][N]) {}\n", "  f(w);\n", 12, 5,
                       "the distributed array 'w' is refused for the parameter 'a' of 'f', which is not distributed: "
                       "give it #pragma xmp align in the function"},
        WrongDirective{"ParameterWithoutShadow",
                       "void f(double a[N][N]) {\n#pragma xmp align a[i][j] with t(j, i)\n}\n", "  f(w);\n  f(u);\n",
                       15, 5,
                       "the distributed array 'u' is refused for the parameter 'a' of 'f': the two have different "
                       "sizes, or another align or shadow"},
        WrongDirective{"ParameterOfFloats", "void f(float a[N][N]) {\n#pragma xmp align a[i][j] with t(j, i)\n}\n",
                       "  f(w);\n", 14, 5,
                       "the distributed array 'w' is refused for the parameter 'a' of 'f': their elements have "
                       "different types"},
        WrongDirective{"PrototypeWithoutName",
                       "void f(double[N][N]);\nvoid f(double a[N][N]) {\n#pragma xmp align a[i][j] with t(j, i)\n}\n",
                       "", 9, 8, "the distributed array 'a' must have its name in this prototype, too"},
        WrongDirective{"ShadowOfAnotherFunctions",
                       "void f(double a[N][N]) {\n#pragma xmp align a[i][j] with t(j, i)\n}\nvoid g(double a[N][N]) {\n"
                       "#pragma xmp shadow a[1][1]\n}\n",
                       "", 13, 20, "'a' is no distributed array: #pragma xmp align makes one"},
        WrongDirective{
            "FullShadow", "#pragma xmp shadow w[*][1]\n", "", 9, 22,
            "the directive xmp shadow: a full shadow (*) of 'w' is not taken: it takes nodes of one dimension, "
            "and 'p' has 2"},
        WrongDirective{"WidthOfFullShadow", ONE_DIMENSION "#pragma xmp shadow y[*]\n",
                       "#pragma xmp reflect (y) width(1)\n", 18, 22,
                       "a width of 'y' is refused: its shadow is full, and all of it is reflected"},
        WrongDirective{"NoConstant", "int n;\n#pragma xmp template s(0:n-1)\n", "", 10, 24,
                       "a bound of a template 'n - 1' is refused: it must be a constant of numbers, + - * / % and "
                       "parentheses, after macros"},
        WrongDirective{
            "DeepConstant",
            "#pragma xmp template s(0:" + std::string(100'000, '(') + "1" + std::string(100'000, ')') + ")\n", "", 9,
            24, "a bound of a template is refused: its signs and parentheses are nested more than 256 deep"},
        WrongDirective{"DeepSigns", "#pragma xmp template s(0:" + std::string(100'000, '-') + "1)\n", "", 9, 24,
                       "a bound of a template is refused: its signs and parentheses are nested more than 256 deep"},
        WrongDirective{"WideReflect", "", "#pragma xmp reflect (u) width(2, 1)\n", 11, 22,
                       "a width of 2:2 in dimension 0 of 'u' is refused: the shadow is 1:1"},
        WrongDirective{"NoLoop", "", "#pragma xmp loop (j, i) on t(j, i)\n  x = 1;\n", 11, 9,
                       "the directive xmp loop stands before no for loop"},
        WrongDirective{"Backwards", "",
                       "#pragma xmp loop (i) on t(*, i)\n  for (i = N - 1; i >= 0; i--) plain[i] = 1;\n", 11, 19,
                       "the directive xmp loop: no loop over 'i' follows of the form for (i = A; i < B; i++), with a "
                       "constant step above 0"},
        WrongDirective{"BeyondShadow", "", LOOP("xmp loop (j, i) on t(j, i)", "w[i][j] = u[i][j - 1];"), 13, 48,
                       "'u' is read 1 beside the loop's own elements in dimension 1; its shadow there is 0:1"},
        WrongDirective{"BesideWithAllNodes",
                       "double y[N], z[N];\n#pragma xmp nodes q(*)\n#pragma xmp template s(0:N-1)\n"
                       "#pragma xmp distribute s(block) onto q\n#pragma xmp align y[i] with s(i)\n"
                       "#pragma xmp align z[i] with s(i)\n",
                       "#pragma xmp loop (i) on s(i)\n  for (i = 0; i < N - 1; i++) z[i] = y[i + 1];\n", 18, 40,
                       "'y' is read 1 beside the loop's own elements in dimension 0; its shadow there is 0:0"},
        WrongDirective{"BesideInSplitOfTheRest",
                       "double y[N][N], z[N][N];\n#pragma xmp nodes q(2, *)\n#pragma xmp template s(0:N-1, 0:N-1)\n"
                       "#pragma xmp distribute s(block, block) onto q\n#pragma xmp align y[i][j] with s(j, i)\n"
                       "#pragma xmp align z[i][j] with s(j, i)\n#pragma xmp shadow y[0][1]\n",
                       LOOP("xmp loop (j, i) on s(j, i)", "z[i][j] = y[i][j + 1] + y[i - 1][j];"), 20, 59,
                       "'y' is read 1 beside the loop's own elements in dimension 0; its shadow there is 0:0"},
        WrongDirective{"WrittenBeside", "", LOOP("xmp loop (j, i) on t(j, i)", "u[i + 1][j] = 1;"), 13, 33,
                       "'u' is written 1 beside the loop's own elements, which may be another node's"},
        WrongDirective{"Pointer", "", "  double* at = u[0];\n", 11, 16,
                       "the distributed array 'u' has 2 dimensions, here are 1 subscripts"},
        WrongDirective{
            "SizeOf", "", "  x = sizeof u;\n", 11, 14,
            "the distributed array 'u' is refused here: only its elements, with all subscripts, may be used"},
        WrongDirective{"Address", "", "  double* at = &u[0][0];\n", 11, 16,
                       "the address of an element of a distributed array is refused: on other nodes the array lies "
                       "elsewhere"},
        WrongDirective{"Operation", "", LOOP("xmp loop (j, i) on t(j, i) reduction(*:x)", "x *= u[i][j];"), 11, 48,
                       "a reduction of 'x' by this operation is refused: 'x' is of type double, whose reductions are + "
                       "max min"},
        WrongDirective{"OtherUse", "", LOOP("xmp loop (j, i) on t(j, i) reduction(+:x)", "w[i][j] = x += u[i][j], x;"),
                       13, 57, "'x' of reduction(+: x) is used in the loop other than in x += ... or x = x + ..."},
        WrongDirective{"SumOfTwoLoops", "",
                       "#pragma xmp loop (i) on t(*, i) reduction(+:x)\n  for (i = 0; i < N; i++) {\n    x += i;\n"
                       "#pragma xmp loop (j) on t(j, *)\n    for (j = 0; j < N; j++) x += u[i][j];\n  }\n",
                       11, 45,
                       "the reduction of 'x' is refused: loops that are split over different nodes change 'x'; use a "
                       "variable for each of them"},
        WrongDirective{"CollectiveInTask", "", "#pragma xmp task on p(1, 1)\n  {\n#pragma xmp barrier\n  }\n", 13, 9,
                       "the directive xmp barrier in a task is not taken: all nodes take part in it"},
        WrongDirective{"InAStatement", "", "  if (x > 0)\n#pragma xmp barrier\n    x = 1;\n", 12, 9,
                       "the directive xmp barrier stands inside of a statement: give it braces"},
        WrongDirective{"OutsideOfFunctions", "#pragma xmp barrier\n", "", 9, 9,
                       "the directive xmp barrier stands outside of functions"},
        WrongDirective{
            "Bcast", "", "#pragma xmp bcast (u)\n", 11, 20,
            "the directive xmp bcast: 'u' is refused: it takes variables and arrays that are not distributed"},
        WrongDirective{
            "BoardReadsOthers", ONE_DIMENSION, BOARD("#pragma xmp loop (i) on s(i)\n", "", "a[i] += y[j];"), 20, 39,
            "the directive goose: of dimension 0 of 'y' a node has its own elements only, and this subscript is "
            "not the counter of a loop that xmp loop splits; give 'y' a full shadow (*), which xmp reflect "
            "brings up to date"},
        WrongDirective{
            "BoardWithoutSplit", ONE_DIMENSION, BOARD("", "", "a[i] += j;"), 19, 31,
            "the directive goose: 'a' is distributed, and no directive xmp loop before the directive goose splits the "
            "outer loop"},
        WrongDirective{"BoardWritesOthers", ONE_DIMENSION, BOARD("#pragma xmp loop (i) on s(i)\n", "", "y[j] += a[i];"),
                       20, 31,
                       "the directive goose: 'y' is written with another subscript in dimension 0 than the counter of "
                       "the loop that "
                       "xmp loop splits, and a node writes its own elements only"},
        WrongDirective{"BoardOfSplitPairs", ONE_DIMENSION,
                       BOARD("#pragma xmp loop (j) on s(j)\n", "", "plain[i] += y[j];"), 18, 9,
                       "the directive goose: xmp loop splits the loop over 'j' in it, and a board takes all its steps; "
                       "split the outer loop only"},
        WrongDirective{"BoardBeforeAnother", ONE_DIMENSION, BOARD("", "#pragma xmp loop (i) on s(i)\n", "a[i] += j;"),
                       18, 9,
                       "the directive xmp loop stands between the directive goose and its loop: write it before that "
                       "directive"},
        WrongDirective{
            "BoardAndDevice", ONE_DIMENSION, BOARD("#pragma acc parallel loop\n", "", "plain[i] += j;"), 17, 9,
            "the directive acc parallel is not taken for a loop that the directive goose gives to the board: a "
            "loop has one device"},
        WrongDirective{"BoardWithoutLoop", "", "#pragma goose parallel for loopcounter(i, j)\n  x = 1;\n", 11, 9,
                       "the directive goose parallel stands before no for loop"},
        // Goose's compiler tells of what it does not take.
        WrongDirective{
            "BoardOfOtherLoops", ONE_DIMENSION, BOARD("#pragma xmp loop (i) on s(i)\n", "", "a[i] = a[i] * 2 + j;"), 20,
            5,
            "a result must be accumulated, in a way that does not depend on the order of j: a[i] += ..., a[i] "
            "-= ..., a[i] = fmin(a[i], ...) or fmax; integers also |=, &=, ^=; and under a condition"}),
    [](const testing::TestParamInfo<WrongDirective>& one) { return one.param.name; });

TEST(Xacc, ProgramsKeepTheirLines) {
  const ScratchOfXacc folder;
  const std::filesystem::path path = folder / "right.c";
  base::write_file(path, std::string(kDeclared) +
                             "int main(void) {\n#pragma xmp loop (j, i) \\\n  on t(j, i)\n"
                             "  for (int i = 0; i < N; i++)\n    for (int j = 0; j < N; j++) u[i][j] = __LINE__;\n}\n");
  const compiler::XaccResult result = compiler::compile_xacc(path);
  EXPECT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
  const std::size_t begin = result.source.find("#line 1");
  ASSERT_NE(begin, std::string::npos);
  // The element is on the 13th line, behind the line that says so.
  std::size_t at = begin;
  for (int line = 0; line < 13; ++line) at = result.source.find('\n', at) + 1;
  EXPECT_NE(result.source.substr(at, result.source.find('\n', at) - at).find("u[gdr_xmp_at_0(i, j)] = __LINE__;"),
            std::string::npos);
}

TEST(Xacc, NamesOfSourcesAreNoCode) {
  const ScratchOfXacc folder;
  const std::filesystem::path path = folder / "q\"; int evil; #\n\\ x.c";
  base::write_file(path, std::string(kDeclared) + "int main(void) {\n  return 0;\n}\n");
  const compiler::XaccResult result = compiler::compile_xacc(path);
  EXPECT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
  EXPECT_NE(result.source.find("q\\\"; int evil; #\\012\\\\ x.c\"\n"), std::string::npos);
  EXPECT_EQ(result.source.find("\"; int evil"), result.source.find("\\\"; int evil") + 1);
}

TEST(Xacc, FilesWithoutDirectivesAreRefused) {
  const ScratchOfXacc folder;
  const std::filesystem::path path = folder / "none.c";
  base::write_file(path, "int main(void) { return 0; }\n");
  const compiler::XaccResult result = compiler::compile_xacc(path);
  ASSERT_EQ(result.diagnostics.size(), 1U);
  EXPECT_EQ(result.diagnostics[0].message, "the file has no directive: #pragma xmp or #pragma acc");
  EXPECT_THROW(static_cast<void>(compiler::compile_xacc(folder / "none.cc")), Error);
}

}  // namespace
}  // namespace gdr::compiler_testing
