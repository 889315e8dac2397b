// MOPT (Sanno and Kise, section 2): in each round, groups that exchange most are joined, until one group covers the
// grid.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <numeric>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/interconnect/task_mapping.h"
#include "least_link.h"
#include "merging.h"
#include "mopt.h"
#include "placement.h"
#include "rounds.h"

namespace gdr::interconnect {

namespace {

/// Which transfers TaskTraffic::for_each() visits of those that a group receives.
enum class Received { all, from_later };

/// Bytes that groups send each other, by sender and by receiver. A single task is a group of one.
class TaskTraffic {
 public:
  /// `transfers` are those between the groups, sorted by sender; they are not copied.
  TaskTraffic(std::span<const Transfer> transfers, std::uint32_t groups, Received visited)
      : transfers_(transfers), sent_(groups + 1), received_(groups + 2) {
    std::vector<std::uint32_t> coming;
    std::uint32_t i = 0;
    for (std::uint32_t group = 0; group < groups; ++group) {
      for (; i < transfers.size() && transfers[i].from == group; ++i) {
        if (visited == Received::from_later && group < transfers[i].to) continue;
        coming.push_back(i);
        ++received_[transfers[i].to + 2];
      }
      sent_[group + 1] = i;
    }
    std::partial_sum(received_.begin(), received_.end(), received_.begin());
    by_receiver_.resize(coming.size());
    for (const std::uint32_t transfer : coming) by_receiver_[received_[transfers[transfer].to + 1]++] = transfer;
  }

  [[nodiscard]] std::size_t transfers() const { return transfers_.size(); }
  [[nodiscard]] std::span<const Transfer> sent_by(std::uint32_t group) const {
    return transfers_.subspan(sent_[group], sent_[group + 1] - sent_[group]);
  }

  /// Calls visit(group, bytes) for what a group sends and for what it receives, as far as Received says.
  template <class Visit>
  void for_each(std::uint32_t group, Visit visit) const {
    for (const Transfer& transfer : sent_by(group)) visit(transfer.to, transfer.bytes);
    for (std::uint32_t i = received_[group]; i < received_[group + 1]; ++i) {
      const Transfer& transfer = transfers_[by_receiver_[i]];
      visit(transfer.from, transfer.bytes);
    }
  }

