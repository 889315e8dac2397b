#include "collective_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

/// The steps of one rank, in order.
class RankSteps {
 public:
  RankSteps(const Action& action, const std::vector<std::uint64_t>& sizes, Rank rank, Rank ranks)
      : sizes_(sizes),
        bytes_(static_cast<std::uint64_t>(action.amount)),
        rank_(rank),
        ranks_(ranks),
        root_(action.root) {}

  std::vector<Step> take() { return std::move(steps_); }

  /// Bytes of rank `of`, where ranks contribute or receive different numbers.
  [[nodiscard]] std::uint64_t size_of(Rank of) const { return sizes_.empty() ? bytes_ : sizes_[of]; }

  /// Every rank sends to the rank `distance` places on, at distances that double: a barrier.
  void disseminate() {
    for (Rank distance = 1; distance < ranks_; distance *= 2) {
      add({{(rank_ + distance) % ranks_, 0, 0}}, {(rank_ + ranks_ - distance) % ranks_});
    }
  }

  /// Binomial tree, in which a rank's parent has its lowest one bit cleared: from the root to all.
  void spread() {
    const Rank place = place_in_tree();
    if (place != 0) add({}, {rank_at(place & (place - 1))});
    for (Rank bit = highest_below(place); bit > 0; bit /= 2) {
      if (place + bit < ranks_) add({{rank_at(place + bit), bytes_, 0}}, {});
    }
  }
  /// The same tree from all to the root.
  void collect() {
    const Rank place = place_in_tree();
    for (Rank bit = 1; bit < ranks_ && (place & bit) == 0; bit *= 2) {
      if (place + bit < ranks_) add({}, {rank_at(place + bit)});
    }
    if (place != 0) add({{rank_at(place & (place - 1)), bytes_, 0}}, {});
  }

  /// Recursive doubling; ranks beyond a power of two hand their data to a neighbour before and get the sum after it.
  void double_all() {
    const Rank power = std::bit_floor(ranks_);
    const Rank beyond = ranks_ - power;
    const bool is_paired = rank_ < 2 * beyond;
    if (is_paired && rank_ % 2 == 0) {
      add({{rank_ + 1, bytes_, 0}}, {});
      add({}, {rank_ + 1});
      return;
    }
    if (is_paired) add({}, {rank_ - 1});
    const Rank place = is_paired ? rank_ / 2 : rank_ - beyond;
    for (Rank bit = 1; bit < power; bit *= 2) {
      const Rank other = place ^ bit;
      const Rank peer = other < beyond ? 2 * other + 1 : other + beyond;
      add({{peer, bytes_, 0}}, {peer});
    }
    if (is_paired) add({{rank_ - 1, bytes_, 0}}, {});
  }

  /// Bruck's all-gather: a rank holds the blocks of the ranks from its own on.
  void gather_by_doubling() {
    for (Rank have = 1; have < ranks_; have *= 2) {
      std::uint64_t sent = 0;
      for (Rank n = 0; n < std::min(have, ranks_ - have); ++n) sent += size_of((rank_ + n) % ranks_);
      add({{(rank_ + ranks_ - have) % ranks_, sent, 0}}, {(rank_ + have) % ranks_});
    }
  }

  /// Everybody to everybody: `bytes_to(rank)` to each other rank.
  void exchange_all(const auto& bytes_to) {
    Step step;
    for (Rank distance = 1; distance < ranks_; ++distance) {
      const Rank to = (rank_ + distance) % ranks_;
      step.sends.push_back({to, bytes_to(to), 0});
      step.receives.push_back({(rank_ + ranks_ - distance) % ranks_, 0, 0});
    }
    steps_.push_back(std::move(step));
  }

  void from_root() {
    if (rank_ != root_) return add({}, {root_});
    Step step;
    for (Rank to = 0; to < ranks_; ++to) {
      if (to != root_) step.sends.push_back({to, size_of(to), 0});
    }
    steps_.push_back(std::move(step));
  }
  void to_root() {
    if (rank_ != root_) return add({{root_, bytes_, 0}}, {});
    Step step;
    for (Rank from = 0; from < ranks_; ++from) {
      if (from != root_) step.receives.push_back({from, 0, 0});
    }
    steps_.push_back(std::move(step));
  }
  /// To all higher ranks.
  void to_higher() {
    Step step;
    for (Rank to = rank_ + 1; to < ranks_; ++to) step.sends.push_back({to, bytes_, 0});
    for (Rank from = 0; from < rank_; ++from) step.receives.push_back({from, 0, 0});
    steps_.push_back(std::move(step));
  }

