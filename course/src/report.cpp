// A verdict as text and as JSON.
#include <fmt/format.h>

#include "gdr/course/judge.h"

namespace gdr::course {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::accepted:
      return "ACCEPTED";
    case Outcome::wrong_answer:
      return "WRONG ANSWER";
    case Outcome::compile_error:
      return "COMPILE ERROR";
    case Outcome::run_error:
      return "RUN ERROR";
    case Outcome::limit:
      break;
  }
  return "LIMIT";
}

std::string text_of(const Verdict& verdict, const Exercise& exercise) {
  std::string text = fmt::format("{} {}", name_of(verdict.outcome), verdict.exercise);
  if (!verdict.message.empty()) text += ": " + verdict.message;
  text += '\n';
  const auto row = [&](std::string_view what, const std::string& value) {
    text += fmt::format("  {:<14} {}\n", what, value);
  };
  if (verdict.lines) {
    const Lines& lines = *verdict.lines;
    row("lines", fmt::format("{} in {}{}; par {}", lines.lines, exercise.counted == Counted::loop_body ? "the " : "",
                             name_of(exercise.counted), exercise.par));
    row("bound", fmt::format("{}: no order of these operations has fewer lines", lines.bound));
    row("clocks", fmt::format("{} per iteration (bound: {})", lines.clocks, lines.clocks_bound));
  }
  if (verdict.worst) {
    row("largest error", fmt::format("{:.1e}; {:.1e} is allowed", verdict.worst->error, exercise.tolerance));
    row("compared", fmt::format("{} results in {} cases, seed {}", verdict.results, verdict.cases, verdict.seed));
  }
  row("hash", verdict.hash);
  return text;
}

void add_fields(base::Json& json, const Verdict& verdict, const Exercise& exercise) {
  using base::Json;
  json["exercise"] = verdict.exercise;
  json["number"] = exercise.number;
  json["verdict"] = name_of(verdict.outcome);
  json["accepted"] = verdict.accepted();
  json["message"] = verdict.message;
  json["lines"] = verdict.lines ? Json(verdict.lines->lines) : Json();
  json["least_lines"] = verdict.lines ? Json(verdict.lines->bound) : Json();
  json["clocks_per_iteration"] = verdict.lines ? Json(verdict.lines->clocks) : Json();
  json["bound"] = verdict.lines ? Json(verdict.lines->clocks_bound) : Json();
  json["counted"] = name_of(exercise.counted);
  json["par"] = exercise.par;
  json["par_least_lines"] = exercise.bound;
  json["most_lines"] = exercise.most_lines ? Json(*exercise.most_lines) : Json();
  json["tolerance"] = exercise.tolerance;
  json["worst"] = nullptr;
  if (verdict.worst) {
    json["worst"] = {{"case", verdict.worst->test_case}, {"column", verdict.worst->column},
                     {"row", verdict.worst->row},        {"got", verdict.worst->got},
                     {"wanted", verdict.worst->wanted},  {"error", verdict.worst->error}};
  }
  json["cases"] = verdict.cases;
  json["results"] = verdict.results;
  json["events"] = verdict.events;
  json["seed"] = verdict.seed;
  json["messages"] = verdict.messages;
  json["submission_sha256"] = verdict.submission_sha256;
  json["results_sha256"] = verdict.results_sha256;
  json["hash"] = verdict.hash;
}

}  // namespace gdr::course
