// `gdr debug`: runs the debugger with a prompt, a script, or an editor.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "command/command.h"
#include "gdr/base/file.h"
#include "gdr/commandline/message_input.h"
#include "gdr/commandline/terminal.h"
#include "gdr/debugger/commands.h"
#include "gdr/debugger/dap.h"
#include "gdr/isa/experiment.h"
#include "run_experiments.h"
#include "run_input.h"

namespace gdr::cli {
namespace {

struct DebugOptions {
  RunInput input;
  OneExperiment experiment{};
  std::string machine = "model1800";
  unsigned boards = 1;
  std::string script;
  bool dap = false;
};

debugger::Job job_of(const RunInput& input, const OneExperiment& experiment, const std::string& machine,
                     unsigned boards) {
  debugger::Job job;
  LoadedKernel kernel = input.load();
  job.program = std::move(kernel.program);
  job.sources = kernel.texts();
  require_known(machine, emulator::machine_names(), "--machine");
  job.device.machine = machine;
  job.device.boards = boards;
  job.device.timing = false;
  // Sizes and parameters are checked on a device that computes nothing.
  DeviceOptions empty = job.device;
  empty.engine = emulator::Engine::timing;
  Device device(empty);
  device.load(job.program);
  input.set_parameters(device);
  RunData data = isa::is_experiment(job.program) ? experiment.read(job.program, input) : input.read(device);
  job.parameters = input.parameter_values();
  experiment.check(job.program, input, job.parameters);
  job.i_fields = std::move(data.i_fields);
  job.j_fields = std::move(data.j_fields);
  job.records = data.records;
  return job;
}

/// Executes lines up to the end of the input. An error ends a script.
int converse(debugger::Debugger& debugger, std::istream& in, const std::string& name, bool prompts) {
  debugger::Commands commands(debugger);
  if (prompts) commandline::print_text(commands.where());
  commandline::converse(in, name, prompts ? "(gdr) " : "", [&](const std::string& line) {
    const debugger::Reply reply = commands.execute(line);
    commandline::print_text(reply.text);
    return !reply.quit;
  });
  return kSuccess;
}

int serve() {
  commandline::MessageInput input;
  const auto launch = [](const debugger::DapLaunch& wanted) {
    RunInput files{wanted.kernel, wanted.i_file, wanted.j_file, wanted.parameters, wanted.ignore_extra, wanted.turns};
    files.assemble.definitions = wanted.definitions;
    files.assemble.include_directories = wanted.include_directories;
    files.assemble.directories_are_shared = true;  // a launch configuration may serve every kernel of a workspace
    files.assemble.warnings = wanted.warnings;
    files.assemble.compat_il = wanted.compat_il;
    files.assemble.schedule = wanted.schedule;
    files.assemble.pipeline = wanted.pipeline;
    files.assemble.show = wanted.show_diagnostics;
    files.assemble.compile = {wanted.effort, wanted.seed, wanted.fast, wanted.function};
    return job_of(files, {wanted.steps, wanted.experiment}, wanted.machine, wanted.boards);
  };
  const auto interrupts = [&] {
    return std::ranges::any_of(input.arrived(), debugger::dap_interrupts) || input.ended();
  };
  debugger::DapServer server(launch, commandline::send_message, interrupts);
  while (const std::optional<std::string> message = input.next()) {
    if (!server.handle(*message)) break;
  }
  return kSuccess;
}

int debug(const DebugOptions& options) {
  if (options.dap) return serve();
  if (options.input.kernel.empty()) throw UsageError("kernel is missing: a source (.vsm) or an object file (.gdro)");
  debugger::Debugger debugger(job_of(options.input, options.experiment, options.machine, options.boards));
  if (options.script.empty()) return converse(debugger, std::cin, "", isatty(STDIN_FILENO) == 1);
  std::ifstream script(options.script);
  if (!script) throw UsageError(fmt::format("--script: {} cannot be read", options.script));
  return converse(debugger, script, options.script, false);
}

}  // namespace

void add_debug(Command program, const std::string& name) {
  const auto [command, options] =
      program.add_command<DebugOptions>(name, "step through a kernel, forwards and backwards, and look into any PE",
                                        "gdr debug kernels/tutorial.vsm --i i.csv --j j.csv", debug);
  options->input.add_to(command, false);
  options->experiment.add_to(command);
  add_boards(command, options->machine, options->boards);
  command.add_option("--script=FILE", options->script,
                     "read commands from FILE; the first one that fails ends the session with status 1");
  const Option dap = command.add_flag("--dap", options->dap,
                                      "use the Debug Adapter Protocol; its launch request names kernel and data");
  command.refuse_if(command.options_but(dap), [options = options] {
    return options->dap ? "with --dap: kernel, data and options come with the launch request" : "";
  });
}

}  // namespace gdr::cli
