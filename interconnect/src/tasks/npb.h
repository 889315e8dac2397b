// The process grids and message sizes of the NAS Parallel Benchmarks CG and SP, which their graphs and their traces
// share (Bailey et al. 1991, and the published Fortran sources of NPB 2 and 3, programs CG and SP).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "gdr/interconnect/task_graph.h"

namespace gdr::interconnect {

inline constexpr std::uint64_t kNpbDouble = 8;  // bytes

// ---------------------------------------------------------------- CG

/// Order of the matrix by class. Throws gdr::Error for another class.
[[nodiscard]] std::uint64_t cg_rows(char benchmark_class);

inline constexpr std::uint64_t kCgInnerIterations = 25;               // conjugate gradient steps of one outer iteration
inline constexpr std::uint64_t kCgProducts = kCgInnerIterations + 1;  // one more for the residual
// Sums of one double each: r.r before the first step, p.q and r.r in each step, and the norm of the residual.
inline constexpr std::uint64_t kCgScalarSums = 1 + 2 * kCgInnerIterations + 1;
inline constexpr std::uint64_t kCgNormPair = 2;  // number of doubles in the sum of the outer iteration's two norms

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
  /// The partner along the row in groups of `span` processes.
  [[nodiscard]] TaskId partner(TaskId task, TaskId span) const {
    const TaskId column = task % columns;
    return task - column + (column + span / 2) % span + column / span * span;
  }
  /// Number of elements of a row's result that go to that partner.
  [[nodiscard]] std::uint64_t exchanged(TaskId task, TaskId span) const {
    return !square() && span == 2 ? matrix_rows(task) - kept(task) : kept(task);
  }
  /// The process at the transposed place.
  [[nodiscard]] TaskId transposed(TaskId task) const {
    if (square()) return task % rows * rows + task / rows;
    const TaskId pair = task / 2;
    return 2 * (pair % rows * rows + pair / rows) + task % 2;
  }
};

// ---------------------------------------------------------------- SP

/// Points along each axis by class. Throws gdr::Error for another class.
[[nodiscard]] TaskId sp_points(char benchmark_class);

inline constexpr std::uint64_t kSpVariables = 5;
inline constexpr std::uint64_t kSpFaceLayers = 2;
inline constexpr std::uint64_t kSpForwardDoubles =
    22;  // per interior point of a face: two rows of a pentadiagonal system
inline constexpr std::uint64_t kSpBackwardDoubles = 10;  // two rows of solutions

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
  /// The process that owns the next cell along `axis`, and the one that owns the cell before.
  [[nodiscard]] TaskId successor(TaskId task, unsigned axis) const { return neighbour(task, axis, 1); }
  [[nodiscard]] TaskId predecessor(TaskId task, unsigned axis) const { return neighbour(task, axis, cells - 1); }

  /// Points of a cell across `axis`: of the face, and of its part inside the domain.
  [[nodiscard]] std::uint64_t face(const std::array<TaskId, 3>& at, unsigned axis) const {
    return extent(at[axis == 0 ? 1 : 0]) * extent(at[axis == 2 ? 1 : 2]);
  }
  [[nodiscard]] std::uint64_t face_inside(const std::array<TaskId, 3>& at, unsigned axis) const {
    return interior(at[axis == 0 ? 1 : 0]) * interior(at[axis == 2 ? 1 : 2]);
  }

 private:
  /// `step` cells on; a step back is one of cells - 1.
  [[nodiscard]] TaskId neighbour(TaskId task, unsigned axis, TaskId step) const {
    const TaskId i = task % cells;
    const TaskId j = task / cells;
    if (axis == 0) return (i + step) % cells + cells * j;
    if (axis == 1) return i + cells * ((j + step) % cells);
    return (i + cells - step) % cells + cells * ((j + step) % cells);
  }
};

/// The grid of CG on `tasks` processes. Throws gdr::Error as cg_graph() does.
[[nodiscard]] CgGrid cg_grid(TaskId tasks, char benchmark_class);
/// The cells of SP on `tasks` processes. Throws gdr::Error as sp_graph() does.
[[nodiscard]] SpPartition sp_partition(TaskId tasks, char benchmark_class);

}  // namespace gdr::interconnect
