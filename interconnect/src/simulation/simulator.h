// What the library libgdr_simgrid.so offers. SimGrid and what it brings take longer to load than most commands of gdr
// run, so that it is loaded for the first simulation.
#pragma once

#include "gdr/interconnect/simulation.h"

#define GDR_SIMULATOR gdr_simulator_4

namespace gdr::interconnect {

/// The functions of simulation.h, on SimGrid.
struct Simulator {
  SimulationResult (*schedule_on_s4u)(const Schedule&, const Topology&, const SimulationOptions&);
  ActivityTimes (*graph_on_s4u)(const ActivityGraph&, const Topology&, const SimulationOptions&);
  SimulationResult (*schedule_on_smpi)(const Schedule&, const Topology&, const SimulationOptions&);
  ProgramResult (*program_on_smpi)(std::string_view name, Rank ranks, const Topology&,
                                   const std::function<std::vector<double>(Rank)>& program, const SimulationOptions&);
  PlatformOfSimgrid (*tables_of_platform)(const std::string& file, std::string_view text, const PlatformTables&);
};

}  // namespace gdr::interconnect

extern "C" __attribute__((visibility("default"))) const gdr::interconnect::Simulator* GDR_SIMULATOR();
