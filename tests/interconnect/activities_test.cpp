#include "gdr/interconnect/activities.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <tuple>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/stopping.h"
#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/collectives.h"
#include "gdr/interconnect/simulation.h"

namespace gdr::interconnect {
namespace {

constexpr PartId kBoard = 1;
constexpr PartId kHost = 2;
constexpr PartId kNetwork = 3;
constexpr Cable kSwitchCable{1e9, 1e-6};  // of a switch: a message passes two

/// `nodes` nodes with a resource each.
ActivityGraph graph_of(NodeId nodes) {
  std::vector<NodeId> resources(nodes);
  std::iota(resources.begin(), resources.end(), 0);
  return {"test", nodes, resources};
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST(Activities, ChainsTakeTheirLongestBranch) {
  ActivityGraph graph("diamond", 1, {0, 0, 0});
  const ActivityId first = graph.work(0, 1, {}, kHost);
  const ActivityId left = graph.work(1, 2, {{first}}, kBoard);
  const ActivityId right = graph.work(2, 5, {{first}}, kHost);
  const ActivityId both = graph.join({{left, right}});
  const ActivityId last = graph.work(0, 1, {{both}}, kHost);
  const ActivityTimes times = run_critical_path(graph, infiniband_flat(1, kSwitchCable));
  EXPECT_EQ(times.seconds, 7);
  EXPECT_EQ(times.end_seconds[left], 3);
  EXPECT_EQ(times.end_seconds[last], 7);
  EXPECT_EQ(times.path_seconds[kHost], 7);
  EXPECT_EQ(times.path_seconds[kBoard], 0);
  EXPECT_EQ(times.resource_busy, (std::vector<double>{2, 2, 5}));
  EXPECT_TRUE(times.path.empty());
  const ActivityTimes details =
      run_critical_path(graph, infiniband_flat(1, kSwitchCable), {.factors = {}, .keep_details = true});
  EXPECT_EQ(details.path, (std::vector<ActivityId>{first, right, last}));
  EXPECT_EQ(details.begin_seconds, (std::vector<double>{0, 1, 1, 6, 6}));
}

TEST(Activities, LinksTellWhoTookThemWhen) {
  ActivityGraph graph = graph_of(2);
  const ActivityId first = graph.message(0, 1, 1e6, {}, kNetwork);
  const ActivityId second = graph.message(0, 1, 2e6, {}, kNetwork);
  const ActivityTimes times =
      run_critical_path(graph, infiniband_flat(2, kSwitchCable), {.factors = {}, .keep_details = true});
  ASSERT_EQ(times.link_uses.size(), 4U);
  for (const LinkUse& use : times.link_uses) {
    EXPECT_DOUBLE_EQ(use.seconds, use.message == first ? 1e-3 : 2e-3);
    // The second link a latency after the first, and the second message behind the first.
    const double behind = use.message == second ? 1e-3 : 0;
    EXPECT_DOUBLE_EQ(use.begin, behind + (use.link == times.link_uses[0].link ? 0 : 1e-6));
  }
}

TEST(Activities, AResourceTakesOneAtATimeInTheOrderInWhichTheyAreReady) {
  ActivityGraph graph("queue", 1, {0, 0});
  const ActivityId late = graph.work(0, 3, {{graph.work(1, 1, {}, kHost)}}, kBoard);
  const ActivityId early = graph.work(0, 2, {}, kBoard);
  const ActivityTimes times = run_critical_path(graph, infiniband_flat(1, kSwitchCable));
  EXPECT_EQ(times.end_seconds[early], 2);
  EXPECT_EQ(times.end_seconds[late], 5);
  EXPECT_EQ(times.path_seconds[kBoard], 5);  // it waited for the board, not for the host
}

TEST(Activities, AMessageTakesTheLatencyOfItsRouteAndTheTimeOfItsNarrowestLink) {
  ActivityGraph graph = graph_of(2);
  static_cast<void>(graph.message(0, 1, 1e6, {}, kNetwork));
  EXPECT_DOUBLE_EQ(run_critical_path(graph, infiniband_flat(2, kSwitchCable)).seconds, 2e-6 + 1e-3);
  const FlowFactors factors{.name = "test", .classes = {{0, 3, 0.5}}, .weight_s = 0};
  EXPECT_DOUBLE_EQ(run_critical_path(graph, infiniband_flat(2, kSwitchCable), {factors}).seconds, 6e-6 + 2e-3);
}

TEST(Activities, MessagesToOneNodeFollowOneAnother) {
  ActivityGraph graph = graph_of(4);
  for (NodeId from = 1; from < 4; ++from) static_cast<void>(graph.message(from, 0, 1e6, {}, kNetwork));
  const ActivityTimes times = run_critical_path(graph, infiniband_flat(4, kSwitchCable));
  EXPECT_DOUBLE_EQ(times.seconds, 2e-6 + 3e-3);
  EXPECT_DOUBLE_EQ(times.path_seconds[kNetwork], times.seconds);
  EXPECT_DOUBLE_EQ(sum(times.link_busy), 2 * 3e-3);
}

TEST(Activities, LinksServeHeadsInTheOrderInWhichTheyCome) {
  // Each of 64 nodes of a ring sends to the node two further on; none waits for another, whatever their numbers.
  const Topology ring = torus({64}, kSwitchCable);
  for (const NodeId far : {2U, 62U}) {
    for (const bool details : {false, true}) {
      ActivityGraph graph = graph_of(64);
      for (NodeId from = 0; from < 64; ++from) {
        static_cast<void>(graph.message(from, (from + far) % 64, 0, {}, kNetwork));
      }
      EXPECT_DOUBLE_EQ(run_critical_path(graph, ring, {.factors = {}, .keep_details = details}).seconds, 2e-6) << far;
    }
  }
  // On a line of four nodes the message from node 1 has passed when the head of the one from node 0 comes.
  ActivityGraph graph = graph_of(4);
  const ActivityId far = graph.message(0, 3, 1e3, {}, kNetwork);
  const ActivityId near = graph.message(1, 2, 1e3, {}, kNetwork);
  const ActivityTimes times = run_critical_path(graph, mesh({4}, kSwitchCable));
  EXPECT_DOUBLE_EQ(times.end_seconds[near], 1e-6 + 1e-6);
  EXPECT_DOUBLE_EQ(times.end_seconds[far], 3e-6 + 1e-6);
}

TEST(Activities, WhereNothingContendsTheyAreTheStepsOfASchedule) {
  for (const NodeId nodes : {2, 3, 8, 13}) {
    const Schedule schedule = make_allgather(nodes, 50000, AllgatherOrder::ring);
    ActivityGraph graph = graph_of(nodes);
    std::vector<ActivityId> front(nodes, graph.join({}));
    for (std::size_t step = 0; step < schedule.ranks[0].size(); ++step) {
      std::vector<std::vector<ActivityId>> next(nodes);
      for (Rank rank = 0; rank < nodes; ++rank) {
        next[rank].push_back(front[rank]);
        for (const Message& sent : schedule.ranks[rank][step].sends) {
          next[sent.peer].push_back(
              graph.message(rank, sent.peer, static_cast<double>(sent.bytes), {{front[rank]}}, kNetwork));
        }
      }
      for (Rank rank = 0; rank < nodes; ++rank) front[rank] = graph.join(next[rank]);
    }
    const Topology topology = torus({nodes}, kSwitchCable);
    const double expected = run_closed_form(schedule, topology).lockstep_seconds;
    EXPECT_NEAR(run_critical_path(graph, topology).seconds, expected, 1e-12) << nodes;
  }
}

TEST(Activities, TwiceTheBandwidthAtHalfTheLatencyHalvesWhatMessagesTake) {
  ActivityGraph graph = graph_of(8);
  for (NodeId from = 0; from < 8; ++from) {
    for (NodeId to = 0; to < 8; ++to) {
      if (from != to) static_cast<void>(graph.message(from, to, 1000.0 * (1 + from) * (1 + to), {}, kNetwork));
    }
  }
  const double slow = run_critical_path(graph, torus({2, 2, 2}, {1e9, 1e-6})).seconds;
  const double fast = run_critical_path(graph, torus({2, 2, 2}, {2e9, 0.5e-6})).seconds;
  EXPECT_NEAR(fast, slow / 2, 1e-12 * slow);
}

TEST(Activities, ThePathAddsUpToTheWholeTime) {
  ActivityGraph graph = graph_of(5);
  std::vector<ActivityId> done;
  for (NodeId node = 0; node < 5; ++node) {
    const ActivityId work = graph.work(node, 1e-3 * (node + 1), {}, kBoard);
    done.push_back(graph.message(node, (node + 2) % 5, 1e5 * (5 - node), {{work}}, kNetwork));
    done.push_back(graph.work(node, 2e-4, {{work}}, kHost));
  }
  static_cast<void>(graph.work(0, 1e-4, {{graph.join(done)}}, kHost));
  const ActivityTimes times = run_critical_path(graph, infiniband_flat(5, kSwitchCable));
  EXPECT_NEAR(sum(times.path_seconds), times.seconds, 1e-15);
  for (const double busy : times.resource_busy) EXPECT_LE(busy, times.seconds);
  for (const double busy : times.link_busy) EXPECT_LE(busy, times.seconds);
}

TEST(Activities, RelaysGainHalfTheNodesOnAHub) {
  // Urino 2020: a message over all N nodes as relays takes 2 / N of the time, and a latency more.
  for (const NodeId nodes : {2, 3, 4, 8, 64}) {
    ActivityGraph graph = graph_of(nodes);
    static_cast<void>(graph.relayed(0, 1, 1e6, {}, kNetwork));
    const double latency = nodes > 2 ? 2e-6 : 1e-6;
    EXPECT_NEAR(run_critical_path(graph, optical_hub(nodes, kSwitchCable)).seconds, latency + 2e-3 / nodes, 1e-12)
        << nodes;
  }
}

/// The same as relayed(), of plain messages.
ActivityId relayed_by_messages(ActivityGraph& graph, NodeId from, NodeId to, double bytes,
                               std::span<const ActivityId> after) {
  const double part = bytes / graph.nodes();
  std::vector<ActivityId> arrivals{graph.message(from, to, 2 * part, after, kNetwork)};
  for (NodeId relay = 0; relay < graph.nodes(); ++relay) {
    if (relay == from || relay == to) continue;
    const ActivityId half_way = graph.message(from, relay, part, after, kNetwork);
    arrivals.push_back(graph.message(relay, to, part, {{half_way}}, kNetwork));
  }
  return graph.join(arrivals);
}

std::vector<Topology> networks_of_16() {
  std::vector<Topology> networks{optical_hub(16, kSwitchCable), optical_hub_2d(4, 4, kSwitchCable),
                                 torus({4, 4}, kSwitchCable), torus_by_both_ways({4, 4}, kSwitchCable),
                                 infiniband_flat(16, kSwitchCable)};
  networks.push_back(fat_tree({.leaves = 4,
                               .nodes_per_leaf = 4,
                               .spines = 2,
                               .cables = 1,
                               .link = kSwitchCable,
                               .routing = FatTreeRouting::all}));
  return networks;
}

TEST(Activities, RelayedMessagesAreMessagesOverEveryNode) {
  for (const Topology& network : networks_of_16()) {
    ActivityGraph relayed = graph_of(16);
    ActivityGraph messages = graph_of(16);
    const ActivityId first = relayed.relayed(3, 7, 1.6e6, {}, kNetwork);
    static_cast<void>(relayed.relayed(7, 12, 1.6e5, {{relayed.work(7, 1e-3, {{first}}, kBoard)}}, kNetwork));
    const ActivityId same = relayed_by_messages(messages, 3, 7, 1.6e6, {});
    static_cast<void>(relayed_by_messages(messages, 7, 12, 1.6e5, {{messages.work(7, 1e-3, {{same}}, kBoard)}}));
    EXPECT_EQ(relayed.messages(), messages.messages());
    const ActivityTimes ours = run_critical_path(relayed, network, {.factors = {}, .keep_details = true});
    const ActivityTimes expected = run_critical_path(messages, network);
    EXPECT_NEAR(ours.seconds, expected.seconds, 1e-12) << network.name();
    EXPECT_EQ(ours.path.size(), 3U);
    for (std::size_t link = 0; link < ours.link_busy.size(); ++link) {
      EXPECT_NEAR(ours.link_busy[link], expected.link_busy[link], 1e-15);
      EXPECT_LE(ours.link_busy[link], ours.seconds);
    }
  }
}

TEST(Activities, ASimulationEndsWhenItsCallerIsStopped) {
  if (!has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  // A chain that takes some seconds, so that the caller is asked before it ends.
  ActivityGraph graph = graph_of(2);
  std::vector<ActivityId> before;
  for (int n = 0; n < 200'000; ++n) before = {graph.message(n % 2, 1 - n % 2, 8, before, kNetwork)};
  const base::Stopping stopping([] { return false; });
  EXPECT_THROW(static_cast<void>(run_s4u(graph, optical_hub(2, kSwitchCable))), base::Stopped);
}

TEST(Activities, RelayedMessagesHaveTheTimesOfSimulatedFlows) {
  if (!has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  for (const Topology& network : networks_of_16()) {
    ActivityGraph alone = graph_of(16);
    static_cast<void>(alone.relayed(3, 7, 1.6e6, {{alone.work(3, 1e-3, {}, kBoard)}}, kNetwork));
    // Each node sends to the fifth after it, then to the third.
    ActivityGraph all = graph_of(16);
    for (NodeId node = 0; node < 16; ++node) {
      const ActivityId first = all.relayed(node, (node + 5) % 16, 1.6e6, {}, kNetwork);
      static_cast<void>(all.relayed((node + 5) % 16, (node + 8) % 16, 1.6e6, {{first}}, kNetwork));
    }
    for (const ActivityGraph* graph : {&alone, &all}) {
      const ActivityTimes ours = run_critical_path(*graph, network);
      const double simulated = run_s4u(*graph, network).seconds;
      const double bound = *std::ranges::max_element(ours.link_busy);
      EXPECT_GE(ours.seconds, bound * (1 - 1e-9)) << network.name();
      EXPECT_GE(simulated, bound * (1 - 1e-3)) << network.name();
      // In other networks parts share links: there at once, so that relays wait for all of them, and here in turn.
      const bool is_hub = network.links().size() == 16U * 15;
      if (is_hub) {
        EXPECT_NEAR(ours.seconds, simulated, 0.01 * simulated);
      }
    }
  }
}

/// Times of a graph on a switch, found by looking through all activities for the one that comes first to a resource or,
/// as a message, to the link of its sender or of its receiver.
struct TimesByDefinition {
  std::vector<double> end;
  std::vector<double> link_busy;
  std::vector<double> path;  // seconds by part

  TimesByDefinition(const ActivityGraph& graph, const Cable& cable)
      : end(graph.size()), link_busy(2 * std::size_t{graph.nodes()}), path(kMostParts) {
    std::vector<double> begin(graph.size());
    std::vector<ActivityId> cause(graph.size(), kNobody);
    std::vector<double> link_free(link_busy.size());
    std::vector<ActivityId> last(graph.resources(), kNobody);
    ready_.assign(graph.size(), 0);
    head_.assign(graph.size(), std::nullopt);
    while (order_.size() < graph.size()) {
      const auto [comes, id, after] = next(graph);
      const bool is_message = graph.kind(id) == ActivityGraph::Kind::message;
      const bool is_at_sender = is_message && !head_[id];
      if (!head_[id]) {
        ready_[id] = begin[id] = end[id] = comes;
        cause[id] = after;
      }
      if (graph.kind(id) == ActivityGraph::Kind::work) {
        ActivityId& before = last[graph.resource(id)];
        if (before != kNobody && end[before] > comes) {
          begin[id] = end[before];
          cause[id] = before;
        }
        before = id;
        end[id] = begin[id] + graph.amount(id);
      } else if (is_message) {
        const NodeId link = is_at_sender ? 2 * graph.from(id) : 2 * graph.to(id) + 1;
        const double occupied = graph.amount(id) / cable.bytes_per_second;
        const double taken = std::max(comes, link_free[link]);
        link_free[link] = taken + occupied;
        link_busy[link] += occupied;
        head_[id] = taken + cable.latency_seconds;
        end[id] = std::max(end[id] + cable.latency_seconds, *head_[id] + occupied);
      }
      if (!is_at_sender) order_.push_back(id);
    }
    const auto latest = static_cast<ActivityId>(std::ranges::max_element(end) - end.begin());
    for (ActivityId id = latest; id != kNobody; id = cause[id]) path[graph.part(id)] += end[id] - begin[id];
  }

 private:
  static constexpr ActivityId kNobody = std::numeric_limits<ActivityId>::max();

  std::vector<ActivityId> order_;            // of those that are done
  std::vector<double> ready_;                // when they were ready
  std::vector<std::optional<double>> head_;  // when the head of a message comes to the receiver's link

  /// When the next activity comes, its number, and the activity that it waited for longest.
  [[nodiscard]] std::tuple<double, ActivityId, ActivityId> next(const ActivityGraph& graph) const {
    std::tuple<double, ActivityId, ActivityId> first{std::numeric_limits<double>::infinity(), kNobody, kNobody};
    for (ActivityId id = 0; id < graph.size(); ++id) {
      if (std::ranges::find(order_, id) != order_.end()) continue;
      if (head_[id]) {
        first = std::min(first, {*head_[id], id, kNobody});
        continue;
      }
      double ready = 0;
      ActivityId cause = kNobody;
      std::size_t found = 0;
      for (const ActivityId done : order_) {
        if (std::ranges::find(graph.after(id), done) == graph.after(id).end()) continue;
        ++found;
        const bool was_first = cause != kNobody && std::pair(ready_[done], done) < std::pair(ready_[cause], cause);
        if (cause == kNobody || end[done] > ready || (end[done] == ready && was_first)) {
          ready = end[done];
          cause = done;
        }
      }
      if (found == graph.after(id).size()) first = std::min(first, {ready, id, cause});
    }
    return first;
  }
};

TEST(Activities, AreTakenInTheOrderInWhichTheyComeHoweverTheyWereAdded) {
  // Sums of such times are exact, and many are equal.
  constexpr Cable kExact{1024, 0.25};
  std::mt19937 random(53);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int graphs = 0; graphs < 300; ++graphs) {
    constexpr NodeId kNodes = 4;
    ActivityGraph graph = graph_of(kNodes);
    // Waiting for the latest activities gives graphs whose order is that of their times, waiting for any others.
    const std::uint32_t reach = 1 + below(12);
    for (ActivityId id = 0; id < 40; ++id) {
      std::vector<ActivityId> after;
      for (std::uint32_t n = below(4); n > 0 && id > 0; --n) {
        const ActivityId before = id - 1 - below(std::min(id, reach));
        if (std::ranges::find(after, before) == after.end()) after.push_back(before);
      }
      const NodeId node = below(kNodes);
      const auto part = static_cast<PartId>(below(3));
      switch (below(3)) {
        case 0:
          static_cast<void>(graph.work(node, 0.5 * below(4), after, part));
          break;
        case 1:
          static_cast<void>(
              graph.message(node, (node + 1 + below(kNodes - 1)) % kNodes, 512.0 * below(4), after, part));
          break;
        default:
          static_cast<void>(graph.join(after));
      }
    }
    const TimesByDefinition expected(graph, kExact);
    for (const bool keep_details : {false, true}) {
      const ActivityTimes times = run_critical_path(graph, infiniband_flat(kNodes, kExact), {{}, keep_details});
      EXPECT_EQ(times.end_seconds, expected.end);
      EXPECT_EQ(times.link_busy, expected.link_busy);
      EXPECT_EQ(times.path_seconds, expected.path);
    }
  }
}

TEST(Activities, AGraphThatWasClearedIsLikeANewOne) {
  ActivityGraph graph = graph_of(3);
  static_cast<void>(graph.relayed(0, 1, 1e6, {{graph.work(0, 1, {}, kHost)}}, kNetwork));
  graph.clear("second");
  EXPECT_EQ(graph.name(), "second");
  EXPECT_EQ(graph.size(), 0U);
  EXPECT_EQ(graph.messages(), 0U);
  const ActivityId first = graph.work(2, 2, {}, kBoard);
  const ActivityId second = graph.work(1, 1, {{first}}, kHost);
  EXPECT_TRUE(graph.after(first).empty());
  EXPECT_EQ(std::vector(graph.after(second).begin(), graph.after(second).end()), std::vector{first});
  const ActivityTimes times = run_critical_path(graph, infiniband_flat(3, kSwitchCable));
  EXPECT_EQ(times.end_seconds, (std::vector<double>{2, 3}));
  EXPECT_EQ(times.resource_busy, (std::vector<double>{0, 1, 2}));
}

TEST(Activities, WhatDoesNotExistIsRefused) {
  ActivityGraph graph = graph_of(2);
  EXPECT_THROW(static_cast<void>(graph.work(2, 1, {}, kHost)), Error);
  EXPECT_THROW(static_cast<void>(graph.work(0, -1, {}, kHost)), Error);
  EXPECT_THROW(static_cast<void>(graph.work(0, std::numeric_limits<double>::quiet_NaN(), {}, kHost)), Error);
  EXPECT_THROW(static_cast<void>(graph.work(0, 1, {{0}}, kHost)), Error);
  EXPECT_THROW(static_cast<void>(graph.work(0, 1, {}, kMostParts)), Error);
  EXPECT_THROW(static_cast<void>(graph.message(0, 0, 1, {}, kNetwork)), Error);
  EXPECT_THROW(static_cast<void>(graph.message(0, 2, 1, {}, kNetwork)), Error);
  EXPECT_THROW(static_cast<void>(graph.relayed(1, 1, 1, {}, kNetwork)), Error);
  EXPECT_THROW(static_cast<void>(graph.relayed(0, 1, -1, {}, kNetwork)), Error);
  EXPECT_THROW(ActivityGraph("test", 2, {2}), Error);
  EXPECT_EQ(graph.size(), 0U);
  EXPECT_EQ(run_critical_path(graph, infiniband_flat(2, kSwitchCable)).seconds, 0);
  EXPECT_THROW(static_cast<void>(run_critical_path(graph_of(3), infiniband_flat(2, kSwitchCable))), Error);
}

}  // namespace
}  // namespace gdr::interconnect
