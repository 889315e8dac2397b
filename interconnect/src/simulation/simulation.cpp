// Hands simulations to the library that has SimGrid.
#include "gdr/interconnect/simulation.h"

#include "gdr/base/error.h"
#include "gdr/base/plugin.h"
#include "gdr/base/stopping.h"
#include "simulator.h"

namespace gdr::interconnect {
namespace {

/// Null without the library.
const Simulator* find_simulator() {
  static const Simulator* const found = [] {
    const auto get = GDR_PLUGIN_FUNCTION("libgdr_simgrid.so", GDR_SIMULATOR);
    return get == nullptr ? nullptr : get();
  }();
  return found;
}

const Simulator& simulator() {
  const Simulator* const found = find_simulator();
  if (found != nullptr) return *found;
  throw Error("nothing can be simulated without " +
              base::missing_plugin("libgdr_simgrid.so", "SimGrid 3.32", "GDR_SIMGRID"));
}

/// The options, with pauses for a caller who asks for no progress: pause() asks nobody in the library that has SimGrid,
/// which has its own copy of what this thread knows.
SimulationOptions with_pauses(SimulationOptions options) {
  if (!options.progress && base::is_stoppable()) options.progress = [](double) { base::pause(); };
  return options;
}

}  // namespace

bool has_simgrid() { return find_simulator() != nullptr; }

SimulationResult run_s4u(const Schedule& schedule, const Topology& topology, const SimulationOptions& options) {
  return simulator().schedule_on_s4u(schedule, topology, with_pauses(options));
}

ActivityTimes run_s4u(const ActivityGraph& graph, const Topology& topology, const SimulationOptions& options) {
  return simulator().graph_on_s4u(graph, topology, with_pauses(options));
}

SimulationResult run_smpi(const Schedule& schedule, const Topology& topology, const SimulationOptions& options) {
  return simulator().schedule_on_smpi(schedule, topology, with_pauses(options));
}

ProgramResult run_program_on_smpi(std::string_view name, Rank ranks, const Topology& topology,
                                  const std::function<std::vector<double>(Rank)>& program,
                                  const SimulationOptions& options) {
  return simulator().program_on_smpi(name, ranks, topology, program, with_pauses(options));
}

PlatformOfSimgrid import_simgrid_platform(const std::string& file, std::string_view text,
                                          const PlatformTables& tables) {
  return simulator().tables_of_platform(file, text, tables);
}

}  // namespace gdr::interconnect
