// Diagnostics, clocks and analysis of a kernel.
#include <fmt/format.h>

#include <optional>

#include "answers.h"
#include "gdr/assembler/analysis.h"
#include "gdr/assembler/listing.h"
#include "gdr/assembler/report_shapes.h"
#include "gdr/base/error.h"
#include "gdr/hostlib/table.h"

namespace gdr::web {
namespace {

Json diagnostics_of(const assembler::AssembleResult& result) {
  Json list = Json::array();
  for (const assembler::Diagnostic& diagnostic : result.diagnostics) {
    list.push_back({{"severity", assembler::name_of(diagnostic.severity)},
                    {"number", diagnostic.number},
                    {"file", diagnostic.where.file},
                    {"line", diagnostic.where.line},
                    {"column", diagnostic.where.column},
                    {"length", diagnostic.where.length},
                    {"message", diagnostic.message},
                    {"warning", diagnostic.warning ? Json(assembler::name_of(*diagnostic.warning)) : Json()}});
  }
  return list;
}

Json columns(const isa::Program& program, isa::Transfer transfer) {
  Json names = Json::array();
  for (const hostlib::ColumnType& column : hostlib::columns_of(program, transfer)) names.push_back(column.name);
  return names;
}

Json parameters_of(const isa::Program& program) {
  Json list = Json::array();
  for (const isa::Parameter& parameter : program.parameters) {
    list.push_back({{"name", parameter.name}, {"value", parameter.default_value}});
  }
  return list;
}

Json body_of(const isa::Program& program, const assembler::Analysis& analysis) {
  Json body = Json::array();
  const std::vector<isa::ProgramLine> lines = program.lines(isa::Section::loop_body);
  for (std::size_t number = 0; number < analysis.body.size(); ++number) {
    const assembler::LineUse& use = analysis.body[number];
    Json held = Json::array();
    for (const assembler::HeldOperation& operation : use.operations) {
      held.push_back(operation.operation + ": " + operation.text());
    }
    body.push_back({{"clock", number * isa::kClocksPerLine},
                    {"text", isa::print(isa::decoded(lines[number].word))},
                    {"file", lines[number].position.file},
                    {"line", lines[number].position.line},
                    {"sources", assembler::sources_of(program, isa::Section::loop_body, number)},
                    {"held", held},
                    {"slack", use.idle ? Json() : Json(use.slack)},
                    {"gpr", use.live_gpr},
                    {"lm", use.live_lm}});
  }
  return body;
}

Json loop_of(const isa::Program& program, const assembler::Analysis& analysis) {
  Json ports = Json::array();
  for (const assembler::PortUse& port : analysis.ports) {
    ports.push_back({{"name", port.name}, {"busy", port.busy}, {"each", port.each}, {"share", port.share()}});
  }
  return {{"lines", analysis.lines},
          {"operations", analysis.operations},
          {"clocks", analysis.bound.clocks()},
          {"bound", analysis.bound.bound()},
          {"line_clocks", analysis.bound.line_clocks},
          {"idp_clocks", analysis.bound.idp_clocks},
          {"bm_clocks", analysis.bound.bm_clocks},
          {"odp_clocks", analysis.bound.odp_clocks},
          {"least_lines", analysis.least_lines()},
          {"chain_lines", analysis.chain_lines},
          {"ports", ports},
          {"body", body_of(program, analysis)}};
}

}  // namespace

Json check(const Source& source) {
  const Built made = built(source);
  const assembler::AssembleResult& result = made.assembled;
  Json answer;
  answer["diagnostics"] = diagnostics_of(result);
  answer["text"] = made.messages;
  Json files = Json::array();
  for (const assembler::SourceFile& file : result.files) files.push_back(file.name);
  answer["files"] = files;
  answer["own_file"] = made.own_file;
  answer["assembly"] = made.assembly;
  answer["kernel"] = nullptr;
  if (!result.program) return answer;
  const isa::Program& program = *result.program;
  const assembler::Analysis analysis = assembler::analyse(program);
  answer["kernel"] = {{"name", program.kernel},
                      {"type2", program.is_type2()},
                      {"flops", program.flops},
                      {"i_columns", columns(program, isa::Transfer::hlt)},
                      {"j_columns", columns(program, isa::Transfer::elt)},
                      {"result_columns", columns(program, isa::Transfer::rrn)},
                      {"parameters", parameters_of(program)},
                      {"loop", loop_of(program, analysis)}};
  answer["analysis"] = assembler::analysis_text(analysis, {program, result.files});
  answer["listing"] = assembler::listing(program, result.files);
  return answer;
}

Json explain(std::uint64_t number) {
  const std::optional<std::string> text = assembler::explain(static_cast<unsigned>(number));
  if (!text) throw Error(fmt::format("request: number: {} is refused: there is no such diagnostic", number));
  return {{"text", *text}};
}

}  // namespace gdr::web
