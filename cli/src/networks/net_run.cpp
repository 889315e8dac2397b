// gdr net run: compiles a program of MPI and runs it on a described network.
#include <fmt/format.h>

#include "gdr/base/data_file.h"
#include "gdr/base/stopping.h"
#include "gdr/commandline/interrupts.h"
#include "gdr/commandline/terminal.h"
#include "gdr/interconnect/replay.h"
#include "gdr/interconnect/smpi_program.h"
#include "gdr/interconnect/trace.h"
#include "net.h"

namespace gdr::cli {
namespace {

struct NetRunOptions {
  PlatformArguments platform;
  ReportOptions report;
  std::vector<std::string> sources;
  std::vector<std::string> arguments;
  std::uint32_t ranks = 0;
  std::uint32_t ranks_per_node = 1;
  double eager = interconnect::ReplayOptions().eager_bytes;
  std::string save_graph;
  std::string save_trace;
};

/// A file that is installed as `installed` and lies in the source tree at `source`.
std::filesystem::path file_of_gdr(const char* installed, const char* source) {
  const auto found = base::find_data_file(installed);
  return found ? *found : base::data_file(source);
}

int run(const NetRunOptions& o) {
  const interconnect::Platform platform = o.platform.load();
  interconnect::SmpiProgram program;
  program.sources.assign(o.sources.begin(), o.sources.end());
  program.arguments = o.arguments;
  program.ranks_per_node = o.ranks_per_node;
  program.ranks = o.ranks > 0 ? o.ranks : platform.topology.nodes() * o.ranks_per_node;
  if (!o.save_trace.empty()) {
    o.report.command->try_outputs("--save-trace", interconnect::trace_files(o.save_trace, program.ranks));
  }
  program.eager_bytes = o.eager;
  program.mgen = file_of_gdr("mgen/mgen.h", "interconnect/include/mgen/mgen.h").parent_path();
  if (!o.save_graph.empty() || !o.save_trace.empty()) {
    program.recorder = file_of_gdr("recorder/record.c", "interconnect/src/recorder/record.c");
    program.save_graph = o.save_graph;
    program.save_trace = o.save_trace;
  }
  const commandline::Interrupts interrupts;
  const base::Stopping stopping([] { return commandline::Interrupts::signal() == 0; });
  interconnect::SmpiProgramResult result;
  try {
    result = run_smpi_program(program, platform);
  } catch (const base::Stopped&) {
    constexpr int kSignalled = 128;  // as a shell reports it
    return kSignalled + commandline::Interrupts::signal();
  }
  if (!result.messages.empty()) commandline::print_message(result.messages);
  Json json = o.report.begin(platform.description, "smpi", false);
  json["emulated_seconds"] = result.seconds;
  json["program"] = o.sources.front();
  json["ranks"] = program.ranks;
  json["nodes"] = platform.topology.nodes();
  json["eager_bytes"] = o.eager;
  json["seconds"] = result.seconds;
  json["output"] = result.output;
  o.report.show(json, {{"topology", platform.topology.name()}});
  return kSuccess;
}

}  // namespace

void add_net_run(Command net) {
  const auto [command, o] =
      net.add_command<NetRunOptions>("run", "compile an MPI program and run it on a described network",
                                     "gdr net run ring.c --topology torus --ranks 16", run);
  command.add_option("sources=PROGRAM", o->sources, "sources of the program, in C, C++ or Fortran; mgen.h is found")
      .required();
  o->platform.add_to(command);
  command.add_option("--ranks", o->ranks).by_default("all places");
  command.add_option("--ranks-per-node", o->ranks_per_node);
  command.add_option("--argument=TEXT", o->arguments, "an argument of the program; may be repeated");
  command.add_option("--eager", o->eager);
  command.add_output("--save-graph", o->save_graph);
  command.add_option("--save-trace", o->save_trace);
  o->report.add_to(command);
}

}  // namespace gdr::cli
