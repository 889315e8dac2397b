#include "placement.h"

#include "rounds.h"

namespace gdr::interconnect {

Placement::Placement(const TaskGraph& graph, const Grid& grid, const TaskMapping& mapping)
    : tasks_(static_cast<std::ptrdiff_t>(graph.tasks())), node_(grid.nodes()), task_(grid.nodes()) {
  std::vector<bool> taken(grid.nodes());
  for (TaskId task = 0; task < graph.tasks(); ++task) {
    put(task, mapping[task]);
    taken[mapping[task]] = true;
  }
  std::uint32_t idle = graph.tasks();
  for (std::uint32_t node = 0; node < grid.nodes(); ++node) {
    if (!taken[node]) put(idle++, node);
  }
}

ExchangeDraw::ExchangeDraw(const Grid& grid, const Neighbours& neighbours, std::uint32_t tasks)
    : grid_(grid), neighbours_(neighbours), tasks_(tasks) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (grid.extents()[axis] > 1) axes_.push_back(axis);
  }
  double sum = 0;
  const auto add = [&](const Cell& extents) {
    // Time to move a box is proportional to its nodes. These chances give every size the same share of the time.
    sum += 1.0 / (extents[0] * extents[1] * extents[2]);
    boxes_.push_back({extents, orientations_of(extents), sum});
  };
  Cell box{1, 1, 1};
  add(box);
  for (const Round& round : rounds_for(grid)) {
    box[round.axis] *= round.factor;
    add(box);
  }
}

void ExchangeDraw::draw_pair(const Placement& placement, Dice& dice, Exchange& exchange) const {
  exchange.clear();
  const std::uint32_t task = dice.below(tasks_);
  const std::span<const Neighbour> others = neighbours_.of(task);
  if (others.empty() || axes_.empty()) return;
  const Neighbour& other = others[dice.below(static_cast<std::uint32_t>(others.size()))];
  // Three times out of four, move beside the other task: far moves shorten, near ones tidy up.
  GridPosition at = grid_.position(placement.node_of(dice.below(4) == 0 ? task : other.task));
  const unsigned axis = axes_[dice.below(static_cast<std::uint32_t>(axes_.size()))];
  const std::uint32_t extent = grid_.extents()[axis];
  if (dice.below(2) == 0) {
    if (!grid_.torus() && at[axis] + 1 == extent) return;
    at[axis] = (at[axis] + 1) % extent;
  } else {
    if (!grid_.torus() && at[axis] == 0) return;
    at[axis] = (at[axis] + extent - 1) % extent;
  }
  const std::uint32_t node = grid_.node(at);
  const std::uint32_t there = placement.task_on(node);
  if (there == task) return;
  exchange.add(task, node);
  exchange.add(there, placement.node_of(task));
}

void ExchangeDraw::draw_any(const Placement& placement, Dice& dice, Exchange& exchange) const {
  exchange.clear();
  const std::uint32_t task = dice.below(tasks_);
  const std::uint32_t node = dice.below(grid_.nodes());
  const std::uint32_t there = placement.task_on(node);
  if (there == task) return;
  exchange.add(task, node);
  exchange.add(there, placement.node_of(task));
}

void ExchangeDraw::draw_box(const Placement& placement, Dice& dice, Exchange& exchange) const {
  exchange.clear();
  const double chance = dice.uniform() * boxes_.back().up_to;
  std::size_t size = 0;
  while (size + 1 < boxes_.size() && boxes_[size].up_to <= chance) ++size;
  const auto& [extents, turns, up_to] = boxes_[size];
  const auto draw_corner = [&] {
    GridPosition corner{};
    for (unsigned axis = 0; axis < 3; ++axis) {
      corner[axis] = dice.below(grid_.extents()[axis] / extents[axis]) * extents[axis];
    }
    return corner;
  };
  const GridPosition from = draw_corner();
  GridPosition to = from;
  if (turns.size() == 1 || dice.below(2) == 0) {
    to = draw_corner();
    if (dice.below(2) == 0) {  // a box beside it
      to = from;
      const unsigned axis = dice.below(3);
      to[axis] = (from[axis] + extents[axis]) % grid_.extents()[axis];
    }
    if (to == from) return;
  }
  const bool turned = to == from || dice.below(2) == 0;
  const Orientation& turn = turns[turned ? dice.below(static_cast<std::uint32_t>(turns.size())) : 0];
  for (std::uint32_t z = 0; z < extents[2]; ++z) {
    for (std::uint32_t y = 0; y < extents[1]; ++y) {
      for (std::uint32_t x = 0; x < extents[0]; ++x) {
        const std::uint32_t here = grid_.node({from[0] + x, from[1] + y, from[2] + z});
        const Cell cell = turn.apply({x, y, z}, extents);
        const std::uint32_t there = grid_.node({to[0] + cell[0], to[1] + cell[1], to[2] + cell[2]});
        exchange.add(placement.task_on(here), there);
        if (to != from) exchange.add(placement.task_on(there), here);
      }
    }
  }
}

}  // namespace gdr::interconnect
