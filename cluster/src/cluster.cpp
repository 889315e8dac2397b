#include "gdr/cluster/cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/error.h"
#include "gdr/base/units.h"
#include "gdr/cluster/nbody_node.h"
#include "gdr/interconnect/network.h"

namespace gdr::cluster {

const base::KindOfParts& cluster_kind() {
  static const base::KindOfParts kind{{"cluster",
                                       {{"boards_per_node", "1", 1, 64, true},
                                        {"ranks_per_node", "1", 1, 64, true},
                                        {"message_overhead", "us per message", 0, 1e6, false},
                                        {"loopback_rate", "GB/s", 1e-3, 1e6, false},
                                        {"loopback_latency", "us", 0, 1e6, false},
                                        {"host_memory", "GB per node", 1e-3, 1e9, false},
                                        {"host_power", "W per node", 0, 1e6, false},
                                        {"board_power", "W per board", 0, 1e6, false},
                                        {"network_power", "W per node", 0, 1e6, false}}},
                                      {"board", "host", "network"}};
  return kind;
}

Cluster load_cluster(std::string_view name_or_file) {
  const base::DescriptionOfParts read = base::load_description_of_parts(name_or_file, cluster_kind());
  const base::Description& description = read.description;
  Cluster cluster;
  cluster.name = description.name;
  cluster.title = description.title;
  cluster.board = emulator::load_machine(read.parts.at("board"));
  cluster.host = load_host(read.parts.at("host"));
  cluster.network = read.parts.at("network");
  cluster.boards_per_node = static_cast<unsigned>(description.value("boards_per_node"));
  cluster.ranks_per_node = static_cast<unsigned>(description.value("ranks_per_node"));
  cluster.message_overhead = description.value("message_overhead") * kMicro;
  cluster.loopback_rate = description.value("loopback_rate") * kGiga;
  cluster.loopback_latency = description.value("loopback_latency") * kMicro;
  cluster.host.memory = description.value("host_memory") * kGiga;
  cluster.host_power = description.value("host_power");
  cluster.board_power = description.value("board_power");
  cluster.network_power = description.value("network_power");
  if (cluster.boards_per_node % cluster.ranks_per_node != 0) {
    throw Error(fmt::format("{}: ranks_per_node = {} is refused: it must divide boards_per_node = {}", name_or_file,
                            cluster.ranks_per_node, cluster.boards_per_node));
  }
  static_cast<void>(interconnect::load_platform(cluster.network));
  return cluster;
}

std::vector<std::string> cluster_names() { return base::description_names({&cluster_kind().kind, 1}); }

emulator::MachineDescription Cluster::board_of_rank() const {
  emulator::MachineDescription machine = board;
  machine.host_write_2009_mb /= ranks_per_node;
  machine.send_ideal_mb /= ranks_per_node;
  return machine;
}

interconnect::Platform platform_for(const Cluster& cluster, interconnect::NodeId nodes, bool grows) {
  interconnect::Platform platform = interconnect::load_platform(cluster.network);
  if (platform.topology.nodes() >= nodes) return platform;
  if (grows) {
    interconnect::PlatformOptions larger;
    larger.nodes = nodes;
    return interconnect::load_platform(cluster.network, larger);
  }
  throw Error(fmt::format("{} nodes are refused: the network of {}, {}, has {}", nodes, cluster.name,
                          platform.topology.name(), platform.topology.nodes()));
}

namespace {

/// Kinds of descriptions of boards, hosts and networks.
std::vector<base::DescriptionKind> kinds_of_one() {
  std::vector<base::DescriptionKind> kinds = interconnect::network_kinds();
  kinds.insert(kinds.begin(), {emulator::board_kind(), pipelines_kind(), host_kind()});
  return kinds;
}

}  // namespace

std::vector<base::DescriptionKind> all_kinds() {
  std::vector<base::DescriptionKind> kinds = kinds_of_one();
  kinds.push_back(cluster_kind().kind);
  return kinds;
}

base::DescriptionOfParts load_any(const std::string& name) {
  const std::vector<std::string> clusters = cluster_names();
  const bool is_file = name.ends_with(".toml");
  if (std::ranges::find(clusters, name) != clusters.end()) {
    return base::load_description_of_parts(name, cluster_kind());
  }
  try {
    return {base::load_description(name, kinds_of_one()), {}};
  } catch (const Error&) {
    if (!is_file || !base::is_of_kind(name, cluster_kind().kind.name)) throw;
    return base::load_description_of_parts(name, cluster_kind());
  }
}

std::vector<std::uint64_t> sweep_of_nodes(const Cluster& cluster) {
  constexpr std::uint64_t kFactor = 4;  // squares of powers of two
  const std::uint64_t all = platform_for(cluster, 1).topology.nodes();
  std::vector<std::uint64_t> nodes;
  for (std::uint64_t count = 1; count <= all; count *= kFactor) nodes.push_back(count);
  return nodes;
}

}  // namespace gdr::cluster
