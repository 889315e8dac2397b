// What cannot be computed on the board is told at its place in the user's program, with what to do instead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "gdr/base/file.h"
#include "gdr/compiler/goose.h"
#include "host_functions.h"

namespace gdr::compiler_testing {
namespace {

struct Refused {
  const char* name;
  const char* loops;  // of the function f, from line 8 on
  unsigned line;
  unsigned column;
  const char* message;
};

const char* kHead =
    "#include <math.h>\n"
    "struct node { double x; struct node *next; };\n"
    "double x[9], y[9], a[9], b[9], m[9][9], total;\n"
    "int other(int), index_[9];\n"
    "void f(int n, double *p, struct node *list) {\n"
    "  double t = 0, r, *q;\n"
    "  int i, j, k;\n";

#define LOOPS(before, body, after)                                                                  \
  "#pragma goose parallel for loopcounter(i, j) result(a[i])\n  for (i = 0; i < n; i++) {\n" before \
  "    for (j = 0; j < n; j++) {\n" body "    }\n" after "  }\n"

void PrintTo(const Refused& one, std::ostream* out) { *out << one.name; }

class GooseMessages : public testing::TestWithParam<Refused> {};

TEST_P(GooseMessages, NameThePlaceAndWhatToDo) {
  const Refused& one = GetParam();
  const Folder folder;
  const std::filesystem::path path = folder / "wrong.c";
  base::write_file(path, std::string(kHead) + one.loops + "}\n");
  compiler::GooseOptions options;
  options.compile.effort = 1;
  const compiler::GooseResult result = compiler::compile_goose(path, options);
  EXPECT_EQ(result.source, "");
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].message, one.message);
  EXPECT_EQ(result.diagnostics[0].file, path.string());
  EXPECT_EQ(result.diagnostics[0].line, one.line);
  EXPECT_EQ(result.diagnostics[0].column, one.column);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, GooseMessages,
    testing::Values(
        Refused{"NoLoopcounter", "#pragma goose parallel for result(a[i])\n  for (i = 0; i < n; i++) {}\n", 8, 9,
                "the clause loopcounter(i, j) is missing: it names the counters of the two loops"},
        Refused{"OneCounter", "#pragma goose parallel for loopcounter(i)\n  for (i = 0; i < n; i++) {}\n", 8, 41,
                "one counter alone: pairs take two loops, loopcounter(i, j)"},
        Refused{"UnknownClause",
                "#pragma goose parallel for loopcounter(i, j) shared(t)\n  for (i = 0; i < n; i++) {}\n", 8, 46,
                "the clause 'shared' is not known; known are loopcounter, precision, result, private and nip_pack"},
        Refused{"UnknownPrecision",
                "#pragma goose parallel for loopcounter(i, j) precision(\"half\")\n  for (i = 0; i < n; i++) {}\n", 8,
                56, "precision(\"half\") is refused: it is \"double\", \"single\" or \"mixed\""},
        Refused{"NoLoop", "#pragma goose parallel for loopcounter(i, j)\n  n = 3;\n  for (i = 0; i < n; i++) {}\n", 8,
                9, "the directive stands before no for loop"},
        Refused{"OtherCounter", "#pragma goose parallel for loopcounter(i, j)\n  for (k = 0; k < n; k++) {}\n", 9, 3,
                "this loop counts 'k', loopcounter names 'i'"},
        Refused{"NoInnerLoop", "#pragma goose parallel for loopcounter(i, j)\n  for (i = 0; i < n; i++) a[i] = 0;\n", 9,
                3, "the loop over 'i' has no loop over 'j' directly in it, which loopcounter names"},
        Refused{"List",
                "#pragma goose parallel for loopcounter(i, j)\n  for (i = 0; i < n; i++)\n    for (; list; list = "
                "list->next) a[i] += list->x;\n",
                9, 3, "the loop over 'i' has no loop over 'j' directly in it, which loopcounter names"},
        Refused{
            "Triangle",
            "#pragma goose parallel for loopcounter(i, j)\n  for (i = 0; i < n; i++)\n    for (j = i + 1; j < n; j++) "
            "a[i] += x[j];\n",
            10, 14,
            "the bounds of the loop over 'j' depend on 'i': every i meets every j; take all j, and leave pairs out by "
            "a "
            "condition in the loop"},
        Refused{
            "PrivateResult",
            "#pragma goose parallel for loopcounter(i, j) private(r, a)\n  for (i = 0; i < n; i++)\n    for (j = 0; j "
            "< n; j++) a[i] += x[j];\n",
            10, 29,
            "'a[i]' is private, and what the loops write there would be lost: name it in the clause result, or "
            "declare it inside the loops"},
        Refused{
            "ResultOfJ", LOOPS("", "      a[i] += x[j];\n      a[j] -= x[i];\n", ""), 12, 7,
            "'a[j]' belongs to j, or to a pair: results are those of i, each a sum over all j; let the loop over all "
            "pairs add for i alone"},
        Refused{
            "ResultReadAsData", LOOPS("", "      a[i] += a[j] * x[i];\n", ""), 11, 15,
            "'a[j]' is read here, and the loops write 'a[i]': what is read would depend on the order of i; write to "
            "another array"},
        Refused{
            "DataWrittenAfter", LOOPS("", "      a[i] += x[j];\n", "    x[i] = a[i];\n"), 11, 15,
            "'x[j]' is read here, and the loops write 'x[i]': what is read would depend on the order of i; write to "
            "another array"},
        Refused{"DataOfAPair", LOOPS("", "      a[i] += m[i][j];\n", ""), 11, 15,
                "'m[i][j]' is data of a pair: data belong to i or to j; compute it from such data"},
        Refused{"DataLoop", LOOPS("", "      for (k = 0; k < index_[j]; k++) a[i] += x[j];\n", ""), 11, 7,
                "the number of turns of this loop is not a constant: every pair takes the same lines; give it constant "
                "bounds, steps of 1 and at most 512 turns"},
        Refused{"While", LOOPS("", "      while (t < x[j]) t = t + 1;\n      a[i] += t;\n", ""), 11, 7,
                "the number of turns of this loop is not a constant: every pair takes the same lines; write a for loop "
                "with "
                "constant bounds"},
        Refused{"PointerFollowed", LOOPS("", "      list = list->next;\n      a[i] += list->x * x[j];\n", ""), 11, 14,
                "'list->next' is no float, double or integer: pairs see numbers alone, not addresses"},
        Refused{"UnnamedStructure", LOOPS("", "      struct { double d; } s = {x[j]};\n      a[i] += s.d;\n", ""), 11,
                28,
                "the structure of 's' is known in this function alone: declare it before the function, with a name"},
        Refused{"ThroughAPointer", LOOPS("    double *to = x + i;\n", "      a[i] += x[j];\n", "    *to = a[i];\n"), 12,
                15,
                "'x[j]' is read here, and the loops write '*(x + i)': what is read would depend on the order of i; "
                "write to "
                "another array"},
        Refused{
            "ThroughAMovedPointer",
            LOOPS("    q = x;\n    double *to = q;\n    to = to + i;\n", "      a[i] += x[j];\n", "    *to = a[i];\n"),
            16, 5,
            "'*to' is written through a pointer whose place is not known here: write to elements by their index"},
        Refused{"IndexComputed", LOOPS("", "      k = x[j] > 0;\n      a[i] += p[k];\n", ""), 12, 15,
                "the index 'k' is computed for each pair: PEs have no memory of the host; an index may hold i, j, "
                "constants "
                "and counters of loops with a constant number of turns"},
        Refused{"ThroughDataUnderCondition", LOOPS("", "      if (index_[j] > 0) a[i] += y[index_[j]];\n", ""), 11, 34,
                "'y[index_[j]]' is found through other data, and only under a condition: data are sent for all i and "
                "j; read "
                "it outside of the condition"},
        Refused{"BesideUnderCondition", LOOPS("", "      if (i == 0) continue;\n      a[i] += x[i - 1] * y[j];\n", ""),
                12, 15,
                "'x[i - 1]' is beside i or j, and is read only under a condition: data are sent for all i and j, of "
                "which it "
                "may not be there for the first or last; read it outside of the condition"},
        Refused{"BoundsChanged", LOOPS("", "      a[i] += x[j];\n", "    n = n - 1;\n"), 9, 19,
                "'n' is changed in the loops whose bounds it is: the board takes all i and j at once"},
        Refused{
            "UnknownFunction", LOOPS("", "      a[i] += other(index_[j]);\n", ""), 11, 7,
            "function 'other' is called, which the machine does not have; known are sqrt, cbrt, hypot, fabs, fmin, "
            "fmax, fdim, fma, fmod, remainder, remquo, modf, frexp, ldexp, logb, ilogb, copysign, exp, exp2, exp10, "
            "expm1, log, log2, log10, log1p, pow, sin, cos, sincos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, "
            "asinh, acosh, atanh, erf, erfc, tgamma, lgamma, floor, ceil, trunc, round, rint, lround, lrint and "
            "those of gdr/kernel.h"},
        Refused{"Break", LOOPS("", "      if (x[j] > 1) break;\n      a[i] += x[j];\n", ""), 11, 21,
                "the loop over j ends early: every i meets every j; use a condition"},
        Refused{
            "BreakInASwitchOfTheLoopOverJ",
            LOOPS("", "      switch (index_[j]) { case 1: break; }\n      if (x[j] > 1) break;\n      a[i] += x[j];\n",
                  ""),
            12, 21, "the loop over j ends early: every i meets every j; use a condition"},
        Refused{
            "VariableThatATurnMayLeaveOut",
            LOOPS("",
                  "      for (k = 0; k < 3; k++) {\n        if (x[j] > k) break;\n        r = x[j];\n      }\n"
                  "      a[i] += r;\n",
                  ""),
            13, 9,
            "a result must be accumulated, in a way that does not depend on the order of j: a[i] += ..., a[i] -= ..., "
            "a[i] = fmin(a[i], ...) or fmax; integers also |=, &=, ^=; and under a condition"},
        Refused{"BesideUnderBreak",
                LOOPS("",
                      "      for (k = 0; k < 3; k++) {\n        if (y[j] > k) break;\n        a[i] += x[i - 1];\n"
                      "      }\n",
                      ""),
                13, 17,
                "'x[i - 1]' is beside i or j, and is read only under a condition: data are sent for all i and j, of "
                "which it may not be there for the first or last; read it outside of the condition"},
        Refused{"ResultsAtAnIndexOfThePair", LOOPS("", "      k = x[j] > 0;\n      a[i] += a[k];\n", ""), 12, 15,
                "the index 'k' is computed for each pair: PEs have no memory of the host; an index may hold i, j, "
                "constants and counters of loops with a constant number of turns"},
        Refused{"Return", LOOPS("", "      a[i] += x[j];\n", "    if (a[i] > 3) return;\n"), 13, 19,
                "control leaves the loop here: the board computes for all i at once"},
        Refused{
            "Overwritten", LOOPS("", "      a[i] = x[j];\n", ""), 11, 7,
            "a result must be accumulated, in a way that does not depend on the order of j: a[i] += ..., a[i] -= ..., "
            "a[i] = fmin(a[i], ...) or fmax; integers also |=, &=, ^=; and under a condition"},
        Refused{
            "Recurrence", LOOPS("    t = 0;\n", "      t = t * 0.5 + x[j];\n", "    a[i] = t;\n"), 12, 7,
            "a result must be accumulated, in a way that does not depend on the order of j: a[i] += ..., a[i] -= ..., "
            "a[i] = fmin(a[i], ...) or fmax; integers also |=, &=, ^=; and under a condition"},
        Refused{"LastPairRead", LOOPS("", "      r = x[j] - x[i];\n      a[i] += r;\n", "    a[i] += r;\n"), 14, 13,
                "variable 'r' would hold what the last pair left in it: pairs are computed in no order; compute it "
                "here, or "
                "declare it inside the loop"},
        Refused{"CallBeside", LOOPS("    k = other(i);\n", "      a[i] += x[j] * k;\n", ""), 10, 9,
                "function 'other' is called beside the loop over j, and may change what that reads: call it before or "
                "after "
                "both loops, or declare it __attribute__((const))"},
        Refused{
            "AddsBefore", LOOPS("    a[i] += 1;\n", "      a[i] += x[j];\n", ""), 10, 5,
            "statements before the loop over j may only assign with '=': 'a[i]' is changed; do it after that loop, or "
            "before both"},
        Refused{"TwoWays", LOOPS("", "      a[i] += x[j];\n      a[i] = fmin(a[i], x[j]);\n", ""), 12, 7,
                "a result is reduced in two ways: by fmin here and by fadd before"}),
    [](const auto& one) { return std::string(one.param.name); });