 private:
  std::span<const Transfer> transfers_;
  // By group: where its transfers begin, and at last where they end.
  std::vector<std::uint32_t> sent_;
  std::vector<std::uint32_t> received_;     // in by_receiver_
  std::vector<std::uint32_t> by_receiver_;  // numbers of transfers
};

/// Step 1 of a round: chooses the groups to join. shape: [new groups][factor], members in the order in which they join.
std::vector<std::uint32_t> choose_members(const TaskTraffic& traffic, std::uint32_t groups, std::uint32_t factor) {
  std::vector<std::uint32_t> members;
  members.reserve(groups);
  std::vector<bool> joined(groups);
  std::vector<std::uint64_t> exchanged(groups);  // bytes exchanged with the new group's members so far
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
      // Of groups that exchange the same amount, take the first in the queue; if none exchanges anything, the head of
      // the queue.
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

/// Result of step 1 of a round: the groups that make up each new group.
struct JoinedGroups {
  std::vector<std::uint32_t> members;    // shape: [new groups][factor], in the order in which they join
  std::vector<std::uint32_t> new_group;  // by group
  std::vector<std::uint32_t> number;     // by group, among the members of its new group

  JoinedGroups(std::vector<std::uint32_t> joining, std::uint32_t factor)
      : members(std::move(joining)), new_group(members.size()), number(members.size()) {
    for (std::uint32_t group = 0; group < members.size() / factor; ++group) {
      for (std::uint32_t k = 0; k < factor; ++k) {
        const std::uint32_t member = members[group * factor + k];
        new_group[member] = group;
        number[member] = k;
      }
    }
  }
};

/// Transfers between the new groups, sorted by sender.
std::vector<Transfer> joined_transfers(const TaskTraffic& traffic, const JoinedGroups& round, std::uint32_t factor) {
  const auto groups = static_cast<std::uint32_t>(round.members.size() / factor);
  std::vector<Transfer> joined;
  joined.reserve(traffic.transfers());
  std::vector<std::uint64_t> sent(groups);  // by the current group
  std::vector<std::uint32_t> receivers;
  for (std::uint32_t group = 0; group < groups; ++group) {
    for (std::uint32_t k = 0; k < factor; ++k) {
      for (const Transfer& transfer : traffic.sent_by(round.members[group * factor + k])) {
        const std::uint32_t to = round.new_group[transfer.to];
        if (to == group) continue;
        if (sent[to] == 0) receivers.push_back(to);
        sent[to] += transfer.bytes;
      }
    }
    for (const std::uint32_t to : receivers) joined.push_back({group, to, std::exchange(sent[to], 0)});
    receivers.clear();
  }
  return joined;
}

/// Step 1 of all rounds, which needs only the traffic. Idle tasks fill up the grid.
std::vector<JoinedGroups> joined_groups(const TaskGraph& graph, std::uint32_t nodes, std::span<const Round> rounds) {
  std::vector<JoinedGroups> joined;  // by round
  std::uint32_t groups = nodes;
  std::vector<Transfer> between_groups;
  for (const Round& round : rounds) {
    // When a group begins a new group, all groups before it have joined already. In rounds of pairs, only that first
    // member looks for a partner, so transfers from earlier groups do not matter.
    const Received visited = round.factor == 2 ? Received::from_later : Received::all;
    const TaskTraffic traffic(joined.empty() ? graph.transfers() : between_groups, groups, visited);
    joined.emplace_back(choose_members(traffic, groups, round.factor), round.factor);
    between_groups = joined_transfers(traffic, joined.back(), round.factor);
    groups /= round.factor;
  }
  return joined;
}

/// The round that joins the groups of two tasks. A task's code has a digit for each round: the number of the task's
/// group among those that the round joins. The highest digit in which two codes differ is that of the round that joins
/// them.
class RoundOfTasks {
 public:
  RoundOfTasks(std::span<const JoinedGroups> joined, std::span<const Round> rounds) : code_{0} {
    std::vector<unsigned> shifts;  // first bit of each round's digit; shape: [rounds + 1]
    shifts.push_back(0);
    for (std::uint32_t number = 0; number < rounds.size(); ++number) {
      const auto width = static_cast<unsigned>(std::bit_width(rounds[number].factor - 1));
      std::fill_n(round_of_bit_.begin() + shifts.back(), width, number);
      shifts.push_back(shifts.back() + width);
    }
    for (std::size_t r = rounds.size(); r-- > 0;) {
      std::vector<std::uint32_t> finer(joined[r].members.size());
      for (std::uint32_t group = 0; group < finer.size(); ++group) {
        finer[group] = code_[joined[r].new_group[group]] | joined[r].number[group] << shifts[r];
      }
      code_ = std::move(finer);
    }
  }

  [[nodiscard]] std::uint32_t operator()(TaskId a, TaskId b) const {
    return round_of_bit_[static_cast<unsigned>(std::bit_width(code_[a] ^ code_[b])) - 1];
  }

 private:
  // By task. The digit for a prime factor f takes at most 3 / log2 5 = 1.3 times log2 f bits: 29 for the 2^22 nodes of
  // a grid.
  std::vector<std::uint32_t> code_;
  std::array<std::uint32_t, 32> round_of_bit_{};
};

/// Transfers, sorted by the round that joins their tasks.
class TransfersByRound {
 public:
  TransfersByRound(const TaskGraph& graph, std::span<const JoinedGroups> joined, std::span<const Round> rounds)
      : runs_(rounds.size()),
        transfers_(std::make_unique_for_overwrite<Transfer[]>(graph.transfers().size() + kGap * rounds.size())) {
    const RoundOfTasks round_of(joined, rounds);
    std::vector<std::size_t> count(rounds.size());
    for (const Transfer& transfer : graph.transfers()) ++count[round_of(transfer.from, transfer.to)];
    Transfer* next = transfers_.get();
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      runs_[round] = {next, next};
      next += count[round] + kGap;
    }
    for (const Transfer& transfer : graph.transfers()) *runs_[round_of(transfer.from, transfer.to)].end++ = transfer;
  }

  [[nodiscard]] std::span<const Transfer> of(std::size_t round) const { return {runs_[round].begin, runs_[round].end}; }

 private:
  // If all tasks send alike, the rounds' numbers of transfers are powers of two. Without a gap of a cache line
  // (64 bytes) between rounds, writes to all of them at once would then fall on one set of a cache.
  static constexpr std::size_t kGap = 64 / sizeof(Transfer);

  struct Run {
    Transfer* begin;
    Transfer* end;
  };

  std::vector<Run> runs_;                  // by round
  std::unique_ptr<Transfer[]> transfers_;  // not zeroed first
};

/// A turn of a box and a shift, without a branch, because no processor could predict how boxes turn.
class Motion {
 public:
  Motion(const Orientation& turn, const Cell& extents, const Cell& shift = {}) : axis_(turn.axis), start_(shift) {
    for (unsigned t = 0; t < 3; ++t) {
      backwards_[t] = turn.flip[t] ? ~0U : 0U;
      if (turn.flip[t]) start_[t] += extents[axis_[t]];
    }
  }

