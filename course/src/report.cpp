// A verdict as text and as JSON.
#include <fmt/format.h>

#include "gdr/assembler/report_fields.h"
#include "gdr/base/report_fields.h"
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
    row("bound", fmt::format("{}: no order of these operations has fewer lines with these registers", lines.bound));
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

std::span<const base::ReportShape> report_shapes() {
  static const std::vector<base::ReportShape> shapes{
      {"judge",
       1,
       {base::text_field("exercise", "name of the exercise"),
        base::whole_field("number", "its number"),
        base::text_field("verdict", "verdict"),
        base::flag_field("accepted", "whether the kernel is accepted"),
        base::text_field("message", "why not, else empty"),
        base::or_null(base::whole_field("lines", "lines that the exercise counts; null after a compile error")),
        assembler::least_lines_field(),
        assembler::clocks_field(),
        assembler::bound_field(),
        base::text_field("counted", "sections whose lines count: `loop body` or `all sections`"),
        base::whole_field("par", "lines of a good solution"),
        base::whole_field("par_least_lines", "no order of it has fewer"),
        base::or_null(base::whole_field("most_lines", "most lines that are accepted")),
        base::number_field("tolerance", "1", "largest error that is accepted"),
        base::or_null(base::object_field("worst", "the largest error; null unless all cases ran",
                                         {base::whole_field("case", "case"), base::text_field("column", "result"),
                                          base::whole_field("row", "row, from 0 on"),
                                          base::or_null(base::number_field("got", "1", "value of the kernel")),
                                          base::or_null(base::number_field("wanted", "1", "value of the reference")),
                                          base::or_null(base::number_field("error", "1", "error"))})),
        base::whole_field("cases", "cases that ran"),
        base::whole_field("results", "numbers that were compared"),
        base::whole_field("events", "floating-point events whose values a result may have taken"),
        base::whole_field("seed", "seed of the hidden data"),
        base::text_field("messages", "messages of the assembler or the compiler"),
        base::text_field("submission_sha256", "SHA-256 of the kernel's source"),
        base::text_field("results_sha256", "SHA-256 of the results"),
        base::text_field("hash", "SHA-256 of the verdict")},
       {}}};
  return shapes;
}

}  // namespace gdr::course
