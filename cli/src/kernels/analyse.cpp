#include <fmt/format.h>

#include <cstdio>

#include "command/assemble_arguments.h"
#include "command/command.h"
#include "command/kernel_source.h"
#include "gdr/assembler/report_shapes.h"
#include "gdr/commandline/terminal.h"

namespace gdr::cli {
namespace {

struct AnalyseOptions {
  ReportOptions report;
  AssembleArguments assemble;
  std::string kernel;
};

Json report_of(const AnalyseOptions& options, const LoadedKernel& loaded, const assembler::Analysis& analysis) {
  Json json = options.report.begin();
  json["kernel"] = loaded.program.kernel;
  json["compiled"] = compiled_json(options.kernel, options.assemble);
  assembler::add_analysis(json, analysis, loaded.program);
  return json;
}

int analyse(const AnalyseOptions& options) {
  LoadedKernel loaded = load_kernel_file(options.kernel, options.assemble);
  if (options.kernel.ends_with(".gdro")) loaded.files.clear();  // the source files may be newer than the object file
  const assembler::Analysis analysis = assembler::analyse(loaded.program);
  const assembler::AnalysedSources sources{loaded.program, loaded.files};
  if (options.report.speaks()) commandline::print_text(assembler::analysis_text(analysis, sources));
  options.report.write(report_of(options, loaded, analysis),
                       options.report.html.empty() ? "" : assembler::analysis_page(analysis, sources));
  return kSuccess;
}

}  // namespace

void add_analyse(Command program, const std::string& name) {
  const auto [command, options] = program.add_command<AnalyseOptions>(
      name, "show what limits a kernel's loop: ports, dependences, registers, line by line",
      "gdr analyse kernels/gravity.vsm --html gravity.html", analyse);
  command.add_option("kernel=FILE", options->kernel, kKernelFile).required();
  options->assemble.add_with_compile_options(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
