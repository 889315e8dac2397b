// The exercises as they are shipped: descriptions, data, solutions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/course/data.h"
#include "gdr/course/judge.h"

namespace gdr::course {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::string shipped(const Exercise& exercise, const std::string& file) {
  return base::read_file(std::string(GDR_COURSE_DIR "/exercises/") + exercise.name + "/" + file);
}

std::vector<Exercise> all() {
  std::vector<Exercise> exercises;
  for (const std::string& name : exercise_names()) exercises.push_back(load_exercise(name));
  return exercises;
}

TEST(Exercises, AreTwelveWithTasksAndHints) {
  const std::vector<Exercise> exercises = all();
  EXPECT_EQ(exercises.size(), 12u);
  for (const Exercise& exercise : exercises) {
    EXPECT_EQ(load_exercise(std::to_string(exercise.number)).name, exercise.name);
    EXPECT_THAT(exercise.task, HasSubstr("# " + exercise.title));
    EXPECT_GE(exercise.hints.size(), 2u) << exercise.name;
    EXPECT_GE(exercise.cases.size(), 3u) << exercise.name;
  }
}

TEST(Exercises, UnknownNameIsRefusedWithTheKnownOnes) {
  for (const char* name : {"gravitation", "0", "13", ""}) {
    EXPECT_THAT([&] { (void)load_exercise(name); }, ThrowsMessage<Error>(HasSubstr("from 1 to 12, or one of mass,")));
  }
}

TEST(Exercises, SolutionsAreAcceptedWithParAndBoundAndWithoutAWarning) {
  for (const Exercise& exercise : all()) {
    const Submission solution = assembled(shipped(exercise, "solution.vsm"), "solution.vsm");
    for (const std::uint64_t seed : {1, 2}) {
      const Verdict verdict = judge(exercise, solution, {seed, 0});
      EXPECT_EQ(verdict.outcome, Outcome::accepted) << text_of(verdict, exercise);
      ASSERT_TRUE(verdict.lines);
      EXPECT_EQ(verdict.lines->lines, exercise.par) << exercise.name;
      EXPECT_EQ(verdict.lines->bound, exercise.bound) << exercise.name;
      EXPECT_EQ(verdict.messages, "") << exercise.name;
      EXPECT_EQ(verdict.events, 0u) << exercise.name;
    }
  }
}

TEST(Exercises, ShownFilesHoldTheShownCase) {
  for (const Exercise& exercise : all()) {
    const CaseData data = make_data(exercise, 0, 77);
    EXPECT_EQ(shipped(exercise, "shown/i.csv"), hostlib::to_csv(data.i)) << exercise.name;
    if (!exercise.j.empty()) {
      EXPECT_EQ(shipped(exercise, "shown/j.csv"), hostlib::to_csv(data.j)) << exercise.name;
    }
    EXPECT_EQ(shipped(exercise, "shown/results.csv"), hostlib::to_csv(table_of(expected_results(exercise, data))))
        << exercise.name;
  }
}

TEST(Exercises, HiddenDataDependOnTheSeedAndStayInTheirRanges) {
  for (const Exercise& exercise : all()) {
    for (std::size_t number = 1; number < exercise.cases.size(); ++number) {
      const CaseData data = make_data(exercise, number, 1);
      EXPECT_EQ(data.i, make_data(exercise, number, 1).i);
      EXPECT_EQ(data.j, make_data(exercise, number, 1).j);
      if (data.i.rows() > 1) {
        EXPECT_NE(data.i, make_data(exercise, number, 2).i) << exercise.name;
      }
      for (const DataVariable& variable : exercise.j) {
        for (const hostlib::Column& column : data.j.columns()) {
          if (column.name != variable.name || column.type() != hostlib::NumberType::real) continue;
          for (const double value : std::get<std::vector<double>>(column.numbers)) {
            EXPECT_GE(value, variable.from);
            EXPECT_LT(value, variable.to);
          }
        }
      }
    }
  }
}

TEST(Exercises, ParticleItselfIsAmongTheOthersWhereTheTaskSaysSo) {
  const CaseData data = make_data(load_exercise("pairs"), 3, 1);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto& i = std::get<std::vector<double>>(data.i.columns()[axis].numbers);
    const auto& j = std::get<std::vector<double>>(data.j.columns()[axis].numbers);
    for (std::size_t n = 0; n < i.size(); ++n) EXPECT_EQ(i[n], j[n % j.size()]);
  }
}

TEST(Exercises, PackingThePlainKernelReachesPar) {
  const Exercise exercise = load_exercise("jerk");
  assembler::AssembleOptions options;
  options.schedule.level = assembler::ScheduleLevel::full;
  assembler::AssembleResult packed = assembler::assemble(shipped(exercise, "plain.vsm"), "plain.vsm", options);
  const Verdict verdict = judge(exercise, {shipped(exercise, "plain.vsm"), std::move(packed.program), ""});
  EXPECT_TRUE(verdict.accepted()) << text_of(verdict, exercise);
  EXPECT_EQ(verdict.lines->lines, exercise.par);
}

}  // namespace
}  // namespace gdr::course
