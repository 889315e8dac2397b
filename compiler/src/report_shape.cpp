#include "gdr/compiler/report_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/assembler/report_fields.h"
#include "gdr/base/counted.h"
#include "gdr/base/report_fields.h"
#include "gdr/isa/loop_bound.h"

namespace gdr::compiler {
namespace {

base::Field errors_field() {
  return base::list_field("errors", "errors of results, against the host's doubles",
                          {base::text_field("result", "result of the kernel"),
                           base::or_null(base::number_field("rms", "1", "root of the mean square of relative errors")),
                           base::or_null(base::number_field("max", "1", "largest relative error")),
                           base::whole_field("left_out", "i-particles whose result on the host is 0 or not finite")});
}

base::Field precision_report_field() {
  const std::vector<base::Field> lines_and_errors{base::whole_field("lines", "lines of the loop"), errors_field()};
  return base::or_none(base::or_null(base::object_field(
      "precision_report", "loss of accuracy on data; null without `--i`",
      {base::whole_field("ni", "i-particles"), base::whole_field("nj", "j-particles"),
       base::object_field("as_written", "the kernel as it is", lines_and_errors),
       base::or_null(base::object_field("long_where_possible", "the kernel with every operation long that can be",
                                        lines_and_errors)),
       base::list_field(
           "operations", "short operations",
           base::joined({{base::text_field("operation", "operation"), base::text_field("name", "value that it gives")},
                         assembler::position_fields(),
                         {base::text_field("width", "`short` or `long`"), errors_field(),
                          base::or_null(base::whole_field("lines_saved", "lines that the short word saves")),
                          base::flag_field("estimated", "whether that is an estimate")}}))})));
}

base::ReportShape cc_shape() {
  return {
      "cc",
      1,
      {base::or_null(
           base::whole_field("seed", "seed of the search; null with `--xacc` if there are no loops for the board")),
       base::or_null(
           base::whole_field("effort", "effort of the search; null with `--xacc` if there are no loops for the board")),
       base::flag_field("fast", "whether functions have shorter forms (`--fast`)"),
       base::or_none(assembler::kernel_or_null()), base::or_none(assembler::lines_field()),
       base::or_none(assembler::least_lines_field()), base::or_none(assembler::clocks_field()),
       base::or_none(assembler::bound_field()),
       base::or_none(base::list_field(
           "precision", "operations of the loop",
           {base::text_field("name", "value that it gives"), base::whole_field("line", "line of the source"),
            base::text_field("operation", "operation"), base::text_field("width", "`short` or `long`")})),
       precision_report_field(),
       base::or_none(base::list_field(
           "loops", "kernels of a program, with `--goose`, or with `--xacc` if there are some",
           {base::whole_field("line", "line of the loop"), base::text_field("kernel", "name of the kernel"),
            base::whole_field("lines", "lines of the loop body"),
            base::whole_field("least_lines", "no order has fewer")})),
       base::or_none(base::or_null(base::text_field("output", "file that was written, with `--goose` or `--xacc`"))),
       base::list_field("diagnostics", "warnings, then errors, each with its notes behind it",
                        base::joined({{base::text_field("severity", "`error`, `warning` or `note`")},
                                      assembler::position_fields(),
                                      {base::text_field("message", "message")}}))},
      {}};
}

}  // namespace

std::span<const base::ReportShape> report_shapes() {
  static const std::vector<base::ReportShape> shapes{cc_shape()};
  return shapes;
}

namespace {

base::Json errors_json(const std::vector<ResultError>& errors) {
  base::Json json = base::Json::array();
  for (const ResultError& error : errors)
    json.push_back({{"result", error.result}, {"rms", error.rms}, {"max", error.max}, {"left_out", error.left_out}});
  return json;
}

std::size_t widest(std::size_t heading, const auto& rows, auto&& text_of) {
  for (const auto& row : rows) heading = std::max(heading, std::string_view(text_of(row)).size());
  return heading;
}

const std::string& result_of(const ResultError& error) { return error.result; }

}  // namespace

base::Json precision_json(const PrecisionReport& report) {
  base::Json json;
  json["ni"] = report.i_particles;
  json["nj"] = report.j_particles;
  json["as_written"] = {{"lines", report.lines}, {"errors", errors_json(report.as_written)}};
  json["long_where_possible"] = nullptr;
  if (report.long_lines)
    json["long_where_possible"] = {{"lines", *report.long_lines}, {"errors", errors_json(report.every_long)}};
  json["operations"] = base::Json::array();
  for (const OperationPrecision& one : report.operations) {
    json["operations"].push_back({{"operation", one.operation},
                                  {"name", one.name},
                                  {"file", one.file},
                                  {"line", one.line},
                                  {"column", one.column},
                                  {"width", one.is_short ? "short" : "long"},
                                  {"errors", errors_json(one.errors)},
                                  {"lines_saved", one.lines_saved ? base::Json(*one.lines_saved) : base::Json(nullptr)},
                                  {"estimated", one.estimated}});
  }
  return json;
}

std::string precision_text(const PrecisionReport& report) {
  std::string text;
  text += fmt::format("\nresults of {} on {}, against the host's doubles\n",
                      base::counted(report.i_particles, "i-particle"), base::counted(report.j_particles, "j-particle"));
  const std::size_t results = widest(6, report.as_written, result_of);
  text += fmt::format("{:<19} {:>5}  {:<{}} {:>8} {:>8}\n", "", "lines", "result", results, "rms", "max");
  const auto print_errors = [&](const std::string& what, unsigned lines, const auto& errors) {
    std::string head = fmt::format("{:<19} {:>5}", what, lines);
    for (const ResultError& error : errors) {
      text += fmt::format("{}  {:<{}} {:>8.1e} {:>8.1e}\n", head, error.result, results, error.rms, error.max);
      head.assign(head.size(), ' ');
    }
  };
  print_errors("as written", report.lines, report.as_written);
  if (report.long_lines) print_errors("long where possible", *report.long_lines, report.every_long);
  for (const ResultError& error : report.as_written) {
    if (error.left_out == 0) continue;
    text += fmt::format("{}: without {}, whose result on the host is 0 or not finite\n", error.result,
                        base::counted(error.left_out, "i-particle"));
  }

  text += fmt::format("\nhow results change when one short operation alone is long\n");
  const auto operation_of = [](const auto& one) -> const std::string& { return one.operation; };
  const auto name_of = [](const auto& one) -> const std::string& { return one.name; };
  const std::size_t operations = widest(9, report.operations, operation_of);
  const std::size_t names = widest(5, report.operations, name_of);
  text += fmt::format("{:<7} {:<5} {:<{}} {:<{}} {:>11}  {:<{}} {:>8} {:>8}\n", "line", "word", "operation", operations,
                      "value", names, "lines saved", "result", results, "rms", "max");
  bool any_estimated = false;
  for (const OperationPrecision& one : report.operations) {
    std::string head = fmt::format("{:<7} {:<5} {:<{}} {:<{}}", fmt::format("{}:{}", one.line, one.column),
                                   one.is_short ? "short" : "long", one.operation, operations, one.name, names);
    if (!one.is_short) text += fmt::format("{}\n", head.substr(0, head.find_last_not_of(' ') + 1));
    head += fmt::format(" {:>11}", one.lines_saved ? fmt::format("{}", *one.lines_saved) : "-");
    for (const ResultError& error : one.errors) {
      const auto cell = [&](double number) { return fmt::format("{}{:.1e}", one.estimated ? "~" : "", number); };
      text += fmt::format("{}  {:<{}} {:>8} {:>8}\n", head, error.result, results, cell(error.rms), cell(error.max));
      head.assign(head.size(), ' ');
    }
    any_estimated = any_estimated || one.estimated;
  }
  if (any_estimated)
    text +=
        fmt::format("~: it cannot be long alone; estimated on the host, whose value is rounded as a short word is\n");
  return text;
}

base::Json diagnostics_json(const std::vector<Diagnostic>& diagnostics, const std::vector<Diagnostic>& warnings) {
  base::Json json = base::Json::array();
  const auto add_one = [&](const Diagnostic& diagnostic, const char* severity) {
    json.push_back({{"severity", severity},
                    {"file", diagnostic.file},
                    {"line", diagnostic.line},
                    {"column", diagnostic.column},
                    {"message", diagnostic.message}});
  };
  const auto add = [&](const Diagnostic& diagnostic, const char* severity) {
    add_one(diagnostic, severity);
    for (const Diagnostic& note : diagnostic.notes) add_one(note, "note");
  };
  for (const Diagnostic& warning : warnings) add(warning, "warning");
  for (const Diagnostic& diagnostic : diagnostics) add(diagnostic, "error");
  return json;
}

std::string widths_text(const CompileResult& compiled) {
  std::string text;
  text += fmt::format("{:<6} {:<6} {:<8} {}\n", "line", "word", "operation", "value");
  for (const PrecisionRow& row : compiled.precision) {
    text += fmt::format("{:<6} {:<6} {:<8}  {}\n", row.line, row.is_short ? "short" : "long", row.operation, row.name);
  }
  return text;
}

void add_compiled(base::Json& json, const CompileResult& compiled, const std::optional<isa::Program>& program,
                  const std::optional<PrecisionReport>& costs) {
  for (const char* own : {"kernel", "lines", "least_lines", "clocks_per_iteration", "bound"}) json[own] = nullptr;
  if (program) {
    const isa::LoopBound bound = isa::loop_bound(*program);
    json["kernel"] = compiled.kernel;
    json["lines"] = base::Json::object();
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      const auto named = static_cast<isa::Section>(section);
      json["lines"][std::string(isa::key_of(named))] = program->lines(named).size();
    }
    json["least_lines"] = compiled.least_lines;
    json["clocks_per_iteration"] = bound.clocks();
    json["bound"] = bound.bound();
  }
  json["precision"] = base::Json::array();
  for (const PrecisionRow& row : compiled.precision) {
    json["precision"].push_back({{"name", row.name},
                                 {"line", row.line},
                                 {"operation", row.operation},
                                 {"width", row.is_short ? "short" : "long"}});
  }
  json["precision_report"] = costs ? precision_json(*costs) : base::Json(nullptr);
  json["diagnostics"] = diagnostics_json(compiled.diagnostics, compiled.warnings);
}

}  // namespace gdr::compiler
