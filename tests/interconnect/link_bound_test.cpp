// Simulated times on random networks against the load of the busiest link, and against flows that this file computes
// step by step from the definition of max-min fairness.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/shared_paths.h"
#include "gdr/interconnect/simulation.h"

namespace gdr::interconnect {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

/// A connected graph of nodes and switches, whose links have random bandwidths and latencies. Of three networks in
/// turn, the first has one route for each pair of nodes, in the second a hash chooses among equal paths, and in the
/// third a message takes all of them.
Topology random_network(std::mt19937& random, unsigned turn) {
  const auto below = [&](unsigned n) { return static_cast<NodeId>(random() % n); };
  Graph graph;
  graph.name = "random";
  graph.nodes = 2 + below(7);
  graph.vertices = graph.nodes + below(5);
  constexpr double kBandwidths[] = {1e9, 2.5e9, 1e10};
  constexpr double kLatencies[] = {0.2e-6, 1e-6, 5e-6};
  const bool is_uniform = below(2) == 0;
  const auto join = [&](NodeId a, NodeId b) {
    const Link link{"", is_uniform ? 1e10 : kBandwidths[below(3)], is_uniform ? 1e-6 : kLatencies[below(3)]};
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      graph.edges.push_back({from, to});
      graph.links.push_back(link);
      graph.links.back().name = fmt::format("{}>{}", from, to);
    }
  };
  for (NodeId vertex = 1; vertex < graph.vertices; ++vertex) join(vertex, below(vertex));
  const NodeId more = below(graph.vertices);
  for (NodeId i = 0; i < more; ++i) {
    const NodeId a = below(graph.vertices);
    const NodeId b = below(graph.vertices);
    if (a != b) join(a, b);
  }
  if (turn % 3 == 1) return shared_shortest_paths(std::move(graph), SharedBy::hash);
  if (turn % 3 == 2) return all_shortest_paths(std::move(graph));
  return shortest_paths(std::move(graph));
}

/// Two levels of switches, as clusters have them.
Topology random_fat_tree(std::mt19937& random) {
  const auto from_1_to = [&](unsigned n) { return static_cast<NodeId>(1 + random() % n); };
  return fat_tree({.leaves = 1 + from_1_to(3),
                   .nodes_per_leaf = from_1_to(4),
                   .spines = from_1_to(2),
                   .cables = 1,
                   .link = {1e10, 1e-6},
                   .routing = random() % 2 == 0 ? FatTreeRouting::shortest : FatTreeRouting::destination});
}

Schedule random_schedule(NodeId nodes, std::mt19937& random) {
  const std::size_t steps = 1 + random() % 3;
  Schedule schedule{"random", std::vector<std::vector<Step>>(nodes, std::vector<Step>(steps))};
  constexpr std::uint64_t kSizes[] = {1 << 17, 1000000, 100000000};  // the last hides all latencies
  const std::uint64_t size = kSizes[random() % 3];
  const bool is_even = random() % 2 == 0;
  for (std::size_t step = 0; step < steps; ++step) {
    const bool to_all = random() % 3 == 0;
    for (Rank from = 0; from < nodes; ++from) {
      for (Rank to = 0; to < nodes; ++to) {
        if (from == to || !(to_all || random() % 4 == 0)) continue;
        const std::uint64_t bytes = is_even ? size : size + random() % size;
        add_message(schedule, step, from, to, bytes, std::uint64_t{from} * nodes + to);
      }
    }
  }
  return schedule;
}

/// Flows that share links as CM02 does: rates in inverse proportion to latency, as large as the links allow. Time goes
/// from one begin or end of a flow to the next.
class FairFlows {
 public:
  FairFlows(const Schedule& schedule, const Topology& topology) : links_(topology.links()), ways_(topology.ways()) {
    for (Rank rank = 0; rank < schedule.ranks.size(); ++rank) {
      for (std::size_t step = 0; step < schedule.ranks[rank].size(); ++step) {
        for (const Message& message : schedule.ranks[rank][step].sends) {
          Flow flow{rank, message.peer, step, {}, static_cast<double>(message.bytes)};
          topology.links_into(rank, message.peer, flow.route);
          flow.latency = topology.latency_seconds(rank, message.peer);
          flows_.push_back(std::move(flow));
        }
      }
    }
    step_.resize(schedule.ranks.size());
    steps_ = schedule.ranks.empty() ? 0 : schedule.ranks[0].size();
  }

