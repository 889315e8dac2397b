// A mapping during a search: tables from tasks to nodes and back, and exchanges of single tasks or of whole boxes.
#pragma once

#include <span>
#include <vector>

#include "gdr/interconnect/task_mapping.h"
#include "merging.h"
#include "tasks/neighbours.h"

namespace gdr::interconnect {

/// Random numbers that are the same on every system: xorshift64* (Vigna 2016).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}
  [[nodiscard]] std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((next() >> 32) * n >> 32); }
  /// In [0, 1).
  [[nodiscard]] double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545F4914F6CDD1DU;
  }
  std::uint64_t state_;
};

/// One task on each node; if there are fewer tasks than nodes, the rest are idle tasks.
class Placement {
 public:
  Placement(const TaskGraph& graph, const Grid& grid, const TaskMapping& mapping);

  [[nodiscard]] std::uint32_t node_of(std::uint32_t task) const { return node_[task]; }
  [[nodiscard]] std::uint32_t task_on(std::uint32_t node) const { return task_[node]; }
  void put(std::uint32_t task, std::uint32_t node) {
    node_[task] = node;
    task_[node] = task;
  }
  [[nodiscard]] TaskMapping mapping() const { return {node_.begin(), node_.begin() + tasks_}; }

 private:
  std::ptrdiff_t tasks_;
  std::vector<std::uint32_t> node_;  // by task, idle ones last
  std::vector<std::uint32_t> task_;  // by node
};

/// Tasks that are to move, and their new nodes. These are a permutation of the nodes that the tasks are on.
struct Exchange {
  std::vector<std::uint32_t> tasks;
  std::vector<std::uint32_t> nodes;

  void clear() {
    tasks.clear();
    nodes.clear();
  }
  void add(std::uint32_t task, std::uint32_t node) {
    tasks.push_back(task);
    nodes.push_back(node);
  }
};

/// Draws exchanges at random.
class ExchangeDraw {
 public:
  ExchangeDraw(const Grid& grid, const Neighbours& neighbours, std::uint32_t tasks);

  /// A task changes places with the task beside one that it communicates with, or beside itself. `exchange` stays empty
  /// if that changes nothing.
  void draw_pair(const Placement& placement, Dice& dice, Exchange& exchange) const;
  /// Any two nodes exchange their tasks, one of which is not idle.
  void draw_any(const Placement& placement, Dice& dice, Exchange& exchange) const;
  /// A box of the grid's own subdivision is turned, or changes places with another, turned or not.
  void draw_box(const Placement& placement, Dice& dice, Exchange& exchange) const;

 private:
  struct Box {
    Cell extents{};
    std::vector<Orientation> turns;
    double up_to = 0;  // sum of the chances of this and all smaller boxes
  };

  const Grid& grid_;
  const Neighbours& neighbours_;
  std::uint32_t tasks_;
  std::vector<unsigned> axes_;  // with more than one node
  std::vector<Box> boxes_;      // from one node to the whole grid
};

}  // namespace gdr::interconnect
