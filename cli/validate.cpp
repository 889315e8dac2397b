// Every published number beside ours.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "command.h"
#include "validation.h"

namespace gdr::cli {
namespace {

struct Options {
  std::string only;
  bool markdown = false;
  bool strict = false;
  ReportOptions report;
};

struct Judged {
  ValidationRow row;
  Ours ours;
  Verdict verdict;
};

bool is_built(const Judged& judged) { return !std::holds_alternative<std::monostate>(judged.ours); }

/// A row is chosen by its id or by that of a whole whose part it is.
bool is_chosen(const ValidationRow& row, const std::string& only) {
  return only.empty() || row.id == only || row.id.starts_with(only + ".");
}

std::string whole_of(const std::string& id) { return id.substr(0, id.find('.')); }

[[noreturn]] void refuse_id(const ValidationData& data, const std::string& only) {
  std::vector<std::string> wholes;
  for (const ValidationRow& row : data.rows) {
    const std::string whole = whole_of(row.id);
    if (std::find(wholes.begin(), wholes.end(), whole) == wholes.end()) wholes.push_back(whole);
  }
  throw UsageError(fmt::format("--only: '{}' is refused: it must be one of {}, or a part of one such as G5.ip", only,
                               fmt::join(wholes, ", ")));
}

std::vector<Judged> judge_rows(const ValidationData& data, const Options& options) {
  Models models;
  Progress progress("validating", options.report.progress_shown());
  std::vector<Judged> rows;
  for (const ValidationRow& row : data.rows) {
    if (!is_chosen(row, options.only)) continue;
    const Ours ours = models.ours(row);
    rows.push_back({row, ours, judge(row, ours)});
    progress.show(static_cast<double>(rows.size()) / static_cast<double>(data.rows.size()), row.id);
  }
  if (rows.empty()) refuse_id(data, options.only);
  return rows;
}

// Cells, the same on the terminal and on the page.

/// Enough digits to tell a number from its neighbours in the papers' tables.
std::string text_of(double value) {
  const double magnitude = std::abs(value);
  if (value == std::floor(value) && magnitude < 1e6) return fmt::format("{}", value);
  return fmt::format("{:.5g}", value);
}

std::string with_unit(const std::string& text, const std::string& unit) {
  return unit.empty() ? text : text + " " + unit;
}

std::string published_cell(const ValidationRow& row) {
  if (!row.statement.empty()) return row.statement;
  return row.published ? with_unit(text_of(*row.published), row.unit) : "-";
}

std::string ours_cell(const Judged& judged) {
  if (const double* number = std::get_if<double>(&judged.ours)) return with_unit(text_of(*number), judged.row.unit);
  if (const bool* holds = std::get_if<bool>(&judged.ours)) return *holds ? "holds" : "does not hold";
  return "not built";
}

std::string error_cell(const Judged& judged) {
  if (!judged.verdict.error) return "";
  return *judged.verdict.error == 0 ? "0" : fmt::format("{:+.2f} %", 100 * *judged.verdict.error);
}

std::string bar_cell(const ValidationRow& row) {
  return row.goal.empty() ? text_of(row.bar) : fmt::format("{} (goal {})", text_of(row.bar), row.goal);
}

std::string pass_cell(const Judged& judged) {
  if (judged.verdict.pass) return *judged.verdict.pass ? "yes" : "NO";
  if (!is_built(judged)) return "";
  if (judged.row.misprint) return "misprint";
  return judged.row.verified ? "no bar" : "unverified";
}

/// Of the predictions that are numbers: how far ours are from the published ones.
std::string median_error(const std::vector<Judged>& rows) {
  std::vector<double> errors;
  for (const Judged& judged : rows) {
    if (judged.row.role == "prediction" && judged.row.verified && judged.verdict.error)
      errors.push_back(std::abs(*judged.verdict.error));
  }
  if (errors.empty()) return "";
  std::ranges::sort(errors);
  const double median = (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
  return fmt::format("; median error of {} predicted numbers {:.2g} %", errors.size(), 100 * median);
}

/// Counts of outcomes in words.
std::string summary(const std::vector<Judged>& rows) {
  std::size_t passed = 0;
  std::size_t missed = 0;
  std::size_t misprints = 0;
  std::size_t undecided = 0;
  std::size_t not_built = 0;
  for (const Judged& judged : rows) {
    if (judged.verdict.pass) {
      ++(*judged.verdict.pass ? passed : missed);
    } else if (is_built(judged)) {
      ++(judged.row.misprint ? misprints : undecided);
    } else {
      ++not_built;
    }
  }
  return fmt::format(
      "{} rows: {} within their bar, {} beyond it, {} beside misprints of their source, {} shown without a verdict, {} "
      "not built{}",
      rows.size(), passed, missed, misprints, undecided, not_built, median_error(rows));
}

void print_rows(const std::vector<Judged>& rows) {
  constexpr std::size_t kColumns = 7;
  using Cells = std::array<std::string, kColumns>;
  std::vector<Cells> lines{{"id", "published", "ours", "error", "bar", "pass", "quantity"}};
  for (const Judged& judged : rows) {
    lines.push_back({judged.row.id, published_cell(judged.row), ours_cell(judged), error_cell(judged),
                     bar_cell(judged.row), pass_cell(judged), judged.row.quantity});
  }
  constexpr std::size_t kWidest = 24;  // statements are longer; they push the rest of their line
  std::array<std::size_t, kColumns> widths{};
  for (const Cells& line : lines) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      widths[column] = std::min(std::max(widths[column], line[column].size()), kWidest);
    }
  }
  for (const Cells& line : lines) {
    for (std::size_t column = 0; column + 1 < kColumns; ++column) fmt::print("{:<{}}  ", line[column], widths[column]);
    fmt::print("{}\n", line.back());
  }
  fmt::print("{}\n", summary(rows));
}

// The page.

/// Notes below a table; parts that share a note are named by what their ids begin with.
std::string notes(const std::vector<const Judged*>& rows) {
  std::string text;
  std::set<std::string> seen;
  for (const Judged* judged : rows) {
    const std::string& note = judged->row.note;
    if (note.empty() || !seen.insert(note).second) continue;
    const auto shared = std::count_if(rows.begin(), rows.end(), [&](const Judged* r) { return r->row.note == note; });
    text += fmt::format("- {}: {}\n", shared > 1 ? whole_of(judged->row.id) : judged->row.id, note);
  }
  return text.empty() ? text : text + "\n";
}

std::string section(const std::string& title, const std::vector<const Judged*>& rows) {
  std::string text = fmt::format("## {}\n\n", title);
  text +=
      "| id | quantity | published | ours | error | role | bar | pass | source "
      "|\n|---|---|---|---|---|---|---|---|---|\n";
  for (const Judged* judged : rows) {
    const ValidationRow& row = judged->row;
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", row.id, row.quantity, published_cell(row),
                    ours_cell(*judged), error_cell(*judged), row.role, bar_cell(row), pass_cell(*judged), row.citation);
  }
  return text + "\n" + notes(rows);
}

