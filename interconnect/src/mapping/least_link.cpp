#include "least_link.h"

#include <algorithm>
#include <limits>

#include "gdr/base/stopping.h"

namespace gdr::interconnect {

namespace {

constexpr unsigned kLinksPerCell = 6;

using AxisOrder = std::array<unsigned, 3>;

constexpr std::array<AxisOrder, 6> kOrders{{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

std::size_t index_of(const AxisOrder& order) {
  return static_cast<std::size_t>(std::ranges::find(kOrders, order) - kOrders.begin());
}

/// The order in which messages pass a turned box's own axes, if they take the joined box's axes in `order`.
std::size_t own_order(const Orientation& turn, const AxisOrder& order) {
  return index_of({turn.axis[order[0]], turn.axis[order[1]], turn.axis[order[2]]});
}

using Strides = std::array<std::uint32_t, 3>;

Strides strides_of(const Cell& extents) { return {1, extents[0], extents[0] * extents[1]}; }

std::uint32_t volume(const Cell& extents) { return extents[0] * extents[1] * extents[2]; }

/// Calls visit(link) for each link from `at` to `end` in a box. `rings` are the extents of axes whose rings are closed,
/// 0 for the other axes.
template <class Visit>
void for_each_box_link(const Cell& at, const Cell& end, const AxisOrder& order, const Strides& strides,
                       const Cell& rings, Visit visit) {
  std::uint32_t cell = at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2];
  for (const unsigned axis : order) {
    const std::uint32_t from = at[axis];
    const std::uint32_t to = end[axis];
    const std::uint32_t apart = from > to ? from - to : to - from;
    const std::uint32_t stride = strides[axis];
    if (rings[axis] != 0 && 2 * apart > rings[axis]) {
      const std::uint32_t over = (rings[axis] - 1) * stride;  // from the last cell of a ring to the first
      if (to > from) {
        for (std::uint32_t i = 0; i <= from; ++i) {
          visit(cell * kLinksPerCell + axis * 2 + 1);
          cell = i == from ? cell + over : cell - stride;
        }
        for (std::uint32_t i = rings[axis] - 1; i > to; --i, cell -= stride) visit(cell * kLinksPerCell + axis * 2 + 1);
      } else {
        for (std::uint32_t i = from; i < rings[axis]; ++i) {
          visit(cell * kLinksPerCell + axis * 2);
          cell = i == rings[axis] - 1 ? cell - over : cell + stride;
        }
        for (std::uint32_t i = 0; i < to; ++i, cell += stride) visit(cell * kLinksPerCell + axis * 2);
      }
      continue;
    }
    for (std::uint32_t i = from; i < to; ++i, cell += stride) visit(cell * kLinksPerCell + axis * 2);
    for (std::uint32_t i = from; i > to; --i, cell -= stride) visit(cell * kLinksPerCell + axis * 2 + 1);
  }
}

/// Maps a box's links into the joined box: calls visit(link of the joined box, link of the box) for all links.
template <class Visit>
void for_each_turned_link(const Cell& extents, const Orientation& turn, std::uint32_t offset, const Strides& strides,
                          Visit visit) {
  // The link of new axis t and direction d was the link of old axis turn.axis[t], reversed if the axis is flipped.
  std::array<unsigned, kLinksPerCell> new_port{};
  for (unsigned t = 0; t < 3; ++t) {
    for (unsigned d = 0; d < 2; ++d) new_port[turn.axis[t] * 2 + d] = t * 2 + (turn.flip[t] ? 1 - d : d);
  }
  std::uint32_t link = 0;
  for (std::uint32_t z = 0; z < extents[2]; ++z) {
    for (std::uint32_t y = 0; y < extents[1]; ++y) {
      for (std::uint32_t x = 0; x < extents[0]; ++x) {
        const Cell at = turn.apply({x, y, z}, extents);
        const std::uint32_t cell = offset + at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2];
        for (unsigned port = 0; port < kLinksPerCell; ++port, ++link)
          visit(cell * kLinksPerCell + new_port[port], link);
      }
    }
  }
}

}  // namespace

LeastLink::LeastLink(const Grid& grid, const GridRouting& routing, LinkTieBreak tie_break)
    : grid_(grid), tie_break_(tie_break), axes_(routing.axes) {}

Cell LeastLink::rings(const Join& join) const {
  Cell closed = join.extents();
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (!grid_.torus() || closed[axis] != grid_.extents()[axis]) closed[axis] = 0;
  }
  return closed;
}

