// MOPT (Sanno and Kise, section 2): pairs of groups that exchange most are joined, round after round, until one group
// covers the grid.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
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

/// What one task or group exchanges with another.
struct Exchanged {
  std::uint32_t with;
  std::uint64_t bytes;
};

/// Where each task's transfers begin in the graph's, which come by sender, and one more.
std::vector<std::size_t> rows_by_sender(const TaskGraph& graph, std::uint32_t nodes) {
  std::vector<std::size_t> rows(nodes + 1);
  for (const Transfer& transfer : graph.transfers()) ++rows[transfer.from + 1];
  std::partial_sum(rows.begin(), rows.end(), rows.begin());
  return rows;
}

/// Bytes between tasks, both ways: the graph's transfers and, by receiver, those that come in.
class TaskTraffic {
 public:
  TaskTraffic(const TaskGraph& graph, std::span<const std::size_t> rows)
      : sent_(graph.transfers()),
        rows_(rows),
        begin_(rows.size()),
        received_(std::make_unique_for_overwrite<Exchanged[]>(sent_.size())) {
    for (const Transfer& transfer : sent_) ++begin_[transfer.to + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& [from, to, bytes] : sent_) received_[next[to]++] = {from, bytes};
  }

  /// Calls visit(task, bytes), twice for a task that sends and receives.
  template <class Visit>
  void for_each(std::uint32_t task, Visit visit) const {
    for (std::size_t i = rows_[task]; i < rows_[task + 1]; ++i) visit(sent_[i].to, sent_[i].bytes);
    for (std::size_t i = begin_[task]; i < begin_[task + 1]; ++i) visit(received_[i].with, received_[i].bytes);
  }
  [[nodiscard]] std::size_t size() const { return 2 * sent_.size(); }

 private:
  std::span<const Transfer> sent_;
  std::span<const std::size_t> rows_;
  std::vector<std::size_t> begin_;         // by task, and one more
  std::unique_ptr<Exchanged[]> received_;  // by task; not zeroed first
};

/// Bytes between groups, both ways. Rows of a sparse symmetric matrix.
struct GroupTraffic {
  std::vector<std::size_t> begin{0};  // by group, and one more
  std::vector<Exchanged> entries;

  /// Calls visit(group, bytes) for all with which it exchanges anything.
  template <class Visit>
  void for_each(std::uint32_t group, Visit visit) const {
    for (std::size_t i = begin[group]; i < begin[group + 1]; ++i) visit(entries[i].with, entries[i].bytes);
  }
  [[nodiscard]] std::size_t size() const { return entries.size(); }
};

