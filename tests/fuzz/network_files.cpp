// Any text as each format of other programs: refused by gdr::Error, or a graph that is written and read back the same,
// or a network whose cables end at known nodes or switches.
#include <algorithm>
#include <set>

#include "fuzz.h"
#include "gdr/interconnect/foreign_graphs.h"
#include "gdr/interconnect/imported_network.h"

namespace {

using namespace gdr::interconnect;

void check_graph(std::string_view text, GraphFormat format) {
  constexpr TaskId kMostTasks = 64;
  const GraphFile file = parse_foreign_graph(text, "fuzz", format, kMostTasks);
  const GraphFile again = parse_graph(graph_csv(file.graph), "again.csv", kMostTasks);
  FUZZ_HOLDS(again.graph.tasks() == file.graph.tasks());
  FUZZ_HOLDS(std::ranges::equal(again.graph.transfers(), file.graph.transfers()));
}

void check_network(const ImportedNetwork& network) {
  for (const ImportedCable& cable : network.cables) {
    FUZZ_HOLDS(!cable.from.empty() && !cable.to.empty());
    FUZZ_HOLDS(cable.bytes_per_second >= 0);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = gdr::fuzz::text_of(data, size);
  for (const std::string& name : graph_format_names()) {
    gdr::fuzz::refuses([&] { check_graph(text, graph_format_named(name)); });
  }
  gdr::fuzz::refuses([&] { check_graph(text, guess_graph_format(text, "fuzz")); });
  gdr::fuzz::refuses([&] { check_network(parse_ibnetdiscover(text, "fuzz")); });
  gdr::fuzz::refuses([&] { check_network(parse_slurm_topology(text, "fuzz")); });
  gdr::fuzz::refuses([&] { check_network(parse_hwloc(text, "fuzz")); });
  return 0;
}
