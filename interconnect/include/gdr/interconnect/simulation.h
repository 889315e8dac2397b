// Flow-level simulation of a schedule by SimGrid. The library is gdr::simulation, which loads libgdr_simgrid.so, and
// with it SimGrid, for the first simulation.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/interconnect/activities.h"
#include "gdr/interconnect/flow_factors.h"
#include "gdr/interconnect/schedule.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

/// SimGrid's flow models.
enum class FlowModel {
  cm02,  // latency and max-min shared bandwidth, without factors
  lv08,  // S4U's default: latency x 13.01, bandwidth x 0.97
  smpi,  // SMPI's default: both factors by message size: latency x 11.6436, bandwidth x 0.9407 from 65,472 bytes on
};

struct SimulationOptions {
  FlowModel model = FlowModel::cm02;
  bool crosstraffic = false;    // flows also take 5 % of the way back, SimGrid's default
  FlowFactors factors = {};     // with cm02 only: the other models have their own
  double flops_per_second = 0;  // of a node; 0: arithmetic takes no time
  double resolution =
      1e-6;  // events closer together than this share of the busiest link's time count as one; speeds up large runs
  std::function<void(double done)> progress = {};  // called about ten times a second with the share done, from 0 to 1
};

struct SimulationResult {
  double seconds = 0;                // when the last rank is done
  std::vector<double> rank_seconds;  // when each rank is done
  double processor_seconds = 0;      // processor time of the simulation on the host
  double memory_bytes = 0;           // on the host, without the schedule and the topology
};

/// Loads libgdr_simgrid.so if that was not tried before. False if it is not found or does not load, as in builds
/// without SimGrid (-DGDR_SIMGRID=OFF).
[[nodiscard]] bool has_simgrid();

/// Simulates `schedule` on `topology` with SimGrid's S4U. Each simulation is a process of its own, so that any number
/// can run, also at the same time. Throws gdr::Error as link_loads() does; for options out of range; if the schedule
/// deadlocks, naming the first waiting rank; if SimGrid ends the process, with its reason; as require_link_bound(), for
/// a time that is shorter than a link can carry its bytes; and without SimGrid.
[[nodiscard]] SimulationResult run_s4u(const Schedule& schedule, const Topology& topology,
                                       const SimulationOptions& options = {});

/// The same for activities: flows share links, and a resource does work in the order in which the work becomes ready.
/// The result has neither the use of links nor the critical path. Throws gdr::Error as above.
[[nodiscard]] ActivityTimes run_s4u(const ActivityGraph& graph, const Topology& topology,
                                    const SimulationOptions& options = {});

/// As run_s4u(), but each rank makes MPI calls on SimGrid's SMPI. Only messages and arithmetic at `flops_per_second`
/// take time. No message leaves before its receive is posted, as schedules require; SMPI's default, that messages below
/// 64 KiB leave at once, is off. SMPI adds an envelope of 16 bytes to each message. All messages of a pair of ranks
/// have the rate cap of the longest. Each rank needs a stack. Also throws gdr::Error for messages of 2 GiB and more,
/// which MPI cannot count.
[[nodiscard]] SimulationResult run_smpi(const Schedule& schedule, const Topology& topology,
                                        const SimulationOptions& options = {});

struct ProgramResult {
  double seconds = 0;                        // when the last rank is done
  std::vector<double> rank_seconds;          // when each rank is done
  std::vector<std::vector<double>> numbers;  // what each rank returned
};

/// Runs a program of MPI calls on SMPI, compiled against SMPI's mpi.h. Each rank calls `program` with its number,
/// between MPI_Init() and MPI_Finalize(), which this function calls. Time passes in messages, and where the program
/// tells SimGrid so. Messages below 64 KiB leave before their receive is posted, SMPI's default. Ranks are threads of
/// control of one process, which run one at a time; rank r runs on node r. Throws gdr::Error with the text of what a
/// rank throws, for more ranks than nodes, and as run_s4u().
[[nodiscard]] ProgramResult run_program_on_smpi(std::string_view name, Rank ranks, const Topology& topology,
                                                const std::function<std::vector<double>(Rank)>& program,
                                                const SimulationOptions& options = {});

/// Files for the tables of a platform: links, routes and speeds of nodes as descriptions of kind "table" have them, and
/// the names of the hosts by their numbers.
struct PlatformTables {
  std::string links;
  std::string routes;
  std::string hosts;
  std::string speeds;
};
struct PlatformOfSimgrid {
  NodeId nodes = 0;
  std::uint64_t fat_pipes = 0;          // links that do not share their bandwidth (FATPIPE)
  double flops_per_second = 0;          // of the slowest host
  double bytes_per_second = 0;          // of the first link of a route
  std::vector<std::string> notes = {};  // what the file has and the tables do not, and where hosts differ
};
/// Reads the text of a platform file of SimGrid by SimGrid's own reader and writes its tables; files that it names are
/// looked for in its folder. SimGrid does not see its settings (its element config). Throws gdr::Error with SimGrid's
/// message for a file that it refuses, for more than 1,024 hosts, for hosts that do not run at the beginning or have no
/// link between them, and for routes with a latency beside that of their links; and without SimGrid.
PlatformOfSimgrid import_simgrid_platform(const std::string& file, std::string_view text, const PlatformTables& tables);

}  // namespace gdr::interconnect
