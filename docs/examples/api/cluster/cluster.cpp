// Loads the description of a cluster, and shows its nodes, its network and its power.
#include <gdr/base/error.h>
#include <gdr/cluster/cluster.h>

#include <cstdio>

int main() {
  const gdr::cluster::Cluster cluster = gdr::cluster::load_cluster("grape-dr-64");
  std::printf("%s: %s\n", cluster.name.c_str(), cluster.title.c_str());
  std::printf("a node: %u board(s) %s, host %s, %u rank(s)\n", cluster.boards_per_node, cluster.board.name.c_str(),
              cluster.host.name.c_str(), cluster.ranks_per_node);
  const gdr::interconnect::Platform platform = gdr::cluster::platform_for(cluster, 64);
  std::printf("network %s: %s, %.2f GB/s per node; routes: %s\n", cluster.network.c_str(),
              platform.topology.name().c_str(), platform.node_bytes_per_second * 1e-9, platform.routing.c_str());
  std::printf("64 nodes: %.1f kW\n", cluster.power(64) * 1e-3);

  try {
    static_cast<void>(gdr::cluster::platform_for(cluster, 512));
  } catch (const gdr::Error& error) {
    std::printf("%s\n", error.what());
  }
  const gdr::interconnect::Platform larger = gdr::cluster::platform_for(cluster, 512, true);  // of the same kind
  std::printf("%u nodes, %zu links\n", larger.topology.nodes(), larger.topology.links().size());
}
