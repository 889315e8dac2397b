// Times of collectives and of SUMMA on a network as users ask for them: by a simulation or by a closed form, with the
// loads of all links.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/collectives.h"
#include "gdr/interconnect/platform.h"
#include "gdr/interconnect/schedule.h"
#include "gdr/interconnect/simulation.h"
#include "gdr/interconnect/summa.h"

namespace gdr::interconnect {

/// How the time of a schedule is found.
struct Executor {
  std::string name = "s4u";           // s4u, smpi or closed-form
  SimulationOptions simulation = {};  // of the first two; flops_per_second is for all
  bool with_loads = false;            // whether ScheduleRun::loads are wanted

  [[nodiscard]] bool is_closed_form() const { return name == "closed-form"; }
  [[nodiscard]] double seconds(const Schedule& schedule, const Topology& topology) const;
};

/// A run whose traffic is known; its time is, too, unless it must be simulated.
struct ScheduleRun {
  std::optional<Schedule> schedule;  // to be simulated
  double seconds = 0;                // of a closed form, or after simulate()
  double link_bound_seconds = 0;
  Traffic traffic;
  std::vector<LinkLoad> loads;  // shape: [links]
  std::uint64_t padded_n = 0;   // of SUMMA

  /// Throws gdr::Error as run_s4u().
  void simulate(const Topology& topology, const Executor& executor);
};

/// Throws gdr::Error as make_collective() or collective_closed_form().
[[nodiscard]] ScheduleRun run_of(const Collective& collective, const Topology& topology, const Executor& executor);
/// Throws gdr::Error as make_summa() or summa_closed_form().
[[nodiscard]] ScheduleRun run_of(const SummaOptions& options, const Topology& topology, const Executor& executor);

/// Estimated seconds of the host for a run, before its schedule is made: those of a closed form follow from its routes,
/// those of a simulation from its messages.
[[nodiscard]] double host_seconds(const Collective& collective, const Platform& platform, const Executor& executor);
[[nodiscard]] double host_seconds(const SummaOptions& options, const Platform& platform, const Executor& executor);

/// SUMMA of matrices of order n on all nodes of a platform, by the algorithm CA0 to CA4.
[[nodiscard]] SummaOptions summa_on(const Platform& platform, std::uint64_t n, std::string_view algorithm,
                                    SummaLayout layout);
/// Seconds of CA1 in two dimensions on a hub with the same number of nodes, bandwidth and latency; nothing if the nodes
/// form no square, or more than a hub that is simulated has.
[[nodiscard]] std::optional<double> ca1_on_hub(const SummaOptions& options, const Platform& platform,
                                               const Executor& executor);

}  // namespace gdr::interconnect
