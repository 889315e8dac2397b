// Assume that all bundles fit into a number of lines. Dependences and resources then leave each bundle a window: a
// first and a last line. Three rules make windows smaller until none changes, and if one is empty, the assumption is
// wrong:
// - A bundle comes after those that it waits for.
// - It also comes after all of those that share a resource, which are on different lines. [Langevin, Cerny 1996]
// - If the uses of a resource whose windows are within some lines fill these lines, no other use is in them; more uses
//   than have room there do not fit. [Hall 1935; Puget 1998]
// Each rule also holds with time reversed, which turns the last lines into first ones with the opposite sign.
#include "line_windows.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gdr::assembler {
namespace {

constexpr std::size_t kMostBundles = 2048;  // the distances between all of them are kept
constexpr int kUnreachable = -(1 << 28);

/// A use before a bundle, and by how many lines at least.
struct Ahead {
  std::size_t bundle = 0;
  int offset = 0;  // lines after the bundle's first one; with time reversed its negative
  int lines = 0;   // from the use to the bundle that comes after it
};

struct Timed {
  int earliest = 0;
  int lines = 0;
};

/// First and last line of a use.
struct Window {
  std::size_t bundle = 0;
  int offset = 0;
  int first = 0;
  int last = 0;
};

/// What the rules read in one direction of time.
struct Direction {
  int sign = 1;
  std::vector<std::size_t> order;                      // each bundle follows those that it waits for
  std::vector<std::vector<Edge>> waits_for;            // `to` is the bundle that it waits for
  std::vector<std::vector<std::vector<Ahead>>> ahead;  // for each resource and bundle
  std::vector<int> first;                              // line of each bundle at the earliest
  std::vector<std::size_t> moved;                      // when it last changed
  std::vector<std::size_t> counted;                    // when the uses ahead of it were last counted
};

class LineWindows {
 public:
  LineWindows(const BundleGraph& graph, const std::vector<Resource>& resources, std::vector<std::size_t> order)
      : graph_(graph), resources_(resources), count_(graph.bundles.size()), length_(count_, 0) {
    for (std::size_t bundle = 0; bundle < count_; ++bundle) {
      for (const Bundle::Member& member : graph.bundles[bundle].members) {
        length_[bundle] = std::max(length_[bundle], static_cast<int>(member.offset) + 1);
      }
    }
    for (Direction& direction : directions_) {
      direction.waits_for.resize(count_);
      direction.ahead.assign(resources.size(), std::vector<std::vector<Ahead>>(count_));
    }
    forward().order = order;
    std::ranges::reverse(order);
    backward().order = std::move(order);
    backward().sign = -1;
    keep_apart();
    for (std::size_t bundle = 0; bundle < count_; ++bundle) {
      for (const Edge& edge : edges_[bundle]) {
        forward().waits_for[edge.to].push_back({bundle, edge.lines});
        backward().waits_for[bundle].push_back(edge);
      }
    }
    note_uses_ahead();
  }

  /// Nothing if the rules do not show that `lines` lines are too few.
  std::optional<NoRoom> no_room(std::size_t lines) {
    why_.reset();
    for (Direction& direction : directions_) {
      direction.first.assign(count_, 0);
      direction.moved.assign(count_, 1);
      direction.counted.assign(count_, 0);
    }
    now_ = 1;
    for (std::size_t bundle = 0; bundle < count_; ++bundle) {
      forward().first[bundle] = static_cast<int>(graph_.bundles[bundle].earliest);
      backward().first[bundle] = length_[bundle] - static_cast<int>(lines);
      require_window(bundle);
    }
    for (bool again = true; again && !why_;) {
      const std::size_t before = now_;
      for (std::size_t way = 0; way < directions_.size() && !why_; ++way) wait(directions_[way]);
      for (std::size_t way = 0; way < directions_.size() && !why_; ++way) separate(way);
      again = now_ > before;
    }
    if (why_) why_->lines = lines;
    return why_;
  }

 private:
  Direction& forward() { return directions_[0]; }
  Direction& backward() { return directions_[1]; }

