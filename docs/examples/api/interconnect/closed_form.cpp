// Compares three kinds of broadcast on an optical hub, without simulation: loads of links and times.
#include <gdr/interconnect/closed_form.h>
#include <gdr/interconnect/collectives.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

using namespace gdr::interconnect;

int main() {
  constexpr Rank kNodes = 8;
  constexpr std::uint64_t kBytes = 8'000'000;
  const Topology hub = optical_hub(kNodes, {.bytes_per_second = 1e9, .latency_seconds = 1e-6});
  const std::vector<std::pair<std::string, Schedule>> broadcasts = {
      {"direct", make_broadcast(kNodes, kBytes, Path::direct)},
      {"multipath", make_broadcast(kNodes, kBytes, Path::multipath)},
      {"tree", make_tree_broadcast(kNodes, kBytes)},
  };
  for (const auto& [name, schedule] : broadcasts) {
    unsigned used = 0;
    std::uint64_t most = 0;
    for (const LinkLoad& load : link_loads(schedule, hub)) {
      used += load.bytes > 0 ? 1 : 0;
      most = load.bytes > most ? load.bytes : most;
    }
    const ClosedForm times = run_closed_form(schedule, hub);
    std::printf("%-9s  %2u of %zu links, at most %.1f MB on one: %.3f ms, at least %.3f ms\n", name.c_str(), used,
                hub.links().size(), static_cast<double>(most) * 1e-6, times.lockstep_seconds * 1e3,
                times.link_bound_seconds * 1e3);
  }
}