compiler::GooseResult of_text(const std::string& text) {
  const Folder folder;
  const std::filesystem::path path = folder / "one.c";
  base::write_file(path, text);
  return compiler::compile_goose(path);
}

TEST(GooseMessages, OfAProgramWithoutLoopsSayWhatMarksThem) {
  const compiler::GooseResult result = of_text("int main(void) { return 0; }\n");
  ASSERT_EQ(result.diagnostics.size(), 1U);
  EXPECT_EQ(
      result.diagnostics[0].message,
      "no loop is marked: #pragma goose parallel for loopcounter(i, j) precision(\"double\") result(...) stands before "
      "a loop over i with one over j in it");
}

/// Warnings of a loop that is compiled nevertheless, as LINE:COLUMN: TEXT.
std::vector<std::string> warned(const std::string& loops) {
  const compiler::GooseResult result = of_text(kHead + loops + "}\n");
  EXPECT_TRUE(result.diagnostics.empty()) << compiler::format_diagnostics(result);
  EXPECT_NE(result.source, "");
  std::vector<std::string> texts;
  for (const compiler::Diagnostic& one : result.warnings) {
    texts.push_back(std::to_string(one.line) + ":" + std::to_string(one.column) + ": " + one.message);
    EXPECT_NE(compiler::format_diagnostics(result).find("one.c:" + std::to_string(one.line) + ":"), std::string::npos);
  }
  return texts;
}

