#include "gdr/interconnect/simulation.h"
#include "gdr/interconnect/tca_topology.h"

namespace gdr::interconnect {

double simulated_exchange(const HaloPlans& plans, const HaloSystem& system) {
  SimulationOptions options;
  options.flops_per_second = kHaloFlops;
  const Schedule schedule = halo_schedule(plans, system);
  const double seconds = run_s4u(schedule, ha_pacs_tca(system), options).seconds;
  return seconds > 0 ? seconds + system.cluster.exchange_overhead : 0;
}

}  // namespace gdr::interconnect
