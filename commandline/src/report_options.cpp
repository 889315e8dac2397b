#include "gdr/commandline/report_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/line_reader.h"
#include "gdr/commandline/terminal.h"

namespace gdr::commandline {

using base::Json;

void ReportOptions::add_to(Command to) {
  command = to;
  to.heading("Reports");
  to.add_output_or_stdout("--json", json, "write the result as JSON to FILE, or - for standard output");
  const base::ReportShape* const shape = to.program().shape_of(to.path());
  if (shape != nullptr && !shape->row.empty()) {
    of_rows = {
        to.add_output_or_stdout("--csv", csv, "write the rows of the result as CSV to FILE, or - for standard output")};
  }
  to.add_output_or_stdout("--html", html, "write the result as one page of HTML to FILE, or - for standard output");
  const Option quietly =
      to.add_flag("--quiet", quiet, "print nothing but warnings, errors and the outputs that are asked for");
  to.add_flag("--progress", progress, "show progress even if standard error is not a terminal").excludes(quietly);
  to.heading(kUsualHeading);
}

namespace {

/// Options that change nothing in a report but the host's time.
constexpr std::string_view kWithoutEffect[] = {"--threads", "--quiet", "--progress"};

/// A number where the text is one.
Json value_of(const std::string& text) {
  if (text == "true") return true;
  if (const auto whole = base::number_in<std::uint64_t>(text)) return *whole;
  if (const auto number = base::number_in<double>(text)) return *number;
  return text;
}

Json options_json(const Command& command) {
  Json options = Json::object();
  for (const auto& [name, values] : command.given()) {
    if (std::ranges::find(kWithoutEffect, name) != std::end(kWithoutEffect)) continue;
    Json& option = options[name.substr(name.find_first_not_of('-'))];
    if (values.size() == 1) {
      option = value_of(values.front());
      continue;
    }
    option = Json::array();
    for (const std::string& value : values) option.push_back(value_of(value));
  }
  return options;
}

}  // namespace

ProgressShown ReportOptions::progress_shown() const {
  return quiet ? ProgressShown::never : progress ? ProgressShown::always : ProgressShown::on_terminal;
}

void write_text(const std::string& file, std::string_view text) {
  if (file == "-") {
    std::cout << text << std::flush;
  } else {
    base::write_file(file, text);
  }
}

const base::ReportShape& ReportOptions::shape() const {
  const base::ReportShape* const shape = command->program().shape_of(command->path());
  GDR_ASSERT(shape != nullptr, "a command with a report has the shape of it");
  return *shape;
}

Json ReportOptions::begin(const Json& machine, const Json& engine, const Json& exact) const {
  const Program& program = command->program();
  Json json{{"tool", fmt::format("{} {}", program.name, command->path())}, {"version", program.version}};
  if (!shape().is_of_a_run) return json;
  json["machine"] = machine;
  json["engine"] = engine;
  json["exact"] = exact;
  for (const char* later : {"emulated_seconds", "emulated_gflops", "host_seconds", "clocks", "counters"}) {
    json[later] = nullptr;
  }
  return json;
}

void ReportOptions::end(Json& report) const {
  if (!shape().is_of_a_run) return;
  Json& seconds = report["host_seconds"];
  if (seconds.is_null()) seconds = clock.seconds();
}

void ReportOptions::write(Json report, std::string_view page) const {
  end(report);
  write_files(std::move(report), page, "");
}

void ReportOptions::write_files(Json report, std::string_view page, std::string_view text) const {
  if (json.empty() && csv.empty() && html.empty()) return;
  report["schema"] = shape().schema_name();
  report["options"] = options_json(*command);
  if (!json.empty()) write_text(json, report.text() + "\n");
  if (!csv.empty()) write_text(csv, base::csv_of(shape(), report));
  if (html.empty()) return;
  write_text(html, page.empty() ? base::html_page_of(shape(), command->program().common_fields(), report, text)
                                : std::string(page));
}

void ReportOptions::show(Json report, const Json& words) const {
  end(report);
  const std::string text = speaks() || !html.empty() ? base::text_of(shape().text, report, words) : "";
  if (speaks()) print_text(text);
  write_files(std::move(report), "", text);
}

}  // namespace gdr::commandline