  [[nodiscard]] Cell apply(const Cell& cell) const {
    Cell moved{};
    for (unsigned t = 0; t < 3; ++t) moved[t] = start_[t] + (cell[axis_[t]] ^ backwards_[t]);  // ~x is -1 - x
    return moved;
  }

 private:
  std::array<unsigned, 3> axis_;
  Cell start_;
  std::array<std::uint32_t, 3> backwards_{};  // all ones if the coordinate counts from the other side
};

/// Step 2 of all rounds: turns and joins the groups.
class Merging {
 public:
  Merging(const TaskGraph& graph, const Grid& grid, std::span<const Round> rounds)
      : grid_(grid),
        joined_(joined_groups(graph, grid.nodes(), rounds)),
        transfers_(graph, joined_, rounds),
        cells_(grid.nodes()),
        group_(grid.nodes()),
        number_(grid.nodes()),
        first_(grid.nodes()) {
    std::iota(group_.begin(), group_.end(), 0U);
    std::iota(first_.begin(), first_.end(), 0U);
  }

  /// Joins all groups of the next round, `round.factor` at a time. `chooser` returns the MergeChooser for a merge; its
  /// argument is the number of tasks that were placed in this round before.
  template <class Chooser>
  void join(const Round& round, Dice* shuffle, Chooser chooser) {
    const JoinedGroups& joined = joined_[round_];
    const auto groups = static_cast<std::uint32_t>(joined.members.size() / round.factor);
    for (TaskId task = 0; task < group_.size(); ++task) {
      number_[task] = joined.number[group_[task]];
      group_[task] = joined.new_group[group_[task]];
    }
    sort_by_merge(transfers_.of(round_), groups * (round.factor - 1), round.factor - 1);
    std::vector<Turns> turns(groups);
    for (std::uint32_t k = 1; k < round.factor; ++k) {
      Join join(round.axis, row_of(round.axis, k), box_);
      if (shuffle != nullptr) {
        shuffle_turns(join.a_turns, *shuffle);
        shuffle_turns(join.b_turns, *shuffle);
      }
      for (std::uint32_t group = 0; group < groups; ++group) {
        const std::uint32_t* members = &joined.members[group * round.factor];
        MergeChooser& choice = chooser((k * groups + group) * size_);
        const std::uint32_t merge_number = group * (round.factor - 1) + k - 1;
        const Merge merge{first_[members[0]], first_[members[k]], crossing(merge_number, choice.minds_order()), cells_};
        turns[group] = choice.choose(join, merge);
        choice.joined(join, merge, turns[group]);
      }
      turn(join, k, turns);
    }
    std::vector<TaskId> first(groups);
    for (std::uint32_t group = 0; group < groups; ++group) first[group] = first_[joined.members[group * round.factor]];
    first_ = std::move(first);
    size_ *= round.factor;
    box_ = row_of(round.axis, round.factor);
    ++round_;
  }

  [[nodiscard]] TaskMapping mapping(TaskId tasks) const {
    TaskMapping nodes(tasks);
    for (TaskId task = 0; task < tasks; ++task) nodes[task] = grid_.node(cells_[task]);
    return nodes;
  }

 private:
  /// Extents of `boxes` boxes of the round before in a row.
  [[nodiscard]] Cell row_of(unsigned axis, std::uint32_t boxes) const {
    Cell row = box_;
    row[axis] *= boxes;
    return row;
  }