  /// A bundle that may be on the line of one that it waits for must be later if both take a unit or port there.
  void keep_apart() {
    std::vector<std::vector<std::pair<std::size_t, int>>> taken(count_);  // by each bundle: resource and offset
    for (std::size_t resource = 0; resource < resources_.size(); ++resource) {
      if (resources_[resource].each > 1) continue;
      for (const ResourceUse& use : resources_[resource].uses) {
        taken[use.bundle].emplace_back(resource, static_cast<int>(use.offset));
      }
    }
    edges_ = graph_.edges;
    for (std::size_t bundle = 0; bundle < count_; ++bundle) {
      for (Edge& edge : edges_[bundle]) {
        const auto meet = [&](const std::pair<std::size_t, int>& later) {
          return std::ranges::count(taken[bundle],
                                    std::pair(later.first, later.second + static_cast<int>(edge.lines))) > 0;
        };
        while (std::ranges::any_of(taken[edge.to], meet)) ++edge.lines;
      }
    }
  }

  void note_uses_ahead() {
    std::vector<int> distance;
    const std::vector<std::size_t>& order = forward().order;
    for (std::size_t at = 0; at < order.size(); ++at) {
      const std::size_t from = order[at];
      distance.assign(count_, kUnreachable);
      distance[from] = 0;
      for (std::size_t next = at; next < order.size(); ++next) {
        const std::size_t bundle = order[next];
        if (distance[bundle] == kUnreachable) continue;
        for (const Edge& edge : edges_[bundle]) {
          distance[edge.to] = std::max(distance[edge.to], distance[bundle] + static_cast<int>(edge.lines));
        }
      }
      distance[from] = kUnreachable;
      for (std::size_t resource = 0; resource < resources_.size(); ++resource) {
        for (const ResourceUse& use : resources_[resource].uses) {
          const auto offset = static_cast<int>(use.offset);
          // Of the uses of `from`, all that follows has them ahead; and `from`, with time reversed, the uses of what
          // follows.
          if (use.bundle == from) note_followers(resource, from, offset, distance);
          if (distance[use.bundle] == kUnreachable) continue;
          backward().ahead[resource][from].push_back({use.bundle, -offset, distance[use.bundle] + offset});
        }
      }
    }
  }

  void note_followers(std::size_t resource, std::size_t from, int offset, const std::vector<int>& distance) {
    for (std::size_t bundle = 0; bundle < count_; ++bundle) {
      if (distance[bundle] == kUnreachable) continue;
      forward().ahead[resource][bundle].push_back({from, offset, distance[bundle] - offset});
    }
  }

  /// Line numbers are those of the direction.
  void begin_at(Direction& direction, std::size_t bundle, int line) {
    if (line <= direction.first[bundle]) return;
    direction.first[bundle] = line;
    direction.moved[bundle] = ++now_;
    require_window(bundle);
  }

  void require_window(std::size_t bundle) {
    if (forward().first[bundle] + backward().first[bundle] <= 0 || why_) return;
    why_ = NoRoom{};
    why_->bundle = bundle;
  }

  /// The first two rules, for all bundles.
  void wait(Direction& direction) {
    for (const std::size_t bundle : direction.order) {
      int line = direction.first[bundle];
      for (const Edge& edge : direction.waits_for[bundle]) {
        line = std::max(line, direction.first[edge.to] + static_cast<int>(edge.lines));
      }
      begin_at(direction, bundle, line);
      for (std::size_t resource = 0; resource < resources_.size(); ++resource) {
        const std::vector<Ahead>& ahead = direction.ahead[resource][bundle];
        const bool moved = std::ranges::any_of(
            ahead, [&](const Ahead& use) { return direction.moved[use.bundle] > direction.counted[bundle]; });
        if (moved) begin_at(direction, bundle, line_after(direction, ahead, resources_[resource].each));
      }
      direction.counted[bundle] = now_;
      if (why_) return;
    }
  }