std::string page(const ValidationData& data, const std::vector<Judged>& rows) {
  std::string text =
      "# Validation\n\n"
      "Published numbers and ours. Made by `gdr validate --markdown`; the published numbers and the bars stand in\n"
      "`docs/validation.toml`. A row whose system is not built says so. Times of the board are those of the\n"
      "model of docs/model.md with the parameters of `machines/model1800.toml`, at 333 MHz where nothing else is "
      "said.\n\n";
  text += summary(rows) + ".\n\n| role | rows | built and verified | meaning |\n|---|---|---|---|\n";
  for (const auto& [role, meaning] : data.roles) {
    const auto of_role = [&](const Judged& judged) { return judged.row.role == role; };
    text += fmt::format("| {} | {} | {} | {} |\n", role, std::count_if(rows.begin(), rows.end(), of_role),
                        std::count_if(rows.begin(), rows.end(),
                                      [&](const Judged& j) { return of_role(j) && is_built(j) && j.row.verified; }),
                        meaning);
  }
  text += "\n";
  for (const auto& [prefix, title] : data.titles) {
    std::vector<const Judged*> mine;
    for (const Judged& judged : rows) {
      if (judged.row.id.starts_with(prefix)) mine.push_back(&judged);
    }
    if (!mine.empty()) text += section(title, mine);
  }
  text += "## Sources\n\n";
  std::set<std::string> used;
  for (const Judged& judged : rows) used.insert(judged.row.source);
  for (const std::string& source : used) {
    text += fmt::format("- {}: {}\n", data.sources.at(source).name, data.sources.at(source).full);
  }
  return text;
}

// JSON.

Json json_of(const Bar& bar) {
  Json json{{"kind", name_of(bar.kind)}};
  if (has_limit(bar.kind)) json["limit"] = bar.limit;
  if (bar.kind == Bar::Kind::within) json["low"] = bar.low, json["high"] = bar.high;
  if (bar.kind == Bar::Kind::printed) json["decimals"] = bar.decimals;
  return json;
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const Judged& judged) {
  const ValidationRow& row = judged.row;
  Json ours(nullptr);
  if (const double* number = std::get_if<double>(&judged.ours)) ours = *number;
  if (const bool* holds = std::get_if<bool>(&judged.ours)) ours = *holds;
  return {{"id", row.id},
          {"quantity", row.quantity},
          {"source", row.citation},
          {"published", row.statement.empty() ? or_null(row.published) : Json(row.statement)},
          {"ours", ours},
          {"unit", row.unit},
          {"error", or_null(judged.verdict.error)},
          {"role", row.role},
          {"bar", json_of(row.bar)},
          {"pass", or_null(judged.verdict.pass)},
          {"verified", row.verified},
          {"misprint", row.misprint}};
}

int validate(const Options& options) {
  const Stopwatch watch;
  const ValidationData data = read_validation();
  const std::vector<Judged> rows = judge_rows(data, options);
  Json json = envelope("validate", "model1800", "", false);
  json["engine"] = nullptr;  // models and counts of lines: none runs
  json["host_seconds"] = watch.seconds();
  json["rows"] = Json::array();
  for (const Judged& judged : rows) json["rows"].push_back(json_of(judged));
  options.report.write(json);
  if (options.report.speaks()) {
    if (options.markdown) {
      fmt::print("{}", page(data, rows));
    } else {
      print_rows(rows);
    }
  }
  const bool missed = std::any_of(rows.begin(), rows.end(), [](const Judged& judged) {
    return judged.verdict.pass.has_value() && !*judged.verdict.pass;
  });
  return options.strict && missed ? kFailure : kSuccess;
}

}  // namespace

void add_validate(Command program) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("validate", "every published number beside ours",
                                              "gdr validate --only G5", [options] { return validate(*options); });
  command.add_option("--only", options->only, "one row with its parts, such as G5, or a part, such as G5.ip");
  command.add_flag("--markdown", options->markdown, "print the page docs/validation.md");
  command.add_flag("--strict", options->strict, "end with status 1 if a row misses its bar");
  options->report.add_to(command);
}

}  // namespace gdr::cli