  static void shuffle_turns(std::vector<Orientation>& turns, Dice& dice) {
    for (std::size_t i = turns.size(); i > 1; --i) {
      std::swap(turns[i - 1], turns[dice.below(static_cast<std::uint32_t>(i))]);
    }
  }

  /// Number of the merge of a transfer; `each` merges make a group.
  [[nodiscard]] std::uint32_t merge_of(const Transfer& transfer, std::uint32_t each) const {
    return group_[transfer.from] * each + std::max(number_[transfer.from], number_[transfer.to]) - 1;
  }

  /// Fills merge_begin_ and by_merge_.
  void sort_by_merge(std::span<const Transfer> transfers, std::uint32_t merges, std::uint32_t each) {
    of_round_ = transfers;
    merge_begin_.assign(merges + 2, kMergeGap);
    for (const Transfer& transfer : transfers) ++merge_begin_[merge_of(transfer, each) + 2];
    std::partial_sum(merge_begin_.begin(), merge_begin_.end(), merge_begin_.begin());
    by_merge_.resize(merge_begin_.back());
    for (std::uint32_t i = 0; i < transfers.size(); ++i)
      by_merge_[merge_begin_[merge_of(transfers[i], each) + 1]++] = i;
  }

  /// Transfers of a merge, valid until the next call. With `by_task`, they are sorted by the lower of the two tasks,
  /// then by the other, and both directions of a pair are combined.
  [[nodiscard]] std::span<const TaskPair> crossing(std::uint32_t merge, bool by_task) {
    pairs_.clear();
    for (std::uint32_t i = merge_begin_[merge] + kMergeGap; i < merge_begin_[merge + 1]; ++i) {
      const auto& [from, to, bytes] = of_round_[by_merge_[i]];
      pairs_.push_back(number_[from] < number_[to] ? TaskPair{from, to, bytes, 0} : TaskPair{to, from, 0, bytes});
    }
    if (by_task) sort_by_task();
    return pairs_;
  }

  void sort_by_task() {
    std::ranges::sort(pairs_, {}, [&](const TaskPair& pair) {
      return std::pair<std::uint32_t, std::uint32_t>(std::minmax(pair.a, pair.b));
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

  /// For every new group, turns its first k members, which are joined already, and its member k, and joins member k to
  /// them.
  void turn(const Join& join, std::uint32_t k, std::span<const Turns> turns) {
    std::vector<Motion> motions;
    for (const Orientation& turn : join.a_turns) motions.emplace_back(turn, join.a_extents);
    Cell behind{};
    behind[join.axis] = join.a_extents[join.axis];
    for (const Orientation& turn : join.b_turns) motions.emplace_back(turn, join.b_extents, behind);
    for (TaskId task = 0; task < cells_.size(); ++task) {
      if (number_[task] > k) continue;
      const Turns& chosen = turns[group_[task]];
      cells_[task] = motions[number_[task] < k ? chosen.a : join.a_turns.size() + chosen.b].apply(cells_[task]);
    }
  }

  static constexpr std::uint32_t kMergeGap = 1;  // like TransfersByRound::kGap, but merges are many and short

  const Grid& grid_;
  std::vector<JoinedGroups> joined_;  // by round
  TransfersByRound transfers_;
  std::size_t round_ = 0;              // number of the next round
  std::vector<Cell> cells_;            // by task: position in its group's box
  std::vector<std::uint32_t> group_;   // by task
  std::vector<std::uint32_t> number_;  // by task: number of its group before this round among those that joined
  std::vector<TaskId> first_;          // by group
  std::uint32_t size_ = 1;             // tasks of a group
  Cell box_{1, 1, 1};
  // Of the current round:
  std::span<const Transfer> of_round_;
  std::vector<std::uint32_t> merge_begin_;  // by merge: where its transfers begin, less the gap; at last the end
  std::vector<std::uint32_t> by_merge_;     // numbers of the merges' transfers
  std::vector<TaskPair> pairs_;             // of the last merge asked for
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
  static_cast<void>(map_in_order(graph, grid));  // throws unless there are enough nodes
  const std::unique_ptr<MergeChooser> chosen = chooser_for(rule, grid, routing, variant);
  AsTheyAre in_haste;
  Dice dice(variant.seed);
  const std::vector<Round> rounds = rounds_for(grid, variant.axes);
  Merging merging(graph, grid, rounds);
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