TEST(GooseMessages, WarnOfResultsThatTheClauseGetsWrong) {
  using testing::ElementsAre;
  EXPECT_THAT(warned("#pragma goose parallel for loopcounter(i, j) result(a[i], b[i])\n  for (i = 0; i < n; i++)\n"
                     "    for (j = 0; j < n; j++) a[i] += x[j];\n"),
              ElementsAre("8:59: result 'b[i]' is not written by the loops"));
  EXPECT_THAT(warned(LOOPS("", "      a[i] += x[j];\n      b[i] += y[j];\n", "")),
              ElementsAre("12:7: 'b[i]' is written, so it is a result, although the clause result does not name it"));
  EXPECT_THAT(warned(LOOPS("", "      a[i] += x[j];\n      total += y[j];\n", "")),
              ElementsAre("12:7: 'total' is written, so it is a result, although the clause result does not name it"));
  EXPECT_THAT(warned("#pragma goose parallel for private(r, t) nip_pack(1) loopcounter(i, j) result(a)\n"
                     "  for (i = 0; i < n; i++)\n    for (j = 0; j < n; j++) { r = x[j]; a[i] += r; }\n"),
              ElementsAre());
}

TEST(GooseMessages, OfClangAreItsOwn) {
  const compiler::GooseResult result = of_text("int main(void) { return nothing; }\n");
  EXPECT_NE(result.clang.find("one.c:1:25: error: use of undeclared identifier 'nothing'"), std::string::npos)
      << result.clang;
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].message, "clang does not compile it");
}

TEST(GooseMessages, TellOfEachLoop) {
  const compiler::GooseResult result = of_text(
      "double a[3], x[3];\nvoid f(void) {\n#pragma goose parallel for loopcounter(i, j) shared(b)\n"
      "  for (int i = 0; i < 3; i++)\n    for (int j = 0; j < 3; j++) a[i] += x[j];\n"
      "#pragma goose parallel for loopcounter(i, j)\n"
      "  for (int i = 0; i < 3; i++)\n    for (int j = 0; j < 3; j++) a[j] += x[i];\n}\n");
  ASSERT_EQ(result.diagnostics.size(), 2U);
  EXPECT_EQ(result.diagnostics[0].line, 3U);
  EXPECT_EQ(result.diagnostics[1].line, 8U);
}

}  // namespace
}  // namespace gdr::compiler_testing
