#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "command/command.h"
#include "command/kernel_source.h"
#include "gdr/base/counted.h"
#include "gdr/base/file.h"
#include "gdr/course/data.h"
#include "gdr/course/judge.h"
#include "gdr/hostlib/table.h"

namespace gdr::cli {
namespace {

struct JudgeArguments {
  ReportOptions report;
  CompileArguments compile;
  std::string exercise;
  std::string kernel;
  std::string data;
  std::uint64_t seed = 1;
  std::uint64_t test_case = 0;
  std::uint64_t hint = 0;
  bool solution = false;
  bool start = false;
};

/// Exit statuses of verdicts; 1 and 2 are those of every command. docs/reference/cli.md lists them.
int status_of(course::Outcome outcome) {
  switch (outcome) {
    case course::Outcome::accepted:
      return kSuccess;
    case course::Outcome::wrong_answer:
      return 3;
    case course::Outcome::compile_error:
      return 4;
    case course::Outcome::run_error:
      return 5;
    case course::Outcome::limit:
      break;
  }
  return 6;
}

int list_exercises() {
  fmt::print("{}", course::list_of_exercises());
  return kSuccess;
}

int show_hint(const course::Exercise& exercise, std::uint64_t number) {
  if (number > exercise.hints.size()) {
    throw UsageError(fmt::format("--hint: {} is refused: exercise {} has {}", number, exercise.name,
                                 base::counted(exercise.hints.size(), "hint")));
  }
  fmt::print("{}\n", exercise.hints[number - 1]);
  return kSuccess;
}

int write_data(const course::Exercise& exercise, const JudgeArguments& arguments) {
  if (arguments.test_case >= exercise.cases.size()) {
    throw UsageError(fmt::format("--case: {} is refused: exercise {} has cases 0 to {}", arguments.test_case,
                                 exercise.name, exercise.cases.size() - 1));
  }
  const auto tables = course::tables_of(exercise, arguments.test_case, arguments.seed);
  std::vector<std::string> files;
  for (const auto& [name, table] : tables) files.push_back(std::filesystem::path(arguments.data) / name);
  arguments.report.command->try_outputs("--data", files);
  base::make_folder(arguments.data);
  for (std::size_t file = 0; file < files.size(); ++file) hostlib::write_table(files[file], tables[file].second);
  return kSuccess;
}

/// Messages go to standard error, as from every command that assembles or compiles.
course::Submission load(const std::string& file, const CompileArguments& compile) {
  if (file.ends_with(".vsm")) {
    compile.refuse_for(file);
    course::Submission submission = course::assembled(base::read_file(file), file);
    std::fputs(submission.messages.c_str(), stderr);
    return submission;
  }
  if (!compiler::is_source(file)) {
    throw UsageError(file + ": a kernel is a source: .vsm, or .cc, .cpp, .cxx, .ll, .bc, .lsump");
  }
  CompiledKernel kernel = compile_kernel(file, compile.options());
  std::string messages = compiler::format_diagnostics(kernel.compiled);
  return {base::read_file(file), std::move(kernel.assembled.program), std::move(messages)};
}

int judge(const JudgeArguments& arguments) {
  if (arguments.exercise.empty()) return list_exercises();
  if (std::filesystem::path(arguments.exercise).has_extension()) {
    throw UsageError(
        fmt::format("exercise: '{0}' is a file; the exercise comes first: gdr judge EXERCISE {0}", arguments.exercise));
  }
  const course::Exercise exercise =
      from_command_line("exercise", [&] { return course::load_exercise(arguments.exercise); });
  if (arguments.hint > 0) return show_hint(exercise, arguments.hint);
  if (!arguments.data.empty()) return write_data(exercise, arguments);
  if (arguments.start) {
    fmt::print("{}", course::starting_source(exercise));
    return kSuccess;
  }
  if (arguments.solution) {
    fmt::print("{}", base::read_file(course::exercise_file(exercise, "solution.vsm")));
    return kSuccess;
  }
  if (arguments.kernel.empty()) {
    fmt::print("{}", exercise.task);
    return kSuccess;
  }
  const course::Submission submission = load(arguments.kernel, arguments.compile);
  const course::Verdict verdict = course::judge(exercise, submission, {arguments.seed, 0});
  if (arguments.report.speaks()) {
    const std::string text = course::text_of(verdict, exercise);
    fmt::print("{}", arguments.report.quiet ? text.substr(0, text.find('\n') + 1) : text);
  }
  const BoardOptions board;  // the one that the judge uses
  Json report = arguments.report.begin(board.machine, board.engine, true);
  course::add_fields(report, verdict, exercise);
  arguments.report.write(report);
  return status_of(verdict.outcome);
}

}  // namespace

void add_judge(Command program, const std::string& name) {
  const auto [command, arguments] = program.add_command<JudgeArguments>(
      name, "judge a kernel that solves an exercise of the course", "gdr judge moment moment.vsm", judge);
  const Option exercise = command.add_option("exercise=NAME", arguments->exercise,
                                             "name or number of the exercise; without one, all are listed");
  command.add_option("kernel=FILE", arguments->kernel,
                     "source of the kernel (.vsm, or C++: .cc); without one, the task is shown");
  const Option seed = command.add_option("--seed", arguments->seed);
  const Option hint = command.add_option("--hint", arguments->hint, "show this hint", whole_in_range(1, 100));
  const Option start = command.add_flag("--start", arguments->start, "show a source to begin with");
  const Option solution = command.add_flag("--solution", arguments->solution, "show the solution");
  const Option data = command.add_option("--data=DIR", arguments->data,
                                         "write i.csv, j.csv and the right results.csv into this folder");
  const Option test_case = command.add_option("--case", arguments->test_case,
                                              "case that --data writes: 0 is the shown one, the others are hidden");
  test_case.needs(data);
  const std::size_t others = command.options_but(exercise).size();
  arguments->compile.CompileChoices::add_to(command, false);  // --seed is that of the data
  arguments->report.add_to(command);
  std::vector<Option> of_judging = command.options_but(exercise);
  of_judging.erase(of_judging.begin(), of_judging.begin() + static_cast<std::ptrdiff_t>(others));
  const std::vector<Option> shown{hint, start, solution, data};
  for (std::size_t one = 0; one < shown.size(); ++one) {
    for (std::size_t other = 0; other < one; ++other) static_cast<void>(shown[one].excludes(shown[other]));
  }
  command.refuse_if(command.options_but(exercise), [arguments = arguments] {
    return arguments->exercise.empty() ? "without an exercise: all are listed" : "";
  });
  command.refuse_if(of_judging,
                    [arguments = arguments] { return arguments->kernel.empty() ? "without a kernel" : ""; });
  command.refuse_if({seed}, [arguments = arguments] {
    return arguments->kernel.empty() && arguments->data.empty() ? "without a kernel or --data" : "";
  });
  command.refuse_if(
      shown, [arguments = arguments] { return arguments->kernel.empty() ? "" : "with a kernel, which is judged"; });
}

}  // namespace gdr::cli
