#include "precision.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/assembler/assembler.h"
#include "gdr/base/counted.h"
#include "gdr/base/error.h"

namespace gdr::cli {
namespace {

Json errors_json(const std::vector<compiler::ResultError>& errors) {
  Json json = Json::array();
  for (const compiler::ResultError& error : errors)
    json.push_back({{"result", error.result}, {"rms", error.rms}, {"max", error.max}, {"left_out", error.left_out}});
  return json;
}

std::size_t widest(std::size_t heading, const auto& rows, auto&& text_of) {
  for (const auto& row : rows) heading = std::max(heading, std::string_view(text_of(row)).size());
  return heading;
}

const std::string& result_of(const compiler::ResultError& error) { return error.result; }

}  // namespace

compiler::PrecisionReport measure(const std::string& source, const compiler::CompileOptions& options,
                                  const RunInput& input, const isa::Program& program, ProgressShown progress_shown) {
  Device device;
  device.load(program);
  input.require_parameters(program);
  input.set_parameters(device);
  RunData data = input.read(device);
  const auto run = [&](const compiler::CompileResult& compiled) {
    assembler::AssembleResult assembled = assembler::assemble(compiled.source, compiled.kernel + ".vsm");
    if (!assembled.program) {
      throw Error(source +
                  ": the compiler wrote a kernel that the assembler refuses: this is a fault of the compiler\n" +
                  assembler::format_diagnostics(assembled));
    }
    device.load(*std::move(assembled.program));
    input.set_parameters(device);
    device.write_j(0, data.j_fields);
    return device.run(data.i_fields, data.records);
  };
  Progress progress("measuring", progress_shown);
  const auto told = [&](std::size_t done, std::size_t all) {
    progress.show(static_cast<double>(done) / static_cast<double>(all), fmt::format("{} of {} kernels", done, all));
  };
  return compiler::measure_precision(source, options, {data.i_fields, data.j_fields, input.parameter_values()}, run,
                                     told);
}

Json precision_json(const compiler::PrecisionReport& report) {
  Json json;
  json["ni"] = report.i_particles;
  json["nj"] = report.j_particles;
  json["as_written"] = {{"lines", report.lines}, {"errors", errors_json(report.as_written)}};
  json["long_where_possible"] = nullptr;
  if (report.long_lines)
    json["long_where_possible"] = {{"lines", *report.long_lines}, {"errors", errors_json(report.every_long)}};
  json["operations"] = Json::array();
  for (const compiler::OperationPrecision& one : report.operations) {
    json["operations"].push_back({{"operation", one.operation},
                                  {"name", one.name},
                                  {"file", one.file},
                                  {"line", one.line},
                                  {"column", one.column},
                                  {"width", one.is_short ? "short" : "long"},
                                  {"errors", errors_json(one.errors)},
                                  {"lines_saved", one.lines_saved ? Json(*one.lines_saved) : Json(nullptr)},
                                  {"estimated", one.estimated}});
  }
  return json;
}

void print_precision_report(const compiler::PrecisionReport& report) {
  fmt::print("\nresults of {} on {}, against the host's doubles\n", base::counted(report.i_particles, "i-particle"),
             base::counted(report.j_particles, "j-particle"));
  const std::size_t results = widest(6, report.as_written, result_of);
  fmt::print("{:<19} {:>5}  {:<{}} {:>8} {:>8}\n", "", "lines", "result", results, "rms", "max");
  const auto print_errors = [&](const std::string& what, unsigned lines, const auto& errors) {
    std::string head = fmt::format("{:<19} {:>5}", what, lines);
    for (const compiler::ResultError& error : errors) {
      fmt::print("{}  {:<{}} {:>8.1e} {:>8.1e}\n", head, error.result, results, error.rms, error.max);
      head.assign(head.size(), ' ');
    }
  };
  print_errors("as written", report.lines, report.as_written);
  if (report.long_lines) print_errors("long where possible", *report.long_lines, report.every_long);
  for (const compiler::ResultError& error : report.as_written) {
    if (error.left_out == 0) continue;
    fmt::print("{}: without {}, whose result on the host is 0 or not finite\n", error.result,
               base::counted(error.left_out, "i-particle"));
  }

  fmt::print("\nhow results change when one short operation alone is long\n");
  const auto operation_of = [](const auto& one) -> const std::string& { return one.operation; };
  const auto name_of = [](const auto& one) -> const std::string& { return one.name; };
  const std::size_t operations = widest(9, report.operations, operation_of);
  const std::size_t names = widest(5, report.operations, name_of);
  fmt::print("{:<7} {:<5} {:<{}} {:<{}} {:>11}  {:<{}} {:>8} {:>8}\n", "line", "word", "operation", operations, "value",
             names, "lines saved", "result", results, "rms", "max");
  bool any_estimated = false;
  for (const compiler::OperationPrecision& one : report.operations) {
    std::string head = fmt::format("{:<7} {:<5} {:<{}} {:<{}}", fmt::format("{}:{}", one.line, one.column),
                                   one.is_short ? "short" : "long", one.operation, operations, one.name, names);
    if (!one.is_short) fmt::print("{}\n", head.substr(0, head.find_last_not_of(' ') + 1));
    head += fmt::format(" {:>11}", one.lines_saved ? fmt::format("{}", *one.lines_saved) : "-");
    for (const compiler::ResultError& error : one.errors) {
      const auto cell = [&](double number) { return fmt::format("{}{:.1e}", one.estimated ? "~" : "", number); };
      fmt::print("{}  {:<{}} {:>8} {:>8}\n", head, error.result, results, cell(error.rms), cell(error.max));
      head.assign(head.size(), ' ');
    }
    any_estimated = any_estimated || one.estimated;
  }
  if (any_estimated)
    fmt::print("~: it cannot be long alone; estimated on the host, whose value is rounded as a short word is\n");
}

}  // namespace gdr::cli