 private:
  void add(std::vector<Message> sends, const std::vector<Rank>& receives) {
    Step step;
    step.sends = std::move(sends);
    for (const Rank from : receives) step.receives.push_back({from, 0, 0});
    steps_.push_back(std::move(step));
  }
  [[nodiscard]] Rank place_in_tree() const { return (rank_ + ranks_ - root_) % ranks_; }
  [[nodiscard]] Rank rank_at(Rank place) const { return (place + root_) % ranks_; }
  /// The largest bit of a child: below the lowest one bit of `place`, and of the root below the number of ranks.
  [[nodiscard]] Rank highest_below(Rank place) const {
    return place == 0 ? std::bit_ceil(ranks_) / 2 : (place & (~place + 1)) / 2;
  }

  const std::vector<std::uint64_t>& sizes_;
  std::uint64_t bytes_;
  Rank rank_;
  Rank ranks_;
  Rank root_;
  std::vector<Step> steps_;
};

}  // namespace

std::optional<TracedCollective> collective_of(ActionKind kind) {
  switch (kind) {
    case ActionKind::barrier:
      return TracedCollective::barrier;
    case ActionKind::broadcast:
      return TracedCollective::broadcast;
    case ActionKind::reduce:
      return TracedCollective::reduce;
    case ActionKind::all_reduce:
      return TracedCollective::all_reduce;
    case ActionKind::all_to_all:
      return TracedCollective::all_to_all;
    case ActionKind::gather:
      return TracedCollective::gather;
    case ActionKind::scatter:
      return TracedCollective::scatter;
    case ActionKind::all_gather:
      return TracedCollective::all_gather;
    case ActionKind::reduce_scatter:
      return TracedCollective::reduce_scatter;
    case ActionKind::scan:
      return TracedCollective::scan;
    case ActionKind::exclusive_scan:
      return TracedCollective::exclusive_scan;
    case ActionKind::compute:
    case ActionKind::sleep:
    case ActionKind::send:
    case ActionKind::isend:
    case ActionKind::receive:
    case ActionKind::ireceive:
    case ActionKind::wait_send:
    case ActionKind::wait_receive:
    case ActionKind::wait_all:
    case ActionKind::test:
    case ActionKind::exchange:
      break;
  }
  return std::nullopt;
}

std::vector<Step> collective_steps(TracedCollective collective, const Action& action,
                                   const std::vector<std::uint64_t>& sizes, Rank rank, Rank ranks,
                                   CollectiveMethod method) {
  if (action.root >= ranks)
    throw Error(fmt::format("root {} is refused: there are ranks 0 to {}", action.root, ranks - 1));
  RankSteps steps(action, sizes, rank, ranks);
  const bool doubles = method == CollectiveMethod::doubling;
  const auto same_to_all = [&](Rank) { return static_cast<std::uint64_t>(action.amount); };
  const auto own_to_all = [&](Rank) { return steps.size_of(rank); };
  const auto of_receiver = [&](Rank to) { return steps.size_of(to); };
  switch (collective) {
    case TracedCollective::barrier:
      doubles ? steps.disseminate() : steps.exchange_all(same_to_all);
      break;
    case TracedCollective::broadcast:
      doubles ? steps.spread() : steps.from_root();
      break;
    case TracedCollective::reduce:
      doubles ? steps.collect() : steps.to_root();
      break;
    case TracedCollective::all_reduce:
      doubles ? steps.double_all() : steps.exchange_all(same_to_all);
      break;
    case TracedCollective::all_gather:
      doubles ? steps.gather_by_doubling() : steps.exchange_all(own_to_all);
      break;
    case TracedCollective::all_to_all:
    case TracedCollective::reduce_scatter:
      steps.exchange_all(of_receiver);
      break;
    case TracedCollective::gather:
      steps.to_root();
      break;
    case TracedCollective::scatter:
      steps.from_root();
      break;
    case TracedCollective::scan:
    case TracedCollective::exclusive_scan:
      steps.to_higher();
      break;
  }
  return steps.take();
}

}  // namespace gdr::interconnect