LeastLink::Group& LeastLink::group(std::uint32_t first, const Cell& extents) {
  Group& known = groups_[first];
  if (known.loads[0].empty()) {
    for (BoxLoads& loads : known.loads) loads.assign(std::size_t{volume(extents)} * kLinksPerCell, 0);
  }
  return known;
}

class LeastLink::TurnedBoxes {
 public:
  TurnedBoxes(const Join& join, const Group& a, const Group& b, const AxisOrder& axes)
      : join_(join),
        a_(a),
        b_(b),
        axes_(axes),
        extents_(join.extents()),
        strides_(strides_of(extents_)),
        a_loads_(links()),
        b_loads_(join.b_turns.size()) {}

  [[nodiscard]] const Join& join() const { return join_; }
  [[nodiscard]] const Strides& strides() const { return strides_; }
  [[nodiscard]] std::size_t links() const { return std::size_t{volume(extents_)} * kLinksPerCell; }

  /// What a box's own traffic costs, turned like this.
  [[nodiscard]] Cost cost_of_a(std::size_t turn) const { return own_cost(a_, join_.a_turns[turn]); }
  [[nodiscard]] Cost cost_of_b(std::size_t turn) const { return own_cost(b_, join_.b_turns[turn]); }

  /// Call it before inside(): turns the boxes, box a for one turn at a time, box b for each turn once.
  void turn(Turns turns) {
    if (a_turn_ != turns.a) {
      a_turn_ = turns.a;
      place(a_, join_.a_turns[turns.a], join_.a_extents, 0, a_loads_);
    }
    BoxLoads& b_loads = b_loads_[turns.b];
    b_turned_ = &b_loads;
    if (!b_loads.empty()) return;
    b_loads.resize(links());
    place(b_, join_.b_turns[turns.b], join_.b_extents, join_.a_extents[join_.axis] * strides_[join_.axis], b_loads);
  }
  /// Load of a link of the joined box by traffic inside the boxes. One of the two terms is 0, because a link leaves a
  /// cell either of box a or of box b.
  [[nodiscard]] double inside(std::uint32_t link) const { return a_loads_[link] + (*b_turned_)[link]; }

 private:
  [[nodiscard]] Cost own_cost(const Group& group, const Orientation& turn) const {
    const std::size_t order = own_order(turn, axes_);
    return {group.busiest[order], group.powers[order]};
  }
  void place(const Group& group, const Orientation& turn, const Cell& extents, std::uint32_t offset,
             BoxLoads& loads) const {
    const BoxLoads& own = group.loads[own_order(turn, axes_)];
    for_each_turned_link(extents, turn, offset, strides_,
                         [&](std::uint32_t to, std::uint32_t from) { loads[to] = own[from]; });
  }

  const Join& join_;
  const Group& a_;
  const Group& b_;
  const AxisOrder& axes_;
  Cell extents_;
  Strides strides_;
  BoxLoads a_loads_;
  std::optional<std::size_t> a_turn_;  // of a_loads_
  std::vector<BoxLoads> b_loads_;      // by turn, empty until needed
  const BoxLoads* b_turned_ = nullptr;
};