  double seconds() {
    double now = 0;
    double last = 0;
    while (true) {
      advance_ranks(now);
      share();
      double next = kForever;
      for (const Flow& flow : flows_) {
        if (flow.done || flow.begins == kForever) continue;
        next = std::min(next, flow.begins > now ? flow.begins : now + flow.left / flow.rate);
      }
      if (next == kForever) return last;
      for (Flow& flow : flows_) {
        if (flow.done || flow.begins > now) continue;
        const double end = now + flow.left / flow.rate;
        flow.left -= flow.rate * (next - now);
        if (end <= next * (1 + 1e-14)) {
          flow.done = true;
          last = next;
        }
      }
      now = next;
    }
  }

 private:
  struct Flow {
    Rank from;
    Rank to;
    std::size_t step;
    std::vector<SharedLink> route;
    double left;  // bytes
    double latency = 0;
    double begins = kForever;
    double rate = 0;
    bool done = false;
  };

  /// Ranks whose messages of a step are done go on, and messages whose two ranks have reached their step begin.
  void advance_ranks(double now) {
    for (bool moved = true; moved;) {
      moved = false;
      for (Rank rank = 0; rank < step_.size(); ++rank) {
        const bool waits = std::ranges::any_of(flows_, [&](const Flow& flow) {
          return !flow.done && flow.step == step_[rank] && (flow.from == rank || flow.to == rank);
        });
        if (waits || step_[rank] == steps_) continue;
        ++step_[rank];
        moved = true;
      }
    }
    for (Flow& flow : flows_) {
      if (flow.begins == kForever && step_[flow.from] == flow.step && step_[flow.to] == flow.step)
        flow.begins = now + flow.latency;
    }
    now_ = now;
  }

  /// Raises all rates together; where a link is full, its flows stay as they are.
  void share() {
    std::vector<double> room;
    for (std::size_t link = 0; link < links_.size(); ++link) room.push_back(links_[link].bytes_per_second);
    std::vector<Flow*> open;
    for (Flow& flow : flows_) {
      if (!flow.done && flow.begins <= now_) open.push_back(&flow);
    }
    while (!open.empty()) {
      std::vector<double> weight(room.size());
      for (const Flow* flow : open) {
        for (const auto& [link, ways] : flow->route) weight[link] += ways / ways_ / flow->latency;
      }
      std::size_t fullest = 0;
      double level = kForever;
      for (std::size_t link = 0; link < room.size(); ++link) {
        if (weight[link] == 0 || room[link] / weight[link] >= level) continue;
        level = room[link] / weight[link];
        fullest = link;
      }
      std::erase_if(open, [&](Flow* flow) {
        if (std::ranges::find(flow->route, fullest, &SharedLink::link) == flow->route.end()) return false;
        flow->rate = level / flow->latency;
        for (const auto& [link, ways] : flow->route) room[link] -= flow->rate * ways / ways_;
        return true;
      });
    }
  }

  LinkTable links_;
  double ways_;
  std::vector<Flow> flows_;
  std::vector<std::size_t> step_;  // by rank
  std::size_t steps_ = 0;
  double now_ = 0;
};

double bound_of(const Schedule& schedule, const Topology& topology) {
  std::vector<double> bytes(topology.links().size());
  std::vector<SharedLink> links;
  for (Rank rank = 0; rank < schedule.ranks.size(); ++rank) {
    for (const Step& step : schedule.ranks[rank]) {
      for (const Message& message : step.sends) {
        topology.links_into(rank, message.peer, links);
        for (const auto& [link, ways] : links)
          bytes[link] += static_cast<double>(message.bytes) * ways / topology.ways();
      }
    }
  }
  double bound = 0;
  for (std::size_t link = 0; link < bytes.size(); ++link)
    bound = std::max(bound, bytes[link] / topology.links()[link].bytes_per_second);
  return bound;
}

std::string story(const Schedule& schedule, const Topology& topology, unsigned seed) {
  return fmt::format("seed {}, {} nodes, {} links, {} steps, {} messages", seed, topology.nodes(),
                     topology.links().size(), schedule.ranks[0].size(), traffic(schedule).messages);
}

class RandomNetworks : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  }
};

// SimGrid shares links with a relative precision of 1e-5, and events within 1e-6 of the run count as one.
constexpr double kPrecision = 2e-5;

TEST_F(RandomNetworks, FlowsTakeTheTimesOfMaxMinFairnessAndNeverLessThanTheBusiestLink) {
  constexpr unsigned kNetworks = 1000;
  for (unsigned seed = 1; seed <= kNetworks; ++seed) {
    std::mt19937 random(seed);
    const Topology topology = seed % 4 == 0 ? random_fat_tree(random) : random_network(random, seed);
    const Schedule schedule = random_schedule(topology.nodes(), random);
    const double bound = bound_of(schedule, topology);
    const double seconds = run_s4u(schedule, topology).seconds;
    ASSERT_GE(seconds, bound * (1 - kPrecision)) << story(schedule, topology, seed);
    if (bound == 0) continue;
    ASSERT_NEAR(seconds / FairFlows(schedule, topology).seconds(), 1, 1e-4) << story(schedule, topology, seed);
    ASSERT_GE(run_closed_form(schedule, topology).lockstep_seconds, bound) << story(schedule, topology, seed);
  }
}

