#include "command.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/data_file.h"
#include "gdr/base/nearest.h"
#include "gdr/hostlib/nbody_run.h"
#include "kernel_source.h"

namespace gdr::cli {

Check known_engine(DirectEngine direct) {
  const bool takes_direct = direct == DirectEngine::taken;
  std::vector<std::string> names = emulator::engine_names();
  if (takes_direct) names.emplace_back(hostlib::kDirectEngine);
  names.insert(names.end(), {"opencl:DEVICE", "lockstep:A,B"});
  return {[=](const std::string& text) {
            if (emulator::is_engine(text) || (takes_direct && text == hostlib::kDirectEngine)) return std::string();
            if (text == hostlib::kDirectEngine) {
              return fmt::format(
                  "{} is refused: it runs no kernel; gdr nbody takes it, to compute forces without a board", text);
            }
            std::vector<std::string> known = emulator::engine_names();
            if (takes_direct) known.emplace_back(hostlib::kDirectEngine);
            return fmt::format("{} is refused: it must be one of {}, opencl:DEVICE, or lockstep:A,B with two of them{}",
                               text, fmt::join(known, ", "), base::did_you_mean(text, known));
          },
          "", names};
}

std::vector<Option> add_boards(Command command, std::string& machine, unsigned& boards) {
  return {command.add_option("--machine", machine), command.add_option("--boards", boards)};
}

std::vector<Option> BoardOptions::add_to(Command command, DirectEngine direct) {
  command.heading("Board");
  using emulator::TransferMode;
  of_machine = add_boards(command, machine, boards);
  std::vector<Option> of_board = of_machine;
  of_board.push_back(command.add_option("--clock", clock_mhz).by_default("that of the machine"));
  of_board.push_back(command.add_choice("--transfer", transfer, {TransferMode::as_of_2009, TransferMode::ideal}));
  const std::string what =
      "engine: reference = one PE at a time, simd = PEs in host vectors (both bit exact); native = doubles of the host "
      "(not bit exact); lockstep = reference and simd compared; opencl = a device (bit exact; see gdr machine devices)";
  const Option of_engine = command.add_option(
      "--engine", engine,
      direct == DirectEngine::taken ? what + "; direct = a loop of the host in doubles, without a board" : what,
      known_engine(direct));
  const Option timing_only =
      command.add_flag_for("--timing-only", engine, "timing", "report only the emulated time: no results are computed");
  timing_only.excludes(of_engine);
  command.keep_old_value(of_engine, "timing", timing_only);
  of_computing.push_back(command.add_option("--threads", threads));
  command.heading(kUsualHeading);
  return of_board;
}

std::string BoardOptions::why_nothing_is_computed() const {
  return timing() ? "with --timing-only: nothing is computed" : "";
}

bool BoardOptions::direct() const { return engine == hostlib::kDirectEngine; }

DeviceOptions BoardOptions::device_options() const {
  require_known(machine, emulator::machine_names(), "--machine");
  DeviceOptions options;
  options.machine = machine;
  options.boards = boards;
  options.clock_mhz = clock_mhz;
  options.transfer = transfer;
  options.engine = engine;
  options.threads = threads;
  return options;
}

bool BoardOptions::exact() const { return emulator::make_engine(engine)->traits().exact; }

DeviceOptions BoardOptions::options_of_model() const {
  DeviceOptions options = device_options();
  if (timing()) options.engine = "simd";
  return options;
}

emulator::MachineDescription BoardOptions::description() const {
  emulator::MachineDescription description = emulator::load_machine(device_options().machine);
  if (clock_mhz) description.clock_mhz = *clock_mhz;
  return description;
}

Json BoardOptions::inexactness() const { return exact() || timing() ? Json(nullptr) : Json(exactness()); }

std::string BoardOptions::exactness() const { return exact() ? "bit exact" : "host double, not bit exact"; }

isa::Program load_kernel(const std::string& name) {
  return load_kernel_file(base::data_file("kernels/" + name + ".vsm").string()).program;
}

}  // namespace gdr::cli
