// What the merges of MOPT share: groups of tasks in boxes, how a box may be turned, and what chooses a turn.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gdr/interconnect/grid.h"

namespace gdr::interconnect {

/// Traffic between two tasks, both ways.
struct TaskPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint64_t a_to_b = 0;
  std::uint64_t b_to_a = 0;
};

/// Position of a task inside its group's box.
using Cell = std::array<std::uint32_t, 3>;

/// A turn of a box onto itself: new axis t is old axis `axis[t]`, backwards if `flip[t]`.
struct Orientation {
  std::array<unsigned, 3> axis{0, 1, 2};
  std::array<bool, 3> flip{};

  bool operator==(const Orientation&) const = default;

  [[nodiscard]] Cell apply(const Cell& cell, const Cell& extents) const {
    Cell turned{};
    for (unsigned t = 0; t < 3; ++t) {
      const std::uint32_t at = cell[axis[t]];
      turned[t] = flip[t] ? extents[axis[t]] - 1 - at : at;
    }
    return turned;
  }
};

/// Turns that keep a box's extents, the identity first.
[[nodiscard]] std::vector<Orientation> orientations_of(const Cell& extents);

/// Two boxes joined along an axis: b follows a. Other extents are equal.
struct Join {
  unsigned axis = 0;
  Cell a_extents{};
  Cell b_extents{};
  // All ways to turn the boxes before they are joined; of ways that differ by a reflection of the whole, one.
  std::vector<Orientation> a_turns;
  std::vector<Orientation> b_turns;

  Join(unsigned along, const Cell& a, const Cell& b);

  /// Extents of the joined box.
  [[nodiscard]] Cell extents() const {
    Cell joined = a_extents;
    joined[axis] += b_extents[axis];
    return joined;
  }
};

/// Two groups about to be joined. A group is called by the task that began it.
struct Merge {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::span<const TaskPair> crossing;  // all traffic between the groups, a task of group a first
  std::span<const Cell> cells;         // by task
};

/// Turn of each group, as indices of the join's turns.
struct Turns {
  std::size_t a = 0;
  std::size_t b = 0;
};

class MergeChooser {
 public:
  virtual ~MergeChooser() = default;
  /// True if the order of Merge::crossing changes the choice: it is then by task.
  [[nodiscard]] virtual bool minds_order() const { return false; }
  /// The best turns of a merge.
  [[nodiscard]] virtual Turns choose(const Join& join, const Merge& merge) = 0;
  /// Told that the merge is made so; both groups are group a from now on.
  virtual void joined(const Join& /*join*/, const Merge& /*merge*/, Turns /*turns*/) {}
};

/// MergeRule::none: no turn at all.
class AsTheyAre final : public MergeChooser {
 public:
  [[nodiscard]] Turns choose(const Join& /*join*/, const Merge& /*merge*/) override { return {}; }
};

/// MergeRule::mincost.
class LeastHops final : public MergeChooser {
 public:
  [[nodiscard]] Turns choose(const Join& join, const Merge& merge) override;
};

}  // namespace gdr::interconnect