std::optional<LeastLink::Cost> LeastLink::cost_of(TurnedBoxes& boxes, const Merge& merge, Turns turns, double most) {
  const Join& join = boxes.join();
  const Orientation& a_turn = join.a_turns[turns.a];
  const Orientation& b_turn = join.b_turns[turns.b];
  const Cell closed = rings(join);
  boxes.turn(turns);
  bool too_much = false;
  const auto send = [&](const Cell& from, const Cell& to, std::uint64_t bytes) {
    if (bytes == 0) return;
    for_each_box_link(from, to, axes_, boxes.strides(), closed, [&](std::uint32_t link) {
      double& load = crossing_[link];
      if (load == 0) touched_.push_back(link);
      load += static_cast<double>(bytes);
      too_much = too_much || boxes.inside(link) + load > most;
    });
  };
  for (std::size_t i = 0; i < merge.crossing.size() && !too_much; ++i) {
    const TaskPair& pair = merge.crossing[i];
    const Cell u = a_turn.apply(merge.cells[pair.a], join.a_extents);
    Cell v = b_turn.apply(merge.cells[pair.b], join.b_extents);
    v[join.axis] += join.a_extents[join.axis];
    send(u, v, pair.a_to_b);
    send(v, u, pair.b_to_a);
  }
  const Cost a = boxes.cost_of_a(turns.a);
  const Cost b = boxes.cost_of_b(turns.b);
  Cost cost{std::max(a.busiest, b.busiest), a.powers + b.powers};
  for (const std::uint32_t link : touched_) {
    const double inside = boxes.inside(link);
    const double load = inside + crossing_[link];
    cost.busiest = std::max(cost.busiest, load);
    cost.powers += power(load) - power(inside);
    crossing_[link] = 0;
  }
  touched_.clear();
  if (too_much) return std::nullopt;
  return cost;
}

Turns LeastLink::choose(const Join& join, const Merge& merge) {
  TurnedBoxes boxes(join, group(merge.a, join.a_extents), group(merge.b, join.b_extents), axes_);
  crossing_.assign(boxes.links(), 0);
  Turns best;
  Cost least{std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  for (std::size_t a = 0; a < join.a_turns.size(); ++a) {
    for (std::size_t b = 0; b < join.b_turns.size(); ++b) {
      base::pause();
      if (std::max(boxes.cost_of_a(a).busiest, boxes.cost_of_b(b).busiest) > least.busiest) continue;
      const std::optional<Cost> cost = cost_of(boxes, merge, {a, b}, least.busiest);
      if (!cost || (cost->busiest >= least.busiest && cost->powers >= least.powers)) continue;
      least = *cost;
      best = {a, b};
    }
  }
  return best;
}

void LeastLink::joined(const Join& join, const Merge& merge, Turns turns) {
  const Group group_a = std::move(group(merge.a, join.a_extents));
  const Group group_b = std::move(group(merge.b, join.b_extents));
  groups_.erase(merge.b);
  const Cell extents = join.extents();
  const Strides strides = strides_of(extents);
  const Cell closed = rings(join);
  const std::uint32_t b_offset = join.a_extents[join.axis] * strides[join.axis];
  const Orientation& a_turn = join.a_turns[turns.a];
  const Orientation& b_turn = join.b_turns[turns.b];
  Group whole;
  for (std::size_t order = 0; order < kOrders.size(); ++order) {
    base::pause();
    BoxLoads& loads = whole.loads[order];
    loads.resize(std::size_t{volume(extents)} * kLinksPerCell);
    const BoxLoads& a_loads = group_a.loads[own_order(a_turn, kOrders[order])];
    const BoxLoads& b_loads = group_b.loads[own_order(b_turn, kOrders[order])];
    for_each_turned_link(join.a_extents, a_turn, 0, strides,
                         [&](std::uint32_t to, std::uint32_t from) { loads[to] = a_loads[from]; });
    for_each_turned_link(join.b_extents, b_turn, b_offset, strides,
                         [&](std::uint32_t to, std::uint32_t from) { loads[to] = b_loads[from]; });
    for (const TaskPair& pair : merge.crossing) {
      const Cell u = a_turn.apply(merge.cells[pair.a], join.a_extents);
      Cell v = b_turn.apply(merge.cells[pair.b], join.b_extents);
      v[join.axis] += join.a_extents[join.axis];
      for_each_box_link(u, v, kOrders[order], strides, closed,
                        [&](std::uint32_t link) { loads[link] += static_cast<double>(pair.a_to_b); });
      for_each_box_link(v, u, kOrders[order], strides, closed,
                        [&](std::uint32_t link) { loads[link] += static_cast<double>(pair.b_to_a); });
    }
    for (const double load : loads) {
      whole.busiest[order] = std::max(whole.busiest[order], load);
      whole.powers[order] += power(load);
    }
  }
  groups_[merge.a] = std::move(whole);
}

}  // namespace gdr::interconnect
