// MergeRule::minlink: the turns for which the busiest link inside the joined group carries least. A ring counts as
// closed as soon as a group reaches around it.
#pragma once

#include <optional>
#include <unordered_map>

#include "merging.h"

namespace gdr::interconnect {

/// Loads of the directed links inside a box. Link = cell * 6 + axis * 2 + (0: plus, 1: minus), with cells counted x
/// first.
using BoxLoads = std::vector<double>;

/// Which turns win if several give the same load on the busiest link. Most do, and the paper does not say which to
/// take. Here those with the smallest sum of a power of all loads win, because they leave most room for what later
/// merges add.
enum class LinkTieBreak {
  squares,
  fourth_powers,
};

class LeastLink final : public MergeChooser {
 public:
  LeastLink(const Grid& grid, const GridRouting& routing, LinkTieBreak tie_break);
  /// The order matters because sums of powers are rounded.
  [[nodiscard]] bool minds_order() const override { return true; }
  [[nodiscard]] Turns choose(const Join& join, const Merge& merge) override;
  void joined(const Join& join, const Merge& merge, Turns turns) override;

 private:
  /// Traffic inside a group. Turning a box changes which axis its messages take first, so each member has an entry for
  /// every order of the box's own axes.
  struct Group {
    std::array<BoxLoads, 6> loads;
    std::array<double, 6> busiest{};
    std::array<double, 6> powers{};  // sum of a power of the loads
  };

  /// A joined box, and the loads that its two boxes bring into it when they are turned.
  class TurnedBoxes;
  struct Cost {
    double busiest = 0;  // load of the busiest link
    double powers = 0;   // sum of a power of all loads
  };
  /// The cost of two turns; none if a link carries more than `most`.
  [[nodiscard]] std::optional<Cost> cost_of(TurnedBoxes& boxes, const Merge& merge, Turns turns, double most);

  /// Extents of the axes whose rings the joined box closes; 0 for the others.
  [[nodiscard]] Cell rings(const Join& join) const;
  [[nodiscard]] double power(double load) const {
    const double square = load * load;
    return tie_break_ == LinkTieBreak::squares ? square : square * square;
  }
  [[nodiscard]] Group& group(std::uint32_t first, const Cell& extents);

  const Grid& grid_;
  LinkTieBreak tie_break_;
  std::array<unsigned, 3> axes_;
  std::unordered_map<std::uint32_t, Group> groups_;  // by first task
  std::vector<double> crossing_;                     // loads by traffic between the groups, on the joined box's links
  std::vector<std::uint32_t> touched_;
};

}  // namespace gdr::interconnect
