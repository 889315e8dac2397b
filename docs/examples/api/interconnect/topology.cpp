// Builds a torus and an optical hub, and shows the links that messages take.
#include <gdr/base/error.h>
#include <gdr/interconnect/topology.h>

#include <cstdio>

using namespace gdr::interconnect;

namespace {

void print_route(const Topology& topology, NodeId from, NodeId to) {
  double seconds = 0;
  std::printf("%s, %u to %u:", topology.name().c_str(), from, to);
  for (const LinkId link : topology.route(from, to)) {
    std::printf(" [%u] %s", link, topology.links().name(link).c_str());
    seconds += topology.links()[link].latency_seconds;
  }
  std::printf(", latency %.1f us\n", seconds * 1e6);
}

}  // namespace

int main() {
  const Cable cable{.bytes_per_second = 2e9, .latency_seconds = 1.5e-6};
  const Topology torus = gdr::interconnect::torus({4, 4}, cable);  // node = x + 4 y
  std::printf("%s: %u nodes, %zu links\n", torus.name().c_str(), torus.nodes(), torus.links().size());
  print_route(torus, 0, 5);   // x first, then y
  print_route(torus, 0, 15);  // over the links that close the rings

  const Topology hub = optical_hub(16, cable);
  std::printf("%s: %u nodes, %zu links\n", hub.name().c_str(), hub.nodes(), hub.links().size());
  print_route(hub, 0, 15);
  std::printf("wavelength of 0 to 15: %u\n", hub_wavelength(16, 0, 15));

  try {
    static_cast<void>(torus.route(0, 16));
  } catch (const gdr::Error& error) {
    std::printf("%s\n", error.what());
  }
}