TEST_F(RandomNetworks, MpiCallsTakeTheTimesOfFlowsAndNeverLessThanTheBusiestLink) {
  constexpr unsigned kNetworks = 60;
  constexpr double kEnvelope = 16.0 / (1 << 17);  // bytes that SMPI adds to a message, of the shortest
  for (unsigned seed = 1; seed <= kNetworks; ++seed) {
    std::mt19937 random(seed);
    const Topology topology = seed % 4 == 0 ? random_fat_tree(random) : random_network(random, seed);
    const Schedule schedule = random_schedule(topology.nodes(), random);
    const double bound = bound_of(schedule, topology);
    if (bound == 0) continue;
    const double seconds = run_smpi(schedule, topology).seconds;
    ASSERT_GE(seconds, bound * (1 - kPrecision)) << story(schedule, topology, seed);
    ASSERT_NEAR(seconds / run_s4u(schedule, topology).seconds, 1, kEnvelope + 1e-4) << story(schedule, topology, seed);
  }
}

TEST_F(RandomNetworks, ActivitiesTakeTheTimesOfFlows) {
  constexpr unsigned kNetworks = 60;
  for (unsigned seed = 1; seed <= kNetworks; ++seed) {
    std::mt19937 random(seed);
    const Topology topology = seed % 4 == 0 ? random_fat_tree(random) : random_network(random, seed);
    Schedule schedule = random_schedule(topology.nodes(), random);
    for (auto& steps : schedule.ranks) steps.resize(1);
    if (bound_of(schedule, topology) == 0) continue;
    ActivityGraph graph("messages", topology.nodes(), {});
    for (Rank rank = 0; rank < schedule.ranks.size(); ++rank) {
      for (const Message& message : schedule.ranks[rank][0].sends) {
        graph.message(rank, message.peer, static_cast<double>(message.bytes), {}, 0);
      }
    }
    ASSERT_NEAR(run_s4u(graph, topology).seconds / FairFlows(schedule, topology).seconds(), 1, 1e-4)
        << story(schedule, topology, seed);
  }
}

TEST_F(RandomNetworks, PermutationsOnASwitchTakeTheClosedForm) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    const auto nodes = static_cast<NodeId>(2 + random() % 15);
    const Topology topology = infiniband_flat(nodes, {1e9 * static_cast<double>(1 + random() % 20), 1e-6});
    Schedule schedule{"shift", std::vector<std::vector<Step>>(nodes)};
    const auto distance = static_cast<Rank>(1 + random() % (nodes - 1));
    const std::uint64_t bytes = 1 + random() % 100000000;
    for (Rank rank = 0; rank < nodes; ++rank) add_message(schedule, 0, rank, (rank + distance) % nodes, bytes, 0);
    EXPECT_NEAR(run_s4u(schedule, topology).seconds / run_closed_form(schedule, topology).lockstep_seconds, 1, 1e-5);
  }
}

TEST(LinkBound, ATimeBelowItIsRefusedWithItsLink) {
  Schedule schedule{"two", std::vector<std::vector<Step>>(3)};
  add_message(schedule, 0, 0, 2, 3000, 0);
  add_message(schedule, 0, 1, 2, 2000, 1);
  const Topology line = mesh({3}, {1e9, 0});
  const std::vector<LinkLoad> loads = link_loads(schedule, line);
  constexpr double kNeeded = 5e-6;
  EXPECT_NO_THROW(require_link_bound("two", line, loads, kNeeded, 0));
  EXPECT_NO_THROW(require_link_bound("two", line, loads, kNeeded * 0.995, 0.01));
  EXPECT_THROW(require_link_bound("two", line, loads, std::nan(""), 0.01), Error);
  try {
    require_link_bound("two", line, loads, 4e-6, 0.01);
    FAIL() << "a time below the bound was taken";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              fmt::format("two on {}: simulated time 4e-06 s is refused: link {} needs 5e-06 s for its 5000 bytes, so "
                          "the simulation is wrong; please report it with the command",
                          line.name(), line.links().name(line.route(1, 2)[0])));
  }
}

}  // namespace
}  // namespace gdr::interconnect
