// Replaces the folder simgrid if the project is built without SimGrid.
#include "gdr/base/error.h"
#include "gdr/interconnect/simulation.h"

namespace gdr::interconnect {

bool has_simgrid() { return false; }

SimulationResult run_s4u(const Schedule&, const Topology&, const SimulationOptions&) {
  throw Error("gdr was built without SimGrid: install libsimgrid-dev and configure with -DGDR_SIMGRID=ON to simulate");
}

ActivityTimes run_s4u(const ActivityGraph&, const Topology& topology, const SimulationOptions& options) {
  static_cast<void>(run_s4u(Schedule{}, topology, options));
  return {};
}

SimulationResult run_smpi(const Schedule& schedule, const Topology& topology, const SimulationOptions& options) {
  return run_s4u(schedule, topology, options);
}

ProgramResult run_program_on_smpi(std::string_view, Rank, const Topology& topology,
                                  const std::function<std::vector<double>(Rank)>&, const SimulationOptions& options) {
  static_cast<void>(run_s4u(Schedule{}, topology, options));
  return {};
}

}  // namespace gdr::interconnect
