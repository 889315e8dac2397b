// Compares every published number with ours.
#include <fmt/format.h>

#include <algorithm>

#include "command/command.h"
#include "gdr/base/nearest.h"
#include "gdr/validation/report_shape.h"

namespace gdr::cli {
namespace {

using validation::Data;
using validation::Judged;

struct ValidateOptions {
  std::string only;
  bool markdown = false;
  bool strict = false;
  ReportOptions report;
};

[[noreturn]] void refuse_id(const Data& data, const std::string& only) {
  throw UsageError(fmt::format("--only: '{}' is refused: it must be one of {}, or a part of one such as G5.ip{}", only,
                               fmt::join(validation::wholes(data), ", "),
                               base::did_you_mean(only, validation::wholes(data))));
}

std::vector<Judged> judge_rows(const Data& data, const validation::Models& models, const ValidateOptions& options) {
  Progress progress("validating", options.report.progress_shown());
  const auto show = [&](double done, std::string_view row) { progress.show(done, std::string(row)); };
  std::vector<Judged> rows = validation::judge_rows(data, models, options.only, show);
  if (rows.empty()) refuse_id(data, options.only);
  return rows;
}

int validate(const ValidateOptions& options) {
  const validation::Models models;
  const Data data = validation::read_data(models);
  const std::vector<Judged> rows = judge_rows(data, models, options);
  Json json = options.report.begin("model1800", nullptr, false);  // models and counts of lines: no engine runs
  json["rows"] = validation::rows_json(rows);
  options.report.show(json, {{"text", options.markdown ? validation::page(data, rows) : validation::table(rows)}});
  const bool missed = std::ranges::any_of(rows, [](const Judged& row) { return !row.verdict.pass.value_or(true); });
  return options.strict && missed ? kFailure : kSuccess;
}

}  // namespace

void add_validate(Command program, const std::string& name) {
  const auto [command, options] = program.add_command<ValidateOptions>(name, "compare every published number with ours",
                                                                       "gdr validate --only G5", validate);
  command.add_option("--only=ROW", options->only,
                     "print only this row with its parts, such as G5, or this part, such as G5.ip");
  command.add_flag("--markdown", options->markdown);
  command.add_flag("--strict", options->strict, "end with status 1 if a row misses its bar");
  options->report.add_to(command);
}

}  // namespace gdr::cli
