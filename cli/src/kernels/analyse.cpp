#include <fmt/format.h>

#include <cstdio>

#include "command/assemble_arguments.h"
#include "command/command.h"
#include "command/kernel_source.h"
#include "gdr/assembler/analysis.h"

namespace gdr::cli {
namespace {

struct AnalyseOptions {
  ReportOptions report;
  AssembleArguments assemble;
  std::string kernel;
  std::string page;
};

Json report_of(const AnalyseOptions& options, const LoadedKernel& loaded, const assembler::Analysis& analysis,
               double host_seconds) {
  Json json = envelope("analyse", "", "", false);
  for (const char* of_a_run : {"machine", "engine", "exact"}) json[of_a_run] = nullptr;
  json["host_seconds"] = host_seconds;
  json["kernel"] = loaded.program.kernel;
  json["compiled"] = compiled_json(options.kernel, options.assemble);
  json["lines"] = analysis.lines;
  json["operations"] = analysis.operations;
  json["bound"] = {{"by", analysis.bound.bound()},         {"clocks", analysis.bound.clocks()},
                   {"lines", analysis.bound.line_clocks},  {"idp", analysis.bound.idp_clocks},
                   {"bm", analysis.bound.bm_clocks},       {"odp", analysis.bound.odp_clocks},
                   {"least_lines", analysis.least_lines()}};
  json["ports"] = Json::array();
  for (const assembler::PortUse& port : analysis.ports) {
    json["ports"].push_back({{"name", port.name}, {"busy", port.busy}, {"each", port.each}, {"share", port.share()}});
  }
  json["dependences"] = Json::array();
  for (const assembler::DependentOperation& dependence : analysis.dependences) {
    json["dependences"].push_back(
        {{"from", {{"line", dependence.from.line}, {"unit", isa::name_of(dependence.from.unit)}}},
         {"to", {{"line", dependence.to.line}, {"unit", isa::name_of(dependence.to.unit)}}},
         {"waits", dependence.waits},
         {"what", dependence.what}});
  }
  Json steps = Json::array();
  for (const assembler::ChainStep& step : analysis.chain) {
    steps.push_back({{"line", step.line}, {"operation", step.operation}, {"waits", step.waits}});
  }
  json["chain"] = {{"lines", analysis.chain_lines}, {"steps", steps}};
  json["live"] = nullptr;
  if (!analysis.body.empty()) {
    const std::size_t peak = analysis.peak();
    json["live"] = {{"line", peak}, {"gpr", analysis.body[peak].live_gpr}, {"lm", analysis.body[peak].live_lm}};
  }
  json["body"] = Json::array();
  const std::vector<isa::ProgramLine> lines = loaded.program.lines(isa::Section::loop_body);
  for (std::size_t number = 0; number < analysis.body.size(); ++number) {
    const assembler::LineUse& use = analysis.body[number];
    Json ports = Json::array();
    for (const std::size_t port : use.ports) ports.push_back(analysis.ports[port].name);
    Json sources = Json::array();
    const auto add = [&](const isa::SourcePosition& at) {
      const std::string* expanded = loaded.program.expanded_text(at);
      Json uses = Json::array();
      for (const isa::Origin* around : loaded.program.uses_around(at)) {
        uses.push_back({{"macro", around->macro},
                        {"file", loaded.program.files[around->position.file]},
                        {"line", around->position.line}});
      }
      sources.push_back({{"file", loaded.program.files[at.file]},
                         {"line", at.line},
                         {"expanded", expanded == nullptr ? Json() : Json(*expanded)},
                         {"uses", uses}});
    };
    add(lines[number].position);
    for (const isa::MovedOperation& operation : loaded.program.moved_into(isa::Section::loop_body, number)) {
      add(operation.position);
    }
    Json operations = Json::array();
    for (const assembler::HeldOperation& operation : use.operations) {
      operations.push_back({{"operation", operation.operation},
                            {"unit", isa::name_of(operation.unit)},
                            {"held_by", assembler::name_of(operation.held)},
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
                            {"sources", sources}});
  }
  return json;
}

int analyse(const AnalyseOptions& options) {
  const Stopwatch watch;
  LoadedKernel loaded = load_kernel_file(options.kernel, options.assemble);
  if (options.kernel.ends_with(".gdro")) loaded.files.clear();  // the source files may be newer than the object file
  const assembler::Analysis analysis = assembler::analyse(loaded.program);
  const assembler::AnalysedSources sources{loaded.program, loaded.files};
  if (!options.page.empty()) write_text(options.page, assembler::analysis_page(analysis, sources));
  if (options.report.speaks() && options.page != "-") fmt::print("{}", assembler::analysis_text(analysis, sources));
  options.report.write(report_of(options, loaded, analysis, watch.seconds()));
  return kSuccess;
}

}  // namespace

void add_analyse(Command program, const std::string& name) {
  auto options = std::make_shared<AnalyseOptions>();
  const Command command = program.add_command(
      name, "show what limits a kernel's loop: ports, dependences, registers, line by line",
      "gdr analyse kernels/gravity.vsm --html gravity.html", [options] { return analyse(*options); });
  command.add_option("kernel", options->kernel, kKernelFile).value_name("FILE").required();
  command.add_output_or_stdout("--html", options->page,
                               "page with source and lines side by side to FILE, or - for standard output");
  options->assemble.add_with_compile_options(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
