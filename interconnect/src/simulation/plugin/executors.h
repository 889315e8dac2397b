// What the functions of simulation.h call, on SimGrid: s4u.cpp and activities.cpp run on S4U, smpi.cpp on SMPI. Each
// throws gdr::Error as its function there says.
#pragma once

#include "gdr/interconnect/simulation.h"

namespace gdr::interconnect {

[[nodiscard]] SimulationResult simulate_on_s4u(const Schedule& schedule, const Topology& topology,
                                               const SimulationOptions& options);
[[nodiscard]] ActivityTimes simulate_on_s4u(const ActivityGraph& graph, const Topology& topology,
                                            const SimulationOptions& options);
[[nodiscard]] SimulationResult simulate_on_smpi(const Schedule& schedule, const Topology& topology,
                                                const SimulationOptions& options);
[[nodiscard]] ProgramResult simulate_program_on_smpi(std::string_view name, Rank ranks, const Topology& topology,
                                                     const std::function<std::vector<double>(Rank)>& program,
                                                     const SimulationOptions& options);

[[nodiscard]] PlatformOfSimgrid tables_of_platform(const std::string& file, std::string_view text,
                                                   const PlatformTables& tables);

}  // namespace gdr::interconnect