  /// The first line for what comes after all of the uses. Of those that can be on a line, the ones that need the most
  /// lines after them come first: no order ends earlier. [Jackson 1955]
  int line_after(const Direction& direction, const std::vector<Ahead>& ahead, std::size_t each) {
    uses_.clear();
    for (const Ahead& use : ahead) uses_.push_back({direction.first[use.bundle] + use.offset, use.lines});
    std::ranges::sort(uses_, {}, &Timed::earliest);
    waiting_.clear();
    int after = kUnreachable;
    int line = kUnreachable;
    for (std::size_t next = 0; next < uses_.size() || !waiting_.empty(); ++line) {
      if (waiting_.empty()) line = std::max(line, uses_[next].earliest);
      for (; next < uses_.size() && uses_[next].earliest <= line; ++next) {
        waiting_.push_back(uses_[next].lines);
        std::push_heap(waiting_.begin(), waiting_.end());
      }
      for (std::size_t use = 0; use < each && !waiting_.empty(); ++use) {
        std::pop_heap(waiting_.begin(), waiting_.end());
        after = std::max(after, line + waiting_.back());
        waiting_.pop_back();
      }
    }
    return after;
  }

  /// The third rule.
  void separate(std::size_t way) {
    Direction& direction = directions_[way];
    const Direction& other = directions_[1 - way];
    for (std::size_t resource = 0; resource < resources_.size() && !why_; ++resource) {
      windows_.clear();
      for (const ResourceUse& use : resources_[resource].uses) {
        const int offset = direction.sign * static_cast<int>(use.offset);
        windows_.push_back(
            {use.bundle, offset, direction.first[use.bundle] + offset, offset - other.first[use.bundle]});
      }
      std::ranges::sort(windows_, {}, &Window::last);
      starts_.clear();
      for (const Window& window : windows_) starts_.push_back(window.first);
      std::ranges::sort(starts_);
      const auto equal = std::ranges::unique(starts_);
      starts_.erase(equal.begin(), equal.end());
      for (std::size_t start = 0; start < starts_.size() && !why_; ++start) {
        separate_from(direction, resource, starts_[start]);
      }
    }
  }

  /// Counts the uses whose windows are from line `start` on, in the order of their last lines.
  void separate_from(Direction& direction, std::size_t resource, int start) {
    const auto each = static_cast<int>(resources_[resource].each);
    int uses = 0;
    int full = start - 1;  // the lines from `start` to this one have no room for uses that may be after them
    for (std::size_t at = 0; at < windows_.size(); ++at) {
      Window& window = windows_[at];
      if (window.first < start) continue;
      if (window.first <= full && window.last > full) {
        window.first = full + 1;
        begin_at(direction, window.bundle, window.first - window.offset);
        if (why_) return;
      }
      ++uses;
      const int room = each * (window.last - start + 1);
      if (uses > room) {
        why_ = NoRoom{};
        why_->resource = resource;
        why_->uses = static_cast<std::size_t>(uses);
        const bool is_forward = direction.sign > 0;
        why_->first = static_cast<std::size_t>(is_forward ? start : -window.last);
        why_->last = static_cast<std::size_t>(is_forward ? window.last : -start);
        return;
      }
      if (uses == room) full = window.last;
    }
  }

  const BundleGraph& graph_;
  const std::vector<Resource>& resources_;
  std::size_t count_;
  std::vector<std::vector<Edge>> edges_;  // from each bundle
  std::vector<int> length_;
  std::array<Direction, 2> directions_;  // forward, and with time reversed
  std::size_t now_ = 0;                  // number of changes
  std::optional<NoRoom> why_;
  // Of the bundle or resource that is considered.
  std::vector<Timed> uses_;
  std::vector<int> waiting_;
  std::vector<Window> windows_;
  std::vector<int> starts_;
};

}  // namespace

std::optional<NoRoom> too_few_lines(const BundleGraph& graph, const std::vector<Resource>& resources, std::size_t least,
                                    std::size_t most) {
  std::vector<std::size_t> order = graph.order();
  if (order.size() < graph.bundles.size() || order.size() > kMostBundles) return std::nullopt;
  LineWindows windows(graph, resources, std::move(order));
  std::optional<NoRoom> found;
  while (least < most) {
    const std::size_t middle = least + (most - least) / 2;
    if (std::optional<NoRoom> why = windows.no_room(middle)) {
      found = why;
      least = middle + 1;
    } else {
      most = middle;
    }
  }
  return found;
}

}  // namespace gdr::assembler
