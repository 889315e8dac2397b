#include "coupling.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace gdr::interconnect {
namespace {

/// Links in groups that messages join. A group is named by one of its links.
class Groups {
 public:
  explicit Groups(std::size_t links) : parent_(links), messages_(links) { clear(); }

  /// Every link is a group without messages.
  void clear() {
    std::iota(parent_.begin(), parent_.end(), LinkId{0});
    std::ranges::fill(messages_, 0);
  }

  void add_message(const std::vector<SharedLink>& route) {
    if (route.empty()) return;
    LinkId group = group_of(route.front().link);
    for (const SharedLink& shared : route) {
      const LinkId other = group_of(shared.link);
      if (other == group) continue;
      parent_[other] = group;
      messages_[group] += messages_[other];
      messages_[other] = 0;
    }
    ++messages_[group];
  }

  /// Pairs of messages in one group, a message with itself included.
  [[nodiscard]] double pairs() const {
    return std::accumulate(messages_.begin(), messages_.end(), 0.0,
                           [](double sum, double messages) { return sum + messages * messages; });
  }

 private:
  LinkId group_of(LinkId link) {
    while (parent_[link] != link) {
      parent_[link] = parent_[parent_[link]];  // halves the way of later searches
      link = parent_[link];
    }
    return link;
  }

  std::vector<LinkId> parent_;
  std::vector<double> messages_;  // of the group that the link names
};

}  // namespace

bool do_messages_hang_together(const Schedule& schedule, const Topology& topology) {
  constexpr double kMost = 0.5;
  std::size_t steps = 0;
  for (const std::vector<Step>& of_rank : schedule.ranks) steps = std::max(steps, of_rank.size());
  Groups groups(topology.links().size());
  std::vector<SharedLink> route;
  double together = 0;
  double all = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    groups.clear();
    double messages = 0;
    for (Rank rank = 0; rank < schedule.ranks.size(); ++rank) {
      if (step >= schedule.ranks[rank].size()) continue;
      for (const Message& message : schedule.ranks[rank][step].sends) {
        topology.links_into(rank, message.peer, route);
        groups.add_message(route);
        ++messages;
      }
    }
    together += groups.pairs();
    all += messages * messages;
  }
  return together > kMost * all;
}

}  // namespace gdr::interconnect
