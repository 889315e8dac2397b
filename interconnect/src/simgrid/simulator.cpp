#include "simulator.h"

#include "simgrid/executors.h"

namespace gdr::interconnect {
namespace {

class SimGridSimulator final : public Simulator {
 public:
  [[nodiscard]] SimulationResult run_s4u(const Schedule& schedule, const Topology& topology,
                                         const SimulationOptions& options) const override {
    return simulate_on_s4u(schedule, topology, options);
  }
  [[nodiscard]] ActivityTimes run_s4u(const ActivityGraph& graph, const Topology& topology,
                                      const SimulationOptions& options) const override {
    return simulate_on_s4u(graph, topology, options);
  }
  [[nodiscard]] SimulationResult run_smpi(const Schedule& schedule, const Topology& topology,
                                          const SimulationOptions& options) const override {
    return simulate_on_smpi(schedule, topology, options);
  }
  [[nodiscard]] ProgramResult run_program_on_smpi(std::string_view name, Rank ranks, const Topology& topology,
                                                  const std::function<std::vector<double>(Rank)>& program,
                                                  const SimulationOptions& options) const override {
    return simulate_program_on_smpi(name, ranks, topology, program, options);
  }
};

}  // namespace
}  // namespace gdr::interconnect

extern "C" __attribute__((visibility("default"))) const gdr::interconnect::Simulator* gdr_simulator_1() {
  static const gdr::interconnect::SimGridSimulator simulator;
  return &simulator;
}
