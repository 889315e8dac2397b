#include <fmt/format.h>

#include <optional>

#include "command/command.h"
#include "command/kernel_source.h"
#include "gdr/hostlib/force_comparison.h"
#include "gdr/hostlib/plummer.h"
#include "runs/observe.h"

namespace gdr::cli {
namespace {

struct ForceOptions {
  BoardOptions board;
  ReportOptions report;
  ObserveOptions observe;
  std::size_t n = 0;
  double eps = 0.01;
  std::uint64_t seed = 1;
  std::string kernel = "gravity_jerk";
};

int force(const ForceOptions& options) {
  Device device(options.board.device_options());
  options.observe.begin(device);
  std::optional<hostlib::ForceErrors> errors;
  if (device.computes()) {
    Progress progress("computing forces", options.report.progress_shown());
    device.on_progress([&](std::size_t done, std::size_t all) { progress.show_count(done, all, "particles"); });
    errors = hostlib::force_errors(device, load_kernel(options.kernel), hostlib::make_plummer(options.n, options.seed),
                                   options.eps, options.board.threads);
    device.on_progress({});
  } else {
    device.load(load_kernel(options.kernel));
    device.time_j(options.n);
    device.time_run(options.n, options.n);
  }

  const emulator::StageSeconds& stages = device.emulated().seconds();
  Json json = options.report.begin(device.machine().name, options.board.engine, options.board.exact());
  add_device_results(json, device);
  json["n"] = options.n;
  json["eps"] = options.eps;
  json["seed"] = options.seed;
  json["boards"] = options.board.boards;
  json["clock_mhz"] = device.machine().clock_mhz;
  json["kernel"] = options.kernel;
  hostlib::add_force(json, stages, errors);
  options.observe.finish(device, options.board.engine, options.report);
  const emulator::RunClocks& clocks = device.emulated().clocks();
  options.report.show(json, {{"machine", device.machine().title},
                             {"exactness", errors ? Json(options.board.exactness()) : Json(nullptr)},
                             {"flops", device.program().flops},
                             {"other_clocks", clocks.loop_initialization + clocks.loop_termination}});
  return kSuccess;
}

}  // namespace

void add_force(Command program, const std::string& name) {
  const auto [command, options] = program.add_command<ForceOptions>(
      name, "evaluate all forces in a Plummer sphere once", "gdr force -n 4096 --clock 333", force);
  command.add_option("--n particles", options->n).required();
  const Option eps = command.add_option("--eps", options->eps);
  const Option seed = command.add_option("--seed", options->seed);
  command.add_option("--kernel one-force", options->kernel);
  options->board.add_to(command);
  std::vector<Option> of_run = options->board.of_computing;
  of_run.insert(of_run.end(), {seed, eps});
  command.refuse_if(of_run, [options = options] { return options->board.why_nothing_is_computed(); });
  options->observe.add_to(command);
  options->report.add_to(command);
}

}  // namespace gdr::cli
