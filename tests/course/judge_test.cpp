// Verdicts on right and wrong kernels.
#include "gdr/course/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gdr/base/file.h"

namespace gdr::course {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kMoment = R"(kernel moment
bvar long  xj elt
bvar short mj elt
var vector long xi     hlt
var vector long moment rrn flt72to64 fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt moment
loop body
  fsub xj xi $lt
  fmul $lti mj $lt
  fadd moment $lti moment
)";

/// The text with its first `from` replaced.
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Verdict verdict_on(const std::string& exercise, const std::string& source, const JudgeOptions& options = {}) {
  return judge(load_exercise(exercise), assembled(source, "kernel.vsm"), options);
}

std::string solution_of(const Exercise& exercise) {
  return base::read_file(std::string(GDR_COURSE_DIR "/exercises/") + exercise.name + "/solution.vsm");
}

TEST(Judge, AcceptsARightKernelWithItsLinesClocksAndBound) {
  const Verdict verdict = verdict_on("moment", kMoment);
  EXPECT_TRUE(verdict.accepted()) << verdict.message;
  EXPECT_EQ(verdict.lines->lines, 3u);
  EXPECT_EQ(verdict.lines->bound, 3u);
  EXPECT_EQ(verdict.lines->clocks, 32u);  // two words for each of 16 blocks
  EXPECT_EQ(verdict.lines->clocks_bound, "idp");
  EXPECT_EQ(verdict.cases, 6u);
  EXPECT_EQ(verdict.results, 2u + 1 + 1 + 5 + 128 + 200);
  EXPECT_THAT(text_of(verdict, load_exercise("moment")), StartsWith("ACCEPTED moment\n"));
}

TEST(Judge, WrongSignIsAWrongAnswerWithItsPlace) {
  const Verdict verdict = verdict_on("moment", changed(kMoment, "fsub xj xi", "fsub xi xj"));
  EXPECT_EQ(verdict.outcome, Outcome::wrong_answer);
  ASSERT_TRUE(verdict.worst);
  EXPECT_EQ(verdict.worst->column, "moment");
  EXPECT_NEAR(verdict.worst->got, -verdict.worst->wanted, 1e-5);
  EXPECT_NEAR(verdict.worst->error, 2, 1e-5);  // twice the sum of terms of one sign
  EXPECT_THAT(verdict.message, HasSubstr("moment of i-particle "));
}

TEST(Judge, EveryExerciseRefusesAKernelThatComputesNothing) {
  for (const std::string& name : exercise_names()) {
    const Exercise exercise = load_exercise(name);
    std::string source = "kernel nothing\n";
    std::string zeros;
    for (const ResultVariable& result : exercise.results) {
      const std::string elements = result.elements == 0 ? "" : "[" + std::to_string(result.elements) + "]";
      source += "var vector long " + result.name + elements + " rrn flt72to64 fadd\n";
      for (unsigned n = 0; n < std::max(result.elements, 1u); ++n) {
        zeros += "  upassa $lt " + result.name + (elements.empty() ? "" : "[" + std::to_string(n) + "]") + "\n";
      }
    }
    for (const auto& [parameter, value] : exercise.cases[0].parameters)
      source += "param " + parameter + " : long = 0\n";
    const Verdict verdict =
        judge(exercise,
              assembled(source + "loop initialization\n  uxor $lt $lt $lt\n" + zeros + "loop body\n  nop\n", "n.vsm"));
    EXPECT_EQ(verdict.outcome, Outcome::wrong_answer) << text_of(verdict, exercise) << verdict.messages;
  }
}

TEST(Judge, EachTermOfASolutionCounts) {
  // A line of the solution changed, and what the change does to the kernel.
  struct Change {
    const char* exercise;
    const char* from;
    const char* to;
  };
  for (const Change& change :
       {Change{"mass", "long mj elt flt64to72", "short mj elt flt64to36"},  // too few bits
        Change{"inertia", "fadd $lti dz2 $lt", "fadd $lti dy2 $lt"},
        Change{"nearest", "fadd $lti dz2 $lt", "fadd $lti dy2 $lt"}, Change{"neighbours", "number/1", "number/!1"},
        Change{"product", "fmull dx mj $lt", "fmull dx mj $lr8v\n  upassa $t $lt"},
        Change{"histogram", "il\"3\"", "il\"2\""},
        Change{"total", "fadd $lti part[3] total", "fadd $lti part[2] total"},
        Change{"potential", "fadd $lti eps2 r2", "fadd $lti fs\"0.0625\" r2"},  // one value of the parameter
        Change{"pairs", "$ti $t/!1", "$ti $t"},                                 // 1/0
        Change{"gravity", "fmul $ti dy $lt", "fmul $ti dz $lt"},
        Change{"jerk", "fsub $r12v $lt $r12v", "fadd $r12v $lt $r12v"}}) {
    const Exercise exercise = load_exercise(change.exercise);
    std::string source = changed(solution_of(exercise), change.from, change.to);
    const Verdict verdict = judge(exercise, assembled(source, "changed.vsm"));
    if (std::string(change.exercise) == "product") {
      EXPECT_FALSE(verdict.accepted());
    } else {
      EXPECT_EQ(verdict.outcome, Outcome::wrong_answer) << change.exercise << '\n'
                                                        << verdict.messages << verdict.message;
    }
  }
}