/// Step 1 of a round: who joins whom. shape: [new groups][factor], members in the order in which they join.
template <class Traffic>
std::vector<std::uint32_t> choose_members(const Traffic& traffic, std::uint32_t groups, std::uint32_t factor) {
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
      traffic.for_each(members.back(), [&](std::uint32_t group, std::uint64_t bytes) {
        if (joined[group]) return;
        if (exchanged[group] == 0) touched.push_back(group);
        exchanged[group] += bytes;
      });
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
template <class Traffic>
GroupTraffic joined_traffic(const Traffic& traffic, std::span<const std::uint32_t> members, std::uint32_t factor) {
  const auto groups = static_cast<std::uint32_t>(members.size() / factor);
  std::vector<std::uint32_t> new_group(members.size());
  for (std::uint32_t i = 0; i < members.size(); ++i) new_group[members[i]] = i / factor;
  GroupTraffic joined;
  joined.begin.reserve(groups + 1);
  joined.entries.reserve(traffic.size());
  std::vector<std::size_t> place(groups, std::numeric_limits<std::size_t>::max());
  for (std::uint32_t group = 0; group < groups; ++group) {
    const std::size_t start = joined.entries.size();
    for (std::uint32_t k = 0; k < factor; ++k) {
      traffic.for_each(members[group * factor + k], [&](std::uint32_t other, std::uint64_t bytes) {
        const std::uint32_t target = new_group[other];
        if (target == group) return;
        if (place[target] >= start && place[target] < joined.entries.size()) {
          joined.entries[place[target]].bytes += bytes;
        } else {
          place[target] = joined.entries.size();
          joined.entries.push_back({target, bytes});
        }
      });
    }
    joined.begin.push_back(joined.entries.size());
  }
  return joined;
}

/// Step 1 of all rounds, which needs traffic alone: tasks in the order in which they end up, so that every group of
/// every round is a run of them. Idle tasks fill up the grid.
std::vector<std::uint32_t> order_of(const TaskGraph& graph, std::span<const std::size_t> rows,
                                    std::span<const Round> rounds) {
  auto groups = static_cast<std::uint32_t>(rows.size() - 1);
  std::vector<std::vector<std::uint32_t>> members;  // by round
  GroupTraffic traffic;
  const auto join = [&](const auto& of_round, std::uint32_t factor) {
    members.push_back(choose_members(of_round, groups, factor));
    groups /= factor;
    if (groups > 1) traffic = joined_traffic(of_round, members.back(), factor);
  };
  if (!rounds.empty()) join(TaskTraffic(graph, rows), rounds.front().factor);
  for (const Round& round : rounds.subspan(std::min<std::size_t>(rounds.size(), 1))) join(traffic, round.factor);
  std::vector<std::uint32_t> order{0};
  for (std::size_t r = rounds.size(); r-- > 0;) {
    const std::uint32_t factor = rounds[r].factor;
    std::vector<std::uint32_t> finer;
    finer.reserve(order.size() * factor);
    for (const std::uint32_t group : order) {
      const auto first = members[r].begin() + static_cast<std::ptrdiff_t>(std::size_t{group} * factor);
      finer.insert(finer.end(), first, first + static_cast<std::ptrdiff_t>(factor));
    }
    order = std::move(finer);
  }
  return order;
}

/// Places of the order with their groups: each round is a digit of `code`, which says what number the place's group has
/// among those that the round joins. The first digit in which two codes differ is the round that joins two places.
class Places {
 public:
  explicit Places(std::span<const Round> rounds) : code_{0} {
    unsigned bits = 0;
    std::uint32_t size = 1;
    for (const Round& round : rounds) {
      const auto width = static_cast<unsigned>(std::bit_width(round.factor - 1));
      std::fill_n(group_size_.begin() + bits, width, size);
      code_.reserve(std::size_t{size} * round.factor);
      for (std::uint64_t k = 1; k < round.factor; ++k) {
        for (std::uint32_t i = 0; i < size; ++i) code_.push_back(code_[i] | k << bits);
      }
      bits += width;
      size *= round.factor;
    }
  }

  /// The first place of the later of the two groups that hold `a` and `b`, a before b, when they are joined. Each place
  /// but the first is that of one merge.
  [[nodiscard]] std::uint32_t later_group(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t size = group_size_[static_cast<unsigned>(std::bit_width(code_[a] ^ code_[b])) - 1];
    return b - b % size;
  }

 private:
  std::vector<std::uint64_t> code_;             // by place
  std::array<std::uint32_t, 64> group_size_{};  // by bit of a code, of the groups that its round joins
};

/// Transfers by the merge that joins their tasks, which are called by their places.
class CrossingTransfers {
 public:
  CrossingTransfers(const TaskGraph& graph, std::span<const std::uint32_t> order, std::span<const Round> rounds)
      : order_(order),
        number_(merge_numbers(rounds, order.size())),
        begin_(order.size() + 1),
        transfers_(std::make_unique_for_overwrite<Transfer[]>(graph.transfers().size())) {
    std::vector<std::uint32_t> place_of(order.size());
    for (std::uint32_t place = 0; place < order.size(); ++place) place_of[order[place]] = place;
    const std::span<const Transfer> transfers = graph.transfers();
    const Places places(rounds);
    std::vector<std::uint32_t> merges;  // by transfer
    merges.reserve(transfers.size());
    for (const Transfer& transfer : transfers) {
      const auto [a, b] = std::minmax(place_of[transfer.from], place_of[transfer.to]);
      merges.push_back(number_[places.later_group(a, b)]);
      ++begin_[merges.back() + 1];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      const auto& [from, to, bytes] = transfers[i];
      transfers_[next[merges[i]]++] = {place_of[from], place_of[to], bytes};
    }
  }

  /// Those of the merge whose later group begins at a place, valid until the next call. `by_task`: by the lower of the
  /// two tasks, then by the other, both ways together.
  [[nodiscard]] std::span<const TaskPair> of(std::uint32_t later_group, bool by_task) {
    pairs_.clear();
    const std::uint32_t merge = number_[later_group];
    for (std::size_t i = begin_[merge]; i < begin_[merge + 1]; ++i) {
      const auto& [from, to, bytes] = transfers_[i];
      pairs_.push_back(from < to ? TaskPair{from, to, bytes, 0} : TaskPair{to, from, 0, bytes});
    }
    if (by_task) sort_by_task();
    return pairs_;
  }

 private:
  /// Merges in the order in which they are made.
  static std::vector<std::uint32_t> merge_numbers(std::span<const Round> rounds, std::size_t places) {
    std::vector<std::uint32_t> numbers(places);
    std::uint32_t next = 0;
    std::size_t size = 1;
    for (const Round& round : rounds) {
      for (std::size_t group = 0; group < places / size; ++group) {
        if (group % round.factor != 0) numbers[group * size] = next++;
      }
      size *= round.factor;
    }
    return numbers;
  }

  void sort_by_task() {
    std::ranges::sort(pairs_, {}, [&](const TaskPair& pair) {
      return std::pair<std::uint32_t, std::uint32_t>(std::minmax(order_[pair.a], order_[pair.b]));
    });
    auto last = pairs_.begin();
    for (auto pair = pairs_.begin(); pair != pairs_.end(); ++pair) {
      if (pair == last) continue;
      if (pair->a == last->a && pair->b == last->b) {
        last->a_to_b += pair->a_to_b;
        last->b_to_a += pair->b_to_a;
      } else {
        *++last = *pair;
      }
    }
    if (!pairs_.empty()) pairs_.erase(last + 1, pairs_.end());
  }

  std::span<const std::uint32_t> order_;   // by place: a task
  std::vector<std::uint32_t> number_;      // of a merge, by the first place of its later group
  std::vector<std::size_t> begin_;         // by number of a merge, and one more
  std::unique_ptr<Transfer[]> transfers_;  // by merge
  std::vector<TaskPair> pairs_;
};

/// Step 2 of all rounds: groups are turned and joined.
class Merging {
 public:
  Merging(const TaskGraph& graph, const Grid& grid, std::span<const std::size_t> rows, std::span<const Round> rounds)
      : grid_(grid), order_(order_of(graph, rows, rounds)), crossing_(graph, order_, rounds), cells_(grid.nodes()) {}

  /// Joins all groups `round.factor` at a time. `chooser` gives what chooses turns, and is told how many tasks were
  /// placed in this round before.
  template <class Chooser>
  void join(const Round& round, Dice* shuffle, Chooser chooser) {
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
    for (std::uint32_t start = 0; start < cells_.size(); start += size_ * round.factor) {
      for (std::uint32_t k = 1; k < round.factor; ++k) {
        const Join& join = joins[k - 1];
        const std::uint32_t added = start + k * size_;
        MergeChooser& choice = chooser(added);
        const Merge merge{start, added, crossing_.of(added, choice.minds_order()), cells_};
        const Turns turns = choice.choose(join, merge);
        choice.joined(join, merge, turns);
        turn(start, added, join.a_turns[turns.a], join.a_extents);
        turn(added, added + size_, join.b_turns[turns.b], join.b_extents);
        for (std::uint32_t place = added; place < added + size_; ++place) {
          cells_[place][join.axis] += join.a_extents[join.axis];
        }
      }
    }
    size_ *= round.factor;
    box_ = row;
  }

  [[nodiscard]] TaskMapping mapping(TaskId tasks) const {
    TaskMapping nodes(tasks);
    for (std::uint32_t place = 0; place < order_.size(); ++place) {
      if (order_[place] < tasks) nodes[order_[place]] = grid_.node(cells_[place]);
    }
    return nodes;
  }

 private:
  static void shuffle_turns(std::vector<Orientation>& turns, Dice& dice) {
    for (std::size_t i = turns.size(); i > 1; --i) {
      std::swap(turns[i - 1], turns[dice.below(static_cast<std::uint32_t>(i))]);
    }
  }

  void turn(std::uint32_t begin, std::uint32_t end, const Orientation& turn, const Cell& extents) {
    if (turn == Orientation()) return;
    for (std::uint32_t place = begin; place < end; ++place) cells_[place] = turn.apply(cells_[place], extents);
  }

  const Grid& grid_;
  std::vector<std::uint32_t> order_;  // by place: a task
  CrossingTransfers crossing_;
  std::vector<Cell> cells_;  // by place: where it is in its group's box
  std::uint32_t size_ = 1;   // tasks of a group
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
  const std::vector<Round> rounds = rounds_for(grid, variant.axes);
  Merging merging(graph, grid, rows_by_sender(graph, grid.nodes()), rounds);
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
