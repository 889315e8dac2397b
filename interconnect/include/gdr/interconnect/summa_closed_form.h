// Times of SUMMA without simulation and without its schedule in memory, for thousands of nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/summa.h"
#include "gdr/interconnect/topology.h"

namespace gdr::interconnect {

struct SummaClosedForm {
  ClosedForm times;
  Traffic traffic;
  std::uint64_t padded_n = 0;   // as SummaPlan::padded_n
  std::vector<LinkLoad> loads;  // shape: [links]
};
/// What run_closed_form(), traffic() and link_loads() give for make_summa(options).schedule, to the last bit, up to the
/// order in which flops are added. Messages are counted as they are made, and steps with the same messages are counted
/// once. Time grows with the messages of the others and the links, memory with the links. Throws as make_summa() does,
/// but for the memory of the schedule and the limit on nodes; also if the topology has fewer nodes than the options.
[[nodiscard]] SummaClosedForm summa_closed_form(const SummaOptions& options, const Topology& topology,
                                                double flops_per_second = 0);

/// How much a product does, without its schedule; about, because messages from a rank to itself are included.
struct SummaSize {
  double messages = 0;
  double together = 0;  // messages of the largest step
  double routes = 0;    // of messages that summa_closed_form() follows; it counts equal steps once
};
[[nodiscard]] SummaSize summa_size(const SummaOptions& options);

/// Seconds of CA1 in two dimensions on an optical hub whose links are all `wavelength`, as run_closed_form() gives
/// them: every message has a link of its own. Throws as make_summa() does.
[[nodiscard]] double ca1_on_hub_seconds(Rank nodes, std::uint64_t n, Cable wavelength, double flops_per_second = 0);

}  // namespace gdr::interconnect