TEST(Judge, InfinityInPlaceOfANumberIsInfinitelyWrong) {
  const Verdict verdict =
      verdict_on("moment", changed(kMoment, "fadd moment $lti moment", "fadd f\"inf\" $lti moment"));
  EXPECT_EQ(verdict.outcome, Outcome::wrong_answer);
  EXPECT_TRUE(std::isinf(verdict.worst->error));
}

TEST(Judge, ErrorsInTheSourceAreACompileErrorWithTheMessages) {
  const Verdict verdict = verdict_on("moment", changed(kMoment, "fsub", "frob"));
  EXPECT_EQ(verdict.outcome, Outcome::compile_error);
  EXPECT_THAT(verdict.messages, HasSubstr("kernel.vsm:10:3: error:"));
  EXPECT_FALSE(verdict.lines);
}

TEST(Judge, WhatTheExerciseDoesNotHaveIsARunError) {
  Verdict verdict = verdict_on("mass", kMoment);
  EXPECT_EQ(verdict.outcome, Outcome::run_error);
  EXPECT_EQ(verdict.message, "in the shown data: the kernel has no result 'mass'");
  std::string source = changed(changed(kMoment, "  xj elt", "  yj elt"), "fsub xj", "fsub yj");
  verdict = verdict_on("moment", source);
  EXPECT_EQ(verdict.outcome, Outcome::run_error);
  EXPECT_THAT(verdict.message, HasSubstr("no j-data 'yj', which the kernel declares; it has xj, mj"));
  source = changed(changed(kMoment, "xi     hlt", "xi     hlt fix64to72"), "$lti moment", "$lti moment");
  verdict = verdict_on("moment", source);
  EXPECT_EQ(verdict.outcome, Outcome::run_error);
  EXPECT_THAT(verdict.message, HasSubstr("i-data 'xi' are real numbers, but the kernel declares them as whole ones"));
}

TEST(Judge, AMissingParameterIsARunError) {
  const Exercise exercise = load_exercise("potential");
  std::string source = changed(solution_of(exercise), "param eps2", "param other");
  source = changed(source, "fadd $lti eps2", "fadd $lti other");
  const Verdict verdict = judge(exercise, assembled(source, "k.vsm"));
  EXPECT_EQ(verdict.outcome, Outcome::run_error);
  EXPECT_THAT(verdict.message, HasSubstr("eps2"));
}

TEST(Judge, KernelsThatMoveDataThemselvesAreARunError) {
  const Verdict verdict = verdict_on("moment", R"(kernel moment
bvar vector long moment rrn flt72to64 fadd
var vector long xi hlt
loop body
  nop
loop termination
  bm xi moment @0
  nop
  collect moment
)");
  EXPECT_EQ(verdict.outcome, Outcome::run_error) << verdict.messages;
  EXPECT_THAT(verdict.message, HasSubstr("Type II"));
}

TEST(Judge, TooManyLinesAreALimitOnlyIfTheResultsAreRight) {
  const Exercise exercise = load_exercise("gravity");
  const std::string longer = changed(solution_of(exercise), "loop body\n", "loop body\n  nop\n");
  Verdict verdict = judge(exercise, assembled(longer, "k.vsm"));
  EXPECT_EQ(verdict.outcome, Outcome::limit);
  EXPECT_EQ(verdict.message, "all results are right, but the kernel has 28 lines; 27 are allowed");
  verdict = judge(exercise, assembled(changed(longer, "fmul $ti dy $lt", "fmul $ti dz $lt"), "k.vsm"));
  EXPECT_EQ(verdict.outcome, Outcome::wrong_answer);
}

TEST(Judge, TheHashIsThatOfTheVerdictAndOfNothingElse) {
  const Verdict verdict = verdict_on("moment", kMoment);
  EXPECT_EQ(verdict.hash, verdict_on("moment", kMoment, {1, 1}).hash);  // threads
  EXPECT_EQ(verdict.hash, judge(load_exercise("moment"), assembled(kMoment, "other/name.vsm")).hash);
  EXPECT_NE(verdict.hash, verdict_on("moment", kMoment, {2, 0}).hash);  // seed
  EXPECT_NE(verdict.hash, verdict_on("moment", kMoment + std::string("# mine\n")).hash);
  EXPECT_NE(verdict.hash, verdict_on("product", kMoment).hash);
  // Kept: every host and the browser give this one.
  EXPECT_EQ(verdict.hash, "d07866b103624bbc1fa84d4d72fecd2d7bd9d2e78857c6ab5a45cc6dec3c14f0");
}

}  // namespace
}  // namespace gdr::course
