// Communication of two NAS Parallel Benchmarks, derived from their algorithms, with the process grids and message sizes
// of the MPI versions.
#include <fmt/format.h>

#include <cmath>

#include "gdr/base/error.h"
#include "gdr/base/stopping.h"
#include "npb.h"

namespace gdr::interconnect {

// Parameter na of NPB 3, config/cg.
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

// Parameter problem_size of NPB 3, config/sp.
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

CgGrid cg_grid(TaskId tasks, char benchmark_class) {
  if (!std::has_single_bit(tasks) || tasks < 2 || tasks > 65536) {
    throw Error(fmt::format("tasks: {} is refused: CG runs on a power of two from 2 to 65536 processes", tasks));
  }
  return {tasks, cg_rows(benchmark_class)};
}

SpPartition sp_partition(TaskId tasks, char benchmark_class) {
  const TaskId points = sp_points(benchmark_class);
  const auto cells = static_cast<TaskId>(std::lround(std::sqrt(static_cast<double>(tasks))));
  if (cells * cells != tasks || cells < 2 || cells > points) {
    throw Error(fmt::format("tasks: {} is refused: SP of class {} runs on a square of processes, 2^2 to {}^2", tasks,
                            benchmark_class, points));
  }
  return {cells, points};
}

TaskGraph cg_graph(TaskId tasks, char benchmark_class) {
  const CgGrid grid = cg_grid(tasks, benchmark_class);
  std::vector<Transfer> transfers;
  const auto send = [&](TaskId from, TaskId to, std::uint64_t doubles, std::uint64_t times) {
    if (from != to) transfers.push_back({from, to, doubles * kNpbDouble * times});
  };
  for (TaskId task = 0; task < tasks; ++task) {
    // Partners along the row, at half the distance each time. The program does the last exchange of this loop first.
    for (TaskId span = grid.columns; span > 1; span /= 2) {
      const TaskId partner = grid.partner(task, span);
      send(task, partner, grid.exchanged(task, span), kCgProducts);
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
  const SpPartition partition = sp_partition(tasks, benchmark_class);
  const TaskId cells = partition.cells;
  std::vector<Transfer> transfers;
  for (TaskId task = 0; task < tasks; ++task) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      const TaskId next = partition.successor(task, axis);
      // A task has up to a thousand cells, whose faces all go to the same two tasks.
      std::uint64_t forward = 0;
      std::uint64_t backward = 0;
      base::pause();
      for (TaskId cell = 0; cell < cells; ++cell) {
        const std::array<TaskId, 3> at = partition.cell_of(task, cell);
        if (at[axis] == cells - 1) continue;  // nothing beyond the domain
        // The next cell has the same extents across the axis, so as many points are sent back.
        const std::uint64_t face = partition.face(at, axis);
        const std::uint64_t inside = partition.face_inside(at, axis);
        const std::uint64_t faces = kSpFaceLayers * kSpVariables * face;
        forward += (faces + kSpForwardDoubles * inside) * kNpbDouble;
        backward += (faces + kSpBackwardDoubles * inside) * kNpbDouble;
      }
      transfers.push_back({task, next, forward});
      transfers.push_back({next, task, backward});
    }
  }
  return {tasks, std::move(transfers)};
}

}  // namespace gdr::interconnect
