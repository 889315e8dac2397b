// What the library libgdr_simgrid.so offers. SimGrid and what it brings take longer to load than most commands of gdr
// run, so that it is loaded for the first simulation.
#pragma once

#include "gdr/interconnect/simulation.h"

// The function of the library that returns its simulator. Its number rises with each change of the class.
#define GDR_SIMULATOR "gdr_simulator_1"

namespace gdr::interconnect {

/// The functions of simulation.h on SimGrid.
class Simulator {
 public:
  Simulator() = default;
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;
  virtual ~Simulator() = default;

  [[nodiscard]] virtual SimulationResult run_s4u(const Schedule& schedule, const Topology& topology,
                                                 const SimulationOptions& options) const = 0;
  [[nodiscard]] virtual ActivityTimes run_s4u(const ActivityGraph& graph, const Topology& topology,
                                              const SimulationOptions& options) const = 0;
  [[nodiscard]] virtual SimulationResult run_smpi(const Schedule& schedule, const Topology& topology,
                                                  const SimulationOptions& options) const = 0;
  [[nodiscard]] virtual ProgramResult run_program_on_smpi(std::string_view name, Rank ranks, const Topology& topology,
                                                          const std::function<std::vector<double>(Rank)>& program,
                                                          const SimulationOptions& options) const = 0;
};

using GetSimulator = const Simulator* (*)();

}  // namespace gdr::interconnect
