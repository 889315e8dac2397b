#include "network_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>

#include "gdr/base/environment.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/interconnect/foreign_graphs.h"
#include "gdr/interconnect/mapping_output.h"

namespace gdr::interconnect {
namespace {

constexpr std::uint32_t kMostTasksPerNode = 1024;
constexpr TaskId kMostTasks = 1U << 22;

/// The value that `read` makes of a variable; errors name the variable.
template <class Read>
auto from_variable(const char* name, Read read) {
  const std::string value = base::environment(name);
  try {
    return read(value);
  } catch (const Error& error) {
    throw Error(fmt::format("{} = '{}' is refused: {}", name, value, error.what()));
  }
}

std::uint32_t tasks_per_node(const std::string& value) {
  if (value.empty()) return 1;
  constexpr std::size_t kMostDigits = 4;
  const bool is_number = value.size() <= kMostDigits && value.find_first_not_of("0123456789") == value.npos;
  const std::uint32_t tasks = is_number ? static_cast<std::uint32_t>(std::stoul(value)) : 0;
  if (tasks < 1 || tasks > kMostTasksPerNode) throw Error(fmt::format("it must be from 1 to {}", kMostTasksPerNode));
  return tasks;
}

/// Host files often lack the domain that a host gives itself.
std::string without_domain(const std::string& host) { return host.substr(0, host.find('.')); }

/// The network with a node for each process. Processes of one node are joined by no link.
Topology places_on(const Topology& topology, const std::vector<NodeId>& nodes) {
  return {topology.name(), static_cast<NodeId>(nodes.size()), topology.links(), topology.ways(),
          [topology, nodes](NodeId from, NodeId to, std::uint32_t way, std::vector<LinkId>& route) {
            topology.way_into(nodes[from], nodes[to], way, route);
          }};
}

/// The process on each node; nothing unless each node has one.
std::optional<std::vector<std::uint32_t>> process_on_each(const std::vector<NodeId>& nodes, NodeId count) {
  if (nodes.size() != count) return std::nullopt;
  std::vector<std::uint32_t> process(count, count);
  for (std::uint32_t p = 0; p < count; ++p) {
    if (process[nodes[p]] != count) return std::nullopt;
    process[nodes[p]] = p;
  }
  return process;
}

}  // namespace

bool RankOrder::is_natural() const {
  return std::ranges::equal(process_of, std::views::iota(std::size_t{0}, process_of.size()));
}

NetworkOrder NetworkOrder::from_environment() {
  if (base::environment("GDR_REORDER").empty()) throw Error("GDR_REORDER, which names the network, is not set");
  NetworkOrder made =
      from_variable("GDR_REORDER", [](const std::string& name) { return NetworkOrder(name, network_to_map(name)); });
  from_variable("GDR_REORDER_HOSTS", [&](const std::string& path) {
    if (path.empty()) return;
    for (const std::string& host : parse_hosts(base::read_file(path), path)) {
      if (std::ranges::find(made.hosts_, host) == made.hosts_.end()) made.hosts_.push_back(host);
    }
    if (made.hosts_.empty()) throw Error("it names no host");
    if (made.hosts_.size() > made.topology_.nodes()) {
      throw Error(
          fmt::format("it names {} hosts, {} has {} nodes", made.hosts_.size(), made.network_, made.topology_.nodes()));
    }
  });
  made.tasks_per_node_ = from_variable("GDR_REORDER_TASKS_PER_NODE", tasks_per_node);
  from_variable("GDR_REORDER_GRAPH", [&](const std::string& path) {
    if (path.empty()) return;
    const std::string text = base::read_file(path);
    made.graph_ = parse_foreign_graph(text, path, guess_graph_format(text, path), kMostTasks).graph;
    made.graph_file_ = path;
  });
  from_variable("GDR_REORDER_OBJECTIVE", [&](const std::string& value) {
    if (value.empty()) return;
    if (value != "cost" && value != "link") throw Error("it must be cost or link");
    made.objective_ = value;
  });
  return made;
}

std::vector<NodeId> NetworkOrder::nodes_of_hosts(const std::vector<std::string>& host_of_process) const {
  std::map<std::string, NodeId> node_of;
  for (NodeId node = 0; node < hosts_.size(); ++node) {
    node_of.emplace(hosts_[node], node);
    node_of.emplace(without_domain(hosts_[node]), node);
  }
  std::vector<NodeId> nodes;
  for (const std::string& host : host_of_process) {
    auto found = node_of.find(host);
    if (found == node_of.end()) found = node_of.find(without_domain(host));
    if (found == node_of.end()) throw Error(fmt::format("GDR_REORDER_HOSTS lacks the host {}", host));
    nodes.push_back(found->second);
  }
  return nodes;
}

std::vector<NodeId> NetworkOrder::nodes_of_ranks(const std::vector<int>& world_rank_of_process) const {
  std::vector<NodeId> nodes;
  for (const int rank : world_rank_of_process) {
    if (rank < 0)
      throw Error("a process is not in MPI_COMM_WORLD of the first one: GDR_REORDER_HOSTS must name the hosts");
    const NodeId node = static_cast<NodeId>(rank) / tasks_per_node_;
    if (node >= topology_.nodes()) {
      throw Error(fmt::format("rank {} is beyond {}: {} nodes with GDR_REORDER_TASKS_PER_NODE = {} have room for {}",
                              rank, network_, topology_.nodes(), tasks_per_node_,
                              std::uint64_t{topology_.nodes()} * tasks_per_node_));
    }
    nodes.push_back(node);
  }
  return nodes;
}

RankOrder NetworkOrder::order(const TaskGraph& neighbours, const std::vector<NodeId>& node_of_process) const {
  const TaskGraph& graph = graph_ ? *graph_ : neighbours;
  if (graph.tasks() != neighbours.tasks()) {
    throw Error(fmt::format("GDR_REORDER_GRAPH = '{}' is refused: it has {} tasks, the communicator {} ranks",
                            graph_file_, graph.tasks(), neighbours.tasks()));
  }
  RefineOptions options;
  options.objective = objective_ == "link" ? MappingObjective::link : MappingObjective::cost;
  const Topology places = places_on(topology_, node_of_process);
  const NetworkMapping natural = network_mapping_in_order(graph, places, 1);
  NetworkMapping found;
  const auto process_on = process_on_each(node_of_process, topology_.nodes());
  if (const auto axes = axes_of(network_); process_on && axes && *axes <= Grid::kMostAxes) {
    for (const std::uint32_t node : map_by_refinement(graph, Grid::parse(network_), {}, options)) {
      found.node_of.push_back((*process_on)[node]);
    }
  } else {
    found = map_on_network(graph, places, 1, options);
  }
  RankOrder order{found.node_of, network_mapping_cost(graph, places, found),
                  network_mapping_cost(graph, places, natural)};
  if (!is_better(order.cost, order.natural, options.objective)) {
    order.process_of = natural.node_of;
    order.cost = order.natural;
  }
  return order;
}

}  // namespace gdr::interconnect
