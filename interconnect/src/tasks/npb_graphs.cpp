// Communication of two NAS Parallel Benchmarks, derived from their algorithms, with the process grids and message sizes
// of the MPI versions (Bailey et al. 1991, and the published Fortran sources of NPB 2 and 3, programs CG and SP).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "gdr/base/error.h"
#include "gdr/interconnect/task_graph.h"

namespace gdr::interconnect {

namespace {

constexpr std::uint64_t kDouble = 8;  // bytes

// ---------------------------------------------------------------- CG

/// Order of the matrix by class: parameter na of NPB 3, config/cg.
std::uint64_t cg_rows(char benchmark_class) {
  switch (benchmark_class) {
    case 'S':
      return 1400;
    case 'W':
      return 7000;
    case 'A':
      return 14000;
    case 'B':
      return 75000;
    case 'C':
      return 150000;
    case 'D':
      return 1500000;
    case 'E':
      return 9000000;
    default:
      throw Error(fmt::format("class: {} is refused: CG has S, W, A, B, C, D and E", benchmark_class));
  }
}

constexpr std::uint64_t kCgInnerIterations = 25;               // conjugate gradient steps of one outer iteration
constexpr std::uint64_t kCgProducts = kCgInnerIterations + 1;  // one more for the residual
// Sums of one double each: r.r before the first step, p.q and r.r in each step, and the norm of the residual.
constexpr std::uint64_t kCgScalarSums = 1 + 2 * kCgInnerIterations + 1;
constexpr std::uint64_t kCgNormPair = 2;  // number of doubles in the sum of the outer iteration's two norms

/// The process grid: as many columns as rows, or twice as many.
struct CgGrid {
  TaskId rows;
  TaskId columns;
  std::uint64_t order;  // of the matrix

  CgGrid(TaskId tasks, std::uint64_t matrix_order)
      : rows(TaskId{1} << (std::bit_width(tasks) - 1) / 2), columns(tasks / rows), order(matrix_order) {}

  [[nodiscard]] bool square() const { return rows == columns; }
  /// Rows of the matrix in this row of processes. If they do not divide evenly, the first rows of processes get one
  /// more each.
  [[nodiscard]] std::uint64_t matrix_rows(TaskId task) const {
    return order / rows + (task / columns < order % rows ? 1 : 0);
  }
  /// Number of elements of a row's result that a process keeps: all, or half of them where two columns share a row's
  /// result.
  [[nodiscard]] std::uint64_t kept(TaskId task) const {
    const std::uint64_t mine = matrix_rows(task);
    if (square()) return mine;
    return task % 2 == 0 ? (mine + 1) / 2 : mine / 2;
  }
  /// The process at the transposed place.
  [[nodiscard]] TaskId transposed(TaskId task) const {
    if (square()) return task % rows * rows + task / rows;
    const TaskId pair = task / 2;
    return 2 * (pair % rows * rows + pair / rows) + task % 2;
  }
};

// ---------------------------------------------------------------- SP

/// Points along each axis by class: parameter problem_size of NPB 3, config/sp.
TaskId sp_points(char benchmark_class) {
  switch (benchmark_class) {
    case 'S':
      return 12;
    case 'W':
      return 36;
    case 'A':
      return 64;
    case 'B':
      return 102;
    case 'C':
      return 162;
    case 'D':
      return 408;
    case 'E':
      return 1020;
    default:
      throw Error(fmt::format("class: {} is refused: SP has S, W, A, B, C, D and E", benchmark_class));
  }
}

constexpr std::uint64_t kSpVariables = 5;
constexpr std::uint64_t kSpFaceLayers = 2;
constexpr std::uint64_t kSpForwardDoubles = 22;   // per interior point of a face: two rows of a pentadiagonal system
constexpr std::uint64_t kSpBackwardDoubles = 10;  // two rows of solutions

/// Multipartition: each process owns `cells` cells, one in each slab along every axis.
struct SpPartition {
  TaskId cells;
  TaskId points;  // of the domain along each axis

