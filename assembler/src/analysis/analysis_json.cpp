// The analysis of a loop as fields of a report.
#include <span>

#include "gdr/assembler/report_shapes.h"
#include "gdr/isa/line.h"

namespace gdr::assembler {

using base::Json;

Json sources_of(const isa::Program& program, isa::Section section, std::size_t line) {
  Json sources = Json::array();
  for (const isa::SourcePosition& at : program.positions_of(section, line)) {
    const std::string* expanded = program.expanded_text(at);
    const std::vector<isa::SourceFrame> frames = program.frames_of(at);
    const std::string function(frames.front().function);
    Json calls = Json::array();
    for (const isa::SourceFrame& frame : std::span(frames).subspan(1)) {
      calls.push_back({{"function", std::string(frame.function)},
                       {"file", program.files[frame.position.file]},
                       {"line", frame.position.line}});
    }
    Json uses = Json::array();
    for (const isa::Origin* around : program.uses_around(at)) {
      uses.push_back(
          {{"macro", around->macro}, {"file", program.files[around->position.file]}, {"line", around->position.line}});
    }
    sources.push_back({{"file", program.files[at.file]},
                       {"line", at.line},
                       {"function", function.empty() ? Json() : Json(function)},
                       {"calls", calls},
                       {"expanded", expanded == nullptr ? Json() : Json(*expanded)},
                       {"uses", uses}});
  }
  return sources;
}

void add_analysis(Json& json, const Analysis& analysis, const isa::Program& program) {
  json["lines"] = analysis.lines;
  json["operations"] = analysis.operations;
  json["bound"] = {{"by", analysis.bound.bound()},         {"clocks", analysis.bound.clocks()},
                   {"lines", analysis.bound.line_clocks},  {"idp", analysis.bound.idp_clocks},
                   {"bm", analysis.bound.bm_clocks},       {"odp", analysis.bound.odp_clocks},
                   {"least_lines", analysis.least_lines()}};
  json["ports"] = Json::array();
  for (const PortUse& port : analysis.ports) {
    json["ports"].push_back({{"name", port.name}, {"busy", port.busy}, {"each", port.each}, {"share", port.share()}});
  }
  json["dependences"] = Json::array();
  for (const DependentOperation& dependence : analysis.dependences) {
    json["dependences"].push_back(
        {{"from", {{"line", dependence.from.line}, {"unit", isa::name_of(dependence.from.unit)}}},
         {"to", {{"line", dependence.to.line}, {"unit", isa::name_of(dependence.to.unit)}}},
         {"waits", dependence.waits},
         {"what", dependence.what}});
  }
  Json steps = Json::array();
  for (const ChainStep& step : analysis.chain) {
    steps.push_back({{"line", step.line}, {"operation", step.operation}, {"waits", step.waits}});
  }
  json["chain"] = {{"lines", analysis.chain_lines}, {"steps", steps}};
  json["live"] = nullptr;
  if (!analysis.body.empty()) {
    const std::size_t peak = analysis.peak();
    json["live"] = {{"line", peak}, {"gpr", analysis.body[peak].live_gpr}, {"lm", analysis.body[peak].live_lm}};
  }
  json["body"] = Json::array();
  const std::vector<isa::ProgramLine> lines = program.lines(isa::Section::loop_body);
  for (std::size_t number = 0; number < analysis.body.size(); ++number) {
    const LineUse& use = analysis.body[number];
    Json ports = Json::array();
    for (const std::size_t port : use.ports) ports.push_back(analysis.ports[port].name);
    Json operations = Json::array();
    for (const HeldOperation& operation : use.operations) {
      operations.push_back({{"operation", operation.operation},
                            {"unit", isa::name_of(operation.unit)},
                            {"held_by", name_of(operation.held)},
                            {"line", operation.line},
                            {"what", operation.what}});
    }
    json["body"].push_back({{"line", number},
                            {"clock", number * isa::kClocksPerLine},
                            {"text", isa::print(isa::decoded(lines[number].word))},
                            {"ports", ports},
                            {"operations", operations},
                            {"slack", use.idle ? Json() : Json(use.slack)},
                            {"live_gpr", use.live_gpr},
                            {"live_lm", use.live_lm},
                            {"sources", sources_of(program, isa::Section::loop_body, number)}});
  }
}

}  // namespace gdr::assembler
