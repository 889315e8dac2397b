// What the merges of MOPT share: groups of tasks in boxes, the turns of a box, and the rule that chooses a turn.
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

/// A turn of a box onto itself: new axis t is old axis `axis[t]`, reversed if `flip[t]`.
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

/// Two boxes joined along an axis: b follows a. Their other extents are equal.
struct Join {
  unsigned axis = 0;
  Cell a_extents{};
  Cell b_extents{};
  // All ways to turn the boxes before they are joined. Of ways that differ by a reflection of the joined box, only one.
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

/// Two groups that are to be joined. A group is identified by its first task.
struct Merge {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::span<const TaskPair> crossing;  // all traffic between the groups; TaskPair::a is in group a
  std::span<const Cell> cells;         // by task
};

/// Turn of each group, as indices into Join::a_turns and Join::b_turns.
struct Turns {
  std::size_t a = 0;
  std::size_t b = 0;
};

class MergeChooser {
 public:
  virtual ~MergeChooser() = default;
  /// True if the order of Merge::crossing changes the choice; it is then sorted by task.
  [[nodiscard]] virtual bool minds_order() const { return false; }
  /// The best turns of a merge.
  [[nodiscard]] virtual Turns choose(const Join& join, const Merge& merge) = 0;
  /// Called once a merge is made with these turns; from then on, both groups are group a.
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
