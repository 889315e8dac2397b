#include "least_link.h"

#include <algorithm>
#include <limits>

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

Turns LeastLink::choose(const Join& join, const Merge& merge) {
  const Group& group_a = group(merge.a, join.a_extents);
  const Group& group_b = group(merge.b, join.b_extents);
  const Cell extents = join.extents();
  const Cell closed = rings(join);
  const Strides strides = strides_of(extents);
  const std::uint32_t b_offset = join.a_extents[join.axis] * strides[join.axis];
  const std::size_t links = std::size_t{volume(extents)} * kLinksPerCell;
  crossing_.assign(links, 0);
  BoxLoads a_inside(links);
  std::vector<BoxLoads> b_inside(join.b_turns.size());  // made when first needed
  std::vector<Cell> a_ends(merge.crossing.size());

  Turns best;
  double least = std::numeric_limits<double>::max();
  double least_powers = least;
  for (std::size_t a = 0; a < join.a_turns.size(); ++a) {
    const Orientation& a_turn = join.a_turns[a];
    const std::size_t a_order = own_order(a_turn, axes_);
    if (group_a.busiest[a_order] > least) continue;
    for_each_turned_link(join.a_extents, a_turn, 0, strides,
                         [&](std::uint32_t to, std::uint32_t from) { a_inside[to] = group_a.loads[a_order][from]; });
    for (std::size_t i = 0; i < a_ends.size(); ++i) {
      a_ends[i] = a_turn.apply(merge.cells[merge.crossing[i].a], join.a_extents);
    }
    for (std::size_t b = 0; b < join.b_turns.size(); ++b) {
      const Orientation& b_turn = join.b_turns[b];
      const std::size_t b_order = own_order(b_turn, axes_);
      if (group_b.busiest[b_order] > least) continue;
      if (b_inside[b].empty()) {
        b_inside[b].resize(links);
        for_each_turned_link(join.b_extents, b_turn, b_offset, strides, [&](std::uint32_t to, std::uint32_t from) {
          b_inside[b][to] = group_b.loads[b_order][from];
        });
      }
      // One of the two terms is 0, because a link leaves a cell either of group a or of group b.
      const auto inside = [&a_loads = a_inside, &b_loads = b_inside[b]](std::uint32_t link) {
        return a_loads[link] + b_loads[link];
      };

      bool worse = false;
      const auto add = [&](std::uint32_t link, std::uint64_t bytes) {
        double& load = crossing_[link];
        if (load == 0) touched_.push_back(link);
        load += static_cast<double>(bytes);
        worse = worse || inside(link) + load > least;
      };
      for (std::size_t i = 0; i < a_ends.size() && !worse; ++i) {
        const TaskPair& pair = merge.crossing[i];
        const Cell& u = a_ends[i];
        Cell v = b_turn.apply(merge.cells[pair.b], join.b_extents);
        v[join.axis] += join.a_extents[join.axis];
        if (pair.a_to_b > 0) {
          for_each_box_link(u, v, axes_, strides, closed, [&](std::uint32_t link) { add(link, pair.a_to_b); });
        }
        if (pair.b_to_a > 0) {
          for_each_box_link(v, u, axes_, strides, closed, [&](std::uint32_t link) { add(link, pair.b_to_a); });
        }
      }
      double busiest = std::max(group_a.busiest[a_order], group_b.busiest[b_order]);
      double powers = group_a.powers[a_order] + group_b.powers[b_order];
      for (const std::uint32_t link : touched_) {
        const double load = inside(link) + crossing_[link];
        busiest = std::max(busiest, load);
        powers += power(load) - power(inside(link));
        crossing_[link] = 0;
      }
      touched_.clear();
      if (!worse && (busiest < least || powers < least_powers)) {
        least = busiest;
        least_powers = powers;
        best = {a, b};
      }
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
