// MOPT (Sanno and Kise, section 2): pairs of groups that exchange most are joined, round after round, until one group
// covers the grid.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "gdr/base/error.h"
#include "gdr/interconnect/task_mapping.h"
#include "least_link.h"
#include "merging.h"
#include "mopt.h"
#include "placement.h"
#include "rounds.h"

namespace gdr::interconnect {

namespace {

/// Bytes between groups, both ways. Rows of a sparse symmetric matrix.
struct GroupTraffic {
  struct Entry {
    std::uint32_t group;
    std::uint64_t bytes;
  };
  std::vector<std::size_t> begin;  // by group, and one more
  std::vector<Entry> entries;

  [[nodiscard]] std::span<const Entry> of(std::uint32_t group) const {
    return std::span(entries).subspan(begin[group], begin[group + 1] - begin[group]);
  }
};

/// By a, then by b. The graph's transfers come by sender, then by receiver: those that go up are in this order, and so
/// are those that go down once they are dealt out by receiver.
std::vector<TaskPair> pairs_of(const TaskGraph& graph) {
  std::vector<std::size_t> begin(graph.tasks() + 1);
  std::size_t downwards = 0;
  for (const Transfer& transfer : graph.transfers()) {
    if (transfer.from < transfer.to) continue;
    ++begin[transfer.to + 1];
    ++downwards;
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<TaskPair> down(downwards);
  for (const auto& [from, to, bytes] : graph.transfers()) {
    if (from > to) down[begin[to]++] = {to, from, 0, bytes};
  }
  std::vector<TaskPair> pairs;
  pairs.reserve(graph.transfers().size());
  const auto place = [](std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; };
  auto next = down.begin();
  for (const auto& [from, to, bytes] : graph.transfers()) {
    if (from > to) continue;
    for (; next != down.end() && place(next->a, next->b) < place(from, to); ++next) pairs.push_back(*next);
    const bool both_ways = next != down.end() && next->a == from && next->b == to;
    pairs.push_back({from, to, bytes, both_ways ? next->b_to_a : 0});
    if (both_ways) ++next;
  }
  pairs.insert(pairs.end(), next, down.end());
  return pairs;
}

GroupTraffic traffic_of(std::span<const TaskPair> pairs, std::uint32_t tasks) {
  GroupTraffic traffic;
  traffic.begin.resize(tasks + 1);
  for (const TaskPair& pair : pairs) {
    ++traffic.begin[pair.a + 1];
    ++traffic.begin[pair.b + 1];
  }
  std::partial_sum(traffic.begin.begin(), traffic.begin.end(), traffic.begin.begin());
  traffic.entries.resize(2 * pairs.size());
  std::vector<std::size_t> next(traffic.begin.begin(), traffic.begin.end() - 1);
  for (const TaskPair& pair : pairs) {
    traffic.entries[next[pair.a]++] = {pair.b, pair.a_to_b + pair.b_to_a};
    traffic.entries[next[pair.b]++] = {pair.a, pair.a_to_b + pair.b_to_a};
  }
  return traffic;
}

/// Step 1 of a round: who joins whom. shape: [new groups][factor], members in the order in which they join.
std::vector<std::uint32_t> choose_members(const GroupTraffic& traffic, std::uint32_t groups, std::uint32_t factor) {
  std::vector<std::uint32_t> members;
  members.reserve(groups);
  std::vector<bool> joined(groups);
  std::vector<std::uint64_t> exchanged(groups);  // with the row of groups at hand
  std::vector<std::uint32_t> touched;
  const auto join = [&](std::uint32_t group) {
    members.push_back(group);
    joined[group] = true;
  };
  std::uint32_t head = 0;
  for (std::uint32_t first = 0; first < groups; ++first) {
    if (joined[first]) continue;
    join(first);
    for (std::uint32_t size = 1; size < factor; ++size) {
      for (const GroupTraffic::Entry& entry : traffic.of(members.back())) {
        if (joined[entry.group]) continue;
        if (exchanged[entry.group] == 0) touched.push_back(entry.group);
        exchanged[entry.group] += entry.bytes;
      }
      // Of those that exchange as much, the first in the queue; if none exchanges anything, the head of the queue.
      while (joined[head]) ++head;
      std::uint32_t best = head;
      for (const std::uint32_t group : touched) {
        if (joined[group]) continue;
        if (exchanged[group] > exchanged[best] || (exchanged[group] == exchanged[best] && group < best)) best = group;
      }
      join(best);
    }
    for (const std::uint32_t group : touched) exchanged[group] = 0;
    touched.clear();
  }
  return members;
}

/// Traffic between the new groups.
GroupTraffic joined_traffic(const GroupTraffic& traffic, std::span<const std::uint32_t> members,
                            std::span<const std::uint32_t> new_group, std::uint32_t factor) {
  const auto groups = static_cast<std::uint32_t>(members.size() / factor);
  GroupTraffic joined;
  joined.begin.push_back(0);
  std::vector<std::size_t> place(groups, std::numeric_limits<std::size_t>::max());
  for (std::uint32_t group = 0; group < groups; ++group) {
    const std::size_t start = joined.entries.size();
    for (std::uint32_t k = 0; k < factor; ++k) {
      for (const auto& [other, bytes] : traffic.of(members[group * factor + k])) {
        const std::uint32_t target = new_group[other];
        if (target == group) continue;
        if (place[target] >= start && place[target] < joined.entries.size()) {
          joined.entries[place[target]].bytes += bytes;
        } else {
          place[target] = joined.entries.size();
          joined.entries.push_back({target, bytes});
        }
      }
    }
    joined.begin.push_back(joined.entries.size());
  }
  return joined;
}

/// The groups of one round and how they become those of the next.
class Merging {
 public:
  Merging(const TaskGraph& graph, const Grid& grid)
      : grid_(grid),
        group_(grid.nodes()),
        cells_(grid.nodes()),
        order_(grid.nodes()),
        pairs_(pairs_of(graph)),
        traffic_(traffic_of(pairs_, grid.nodes())) {
    std::iota(group_.begin(), group_.end(), 0U);
    std::iota(order_.begin(), order_.end(), 0U);
  }

  /// Joins all groups `round.factor` at a time. `chooser` gives what chooses turns, and is told how many tasks were
  /// placed in this round before.
  template <class Chooser>
  void join(const Round& round, Dice* shuffle, Chooser chooser) {
    const auto groups = static_cast<std::uint32_t>(order_.size() / size_);
    const std::vector<std::uint32_t> members = choose_members(traffic_, groups, round.factor);
    std::vector<std::uint32_t> new_group(groups);
    std::vector<std::uint32_t> rank(groups);  // place in its row
    for (std::uint32_t i = 0; i < groups; ++i) {
      new_group[members[i]] = i / round.factor;
      rank[members[i]] = i % round.factor;
    }
    const std::vector<std::size_t> begin = sort_crossing_pairs(round, new_group, rank);

    std::vector<std::uint32_t> order;
    order.reserve(order_.size());
    Cell row = box_;
    std::vector<Join> joins;
    for (std::uint32_t k = 1; k < round.factor; ++k) {
      joins.emplace_back(round.axis, row, box_);
      row = joins.back().extents();
      if (shuffle != nullptr) {
        shuffle_turns(joins.back().a_turns, *shuffle);
        shuffle_turns(joins.back().b_turns, *shuffle);
      }
    }
    for (std::uint32_t group = 0; group < groups / round.factor; ++group) {
      const std::size_t start = order.size();
      append_tasks(order, members[group * round.factor]);
      for (std::uint32_t k = 1; k < round.factor; ++k) {
        const std::uint32_t added = members[group * round.factor + k];
        const std::size_t slot = std::size_t{group} * (round.factor - 1) + k - 1;
        const Merge merge{order[start], order_[std::size_t{added} * size_],
                          std::span(crossing_).subspan(begin[slot], begin[slot + 1] - begin[slot]), cells_};
        MergeChooser& choice = chooser(order.size());
        const Turns turns = choice.choose(joins[k - 1], merge);
        choice.joined(joins[k - 1], merge, turns);
        turn(order, start, added, joins[k - 1], turns);
      }
    }
    for (std::uint32_t& group : group_) group = new_group[group];
    traffic_ = joined_traffic(traffic_, members, new_group, round.factor);
    order_ = std::move(order);
    size_ *= round.factor;
    box_ = row;
  }

  [[nodiscard]] TaskMapping mapping(TaskId tasks) const {
    TaskMapping nodes(tasks);
    for (TaskId task = 0; task < tasks; ++task) nodes[task] = grid_.node(cells_[task]);
    return nodes;
  }

 private:
  static void shuffle_turns(std::vector<Orientation>& turns, Dice& dice) {
    for (std::size_t i = turns.size(); i > 1; --i) {
      std::swap(turns[i - 1], turns[dice.below(static_cast<std::uint32_t>(i))]);
    }
  }

  /// Moves the pairs that this round's merges join out of pairs_ and into crossing_, by merge. Returns where each
  /// merge's begin.
  std::vector<std::size_t> sort_crossing_pairs(const Round& round, std::span<const std::uint32_t> new_group,
                                               std::span<const std::uint32_t> rank) {
    const auto merge_of = [&](const TaskPair& pair) {
      const std::uint32_t later = std::max(rank[group_[pair.a]], rank[group_[pair.b]]);
      return std::size_t{new_group[group_[pair.a]]} * (round.factor - 1) + later - 1;
    };
    const std::size_t merges = new_group.size() / round.factor * (round.factor - 1);
    std::vector<std::size_t> begin(merges + 1);
    const auto stays = [&](const TaskPair& pair) { return new_group[group_[pair.a]] != new_group[group_[pair.b]]; };
    const auto middle = std::stable_partition(pairs_.begin(), pairs_.end(), stays);
    for (auto pair = middle; pair != pairs_.end(); ++pair) ++begin[merge_of(*pair) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    crossing_.resize(static_cast<std::size_t>(pairs_.end() - middle));
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (auto pair = middle; pair != pairs_.end(); ++pair) {
      // The group that joins the row later is group b of the merge.
      const bool swapped = rank[group_[pair->a]] > rank[group_[pair->b]];
      crossing_[next[merge_of(*pair)]++] = swapped ? TaskPair{pair->b, pair->a, pair->b_to_a, pair->a_to_b} : *pair;
    }
    pairs_.erase(middle, pairs_.end());
    return begin;
  }

  void append_tasks(std::vector<std::uint32_t>& order, std::uint32_t group) const {
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(std::size_t{group} * size_);
    order.insert(order.end(), first, first + static_cast<std::ptrdiff_t>(size_));
  }

  /// Gives the tasks of a merge their cells in the joined box.
  void turn(std::vector<std::uint32_t>& order, std::size_t start, std::uint32_t added, const Join& join, Turns turns) {
    for (std::size_t i = start; i < order.size(); ++i) {
      Cell& cell = cells_[order[i]];
      cell = join.a_turns[turns.a].apply(cell, join.a_extents);
    }
    const std::size_t middle = order.size();
    append_tasks(order, added);
    for (std::size_t i = middle; i < order.size(); ++i) {
      Cell& cell = cells_[order[i]];
      cell = join.b_turns[turns.b].apply(cell, join.b_extents);
      cell[join.axis] += join.a_extents[join.axis];
    }
  }

  const Grid& grid_;
  std::vector<std::uint32_t> group_;  // by task; idle tasks fill up the grid
  std::vector<Cell> cells_;           // by task: where it is in its group's box
  std::vector<std::uint32_t> order_;  // tasks, group by group
  std::vector<TaskPair> pairs_;       // between groups
  std::vector<TaskPair> crossing_;    // between groups that this round joins
  GroupTraffic traffic_;
  std::size_t size_ = 1;  // tasks of a group
  Cell box_{1, 1, 1};
};

std::unique_ptr<MergeChooser> chooser_for(MergeRule rule, const Grid& grid, const GridRouting& routing,
                                          const MergeVariant& variant) {
  switch (rule) {
    case MergeRule::none:
      return std::make_unique<AsTheyAre>();
    case MergeRule::mincost:
      return std::make_unique<LeastHops>();
    case MergeRule::minlink:
      return std::make_unique<LeastLink>(grid, routing, variant.tie_break);
  }
  throw Error(fmt::format("rule of merging: {} is refused", static_cast<int>(rule)));
}

}  // namespace

TaskMapping merge_groups(const TaskGraph& graph, const Grid& grid, MergeRule rule, const GridRouting& routing,
                         const MergeVariant& variant, const MappingProgress& progress) {
  static_cast<void>(map_in_order(graph, grid));  // as many nodes as tasks
  const std::unique_ptr<MergeChooser> chosen = chooser_for(rule, grid, routing, variant);
  AsTheyAre in_haste;
  Dice dice(variant.seed);
  Merging merging(graph, grid);
  const std::vector<Round> rounds = rounds_for(grid, variant.axes);
  bool asked_to_end = false;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    merging.join(rounds[i], variant.seed != 0 ? &dice : nullptr, [&](std::size_t placed) -> MergeChooser& {
      const double within = static_cast<double>(placed) / grid.nodes();
      const double done = (static_cast<double>(i) + within) / static_cast<double>(rounds.size());
      asked_to_end = asked_to_end || (progress && !progress(done));
      return asked_to_end ? in_haste : *chosen;
    });
  }
  return merging.mapping(graph.tasks());
}

TaskMapping map_by_merging(const TaskGraph& graph, const Grid& grid, MergeRule rule, const GridRouting& routing,
                           const MappingProgress& progress) {
  return merge_groups(graph, grid, rule, routing, {}, progress);
}

}  // namespace gdr::interconnect