  /// Coordinates of cell `cell` of a process, 0 ... cells - 1 along each axis.
  [[nodiscard]] std::array<TaskId, 3> cell_of(TaskId task, TaskId cell) const {
    return {(task % cells + cell) % cells, (task / cells + cells - cell % cells) % cells, cell};
  }
  [[nodiscard]] std::uint64_t extent(TaskId at) const { return points / cells + (at < points % cells ? 1 : 0); }
  /// Extent without the points of the domain's boundary.
  [[nodiscard]] std::uint64_t interior(TaskId at) const {
    return extent(at) - (at == 0 ? 1 : 0) - (at == cells - 1 ? 1 : 0);
  }
  /// The process that owns the next cell along `axis`.
  [[nodiscard]] TaskId successor(TaskId task, unsigned axis) const {
    const TaskId i = task % cells;
    const TaskId j = task / cells;
    const TaskId next_i = (i + 1) % cells;
    const TaskId next_j = (j + 1) % cells;
    if (axis == 0) return next_i + cells * j;
    if (axis == 1) return i + cells * next_j;
    return (i + cells - 1) % cells + cells * next_j;
  }
};

}  // namespace

TaskGraph cg_graph(TaskId tasks, char benchmark_class) {
  if (!std::has_single_bit(tasks) || tasks < 2 || tasks > 65536) {
    throw Error(fmt::format("tasks: {} is refused: CG runs on a power of two from 2 to 65536 processes", tasks));
  }
  const CgGrid grid(tasks, cg_rows(benchmark_class));
  std::vector<Transfer> transfers;
  const auto send = [&](TaskId from, TaskId to, std::uint64_t doubles, std::uint64_t times) {
    if (from != to) transfers.push_back({from, to, doubles * kDouble * times});
  };
  for (TaskId task = 0; task < tasks; ++task) {
    const TaskId row = task / grid.columns * grid.columns;
    // Partners along the row, at half the distance each time. The program does the last exchange of this loop first.
    for (TaskId span = grid.columns; span > 1; span /= 2) {
      const TaskId column = task - row;
      const TaskId partner = row + (column + span / 2) % span + column / span * span;
      const bool halves = !grid.square() && span == 2;
      const std::uint64_t sum = halves ? grid.matrix_rows(task) - grid.kept(task) : grid.kept(task);
      send(task, partner, sum, kCgProducts);
      send(task, partner, 1, kCgScalarSums);
      send(task, partner, kCgNormPair, 1);
    }
    send(task, grid.transposed(task), grid.kept(task), kCgProducts);
  }
  return {tasks, std::move(transfers)};
}

TaskId most_sp_tasks(std::uint32_t nodes, char benchmark_class) {
  if (nodes < 4) throw Error(fmt::format("nodes: {} are refused: SP runs on at least 4 processes", nodes));
  TaskId side = sp_points(benchmark_class);
  while (side * side > nodes) --side;
  return side * side;
}

TaskGraph sp_graph(TaskId tasks, char benchmark_class) {
  const TaskId points = sp_points(benchmark_class);
  const auto cells = static_cast<TaskId>(std::lround(std::sqrt(static_cast<double>(tasks))));
  if (cells * cells != tasks || cells < 2 || cells > points) {
    throw Error(fmt::format("tasks: {} is refused: SP of class {} runs on a square of processes, 2^2 to {}^2", tasks,
                            benchmark_class, points));
  }
  const SpPartition partition{cells, points};
  std::vector<Transfer> transfers;
  for (TaskId task = 0; task < tasks; ++task) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      const unsigned second = axis == 0 ? 1 : 0;
      const unsigned third = axis == 2 ? 1 : 2;
      const TaskId next = partition.successor(task, axis);
      for (TaskId cell = 0; cell < cells; ++cell) {
        const std::array<TaskId, 3> at = partition.cell_of(task, cell);
        if (at[axis] == cells - 1) continue;  // nothing beyond the domain
        // The next cell has the same extents across the axis, so as many points are sent back.
        const std::uint64_t face = partition.extent(at[second]) * partition.extent(at[third]);
        const std::uint64_t inside = partition.interior(at[second]) * partition.interior(at[third]);
        const std::uint64_t faces = kSpFaceLayers * kSpVariables * face;
        transfers.push_back({task, next, (faces + kSpForwardDoubles * inside) * kDouble});
        transfers.push_back({next, task, (faces + kSpBackwardDoubles * inside) * kDouble});
      }
    }
  }
  return {tasks, std::move(transfers)};
}

}  // namespace gdr::interconnect
