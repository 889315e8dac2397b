// Traces of bruck and of two NAS Parallel Benchmarks in the order of their programs.
#include "gdr/interconnect/program_traces.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/error.h"
#include "npb.h"

namespace gdr::interconnect {
namespace {

constexpr std::uint64_t bytes_of(std::uint64_t doubles) { return doubles * kNpbDouble; }

/// The actions of one rank, as calls of MPI.
class Calls {
 public:
  explicit Calls(RankActions& into) : into_(into.actions) {}

  void send(Rank peer, std::uint64_t bytes, std::int32_t tag) { add(ActionKind::send, peer, bytes, tag); }
  void isend(Rank peer, std::uint64_t bytes, std::int32_t tag) { add(ActionKind::isend, peer, bytes, tag); }
  void ireceive(Rank peer, std::uint64_t bytes, std::int32_t tag) { add(ActionKind::ireceive, peer, bytes, tag); }
  void wait_send(Rank peer, std::int32_t tag) { add(ActionKind::wait_send, peer, 0, tag); }
  void wait_receive(Rank peer, std::int32_t tag) { add(ActionKind::wait_receive, peer, 0, tag); }
  void wait_all() { add(ActionKind::wait_all, 0, 0, 0); }

 private:
  void add(ActionKind kind, Rank peer, std::uint64_t bytes, std::int32_t tag) {
    into_.push_back({.kind = kind, .peer = peer, .tag = tag, .amount = static_cast<double>(bytes)});
  }

  std::vector<Action>& into_;
};

Trace empty_trace(std::string name, TaskId tasks) {
  Trace trace{std::move(name), std::vector<RankActions>(tasks)};
  for (RankActions& rank : trace.ranks) rank.file = trace.name;
  return trace;
}

// ---------------------------------------------------------------- CG

void trade(Calls& calls, Rank with, std::uint64_t sent, std::uint64_t received) {
  constexpr std::int32_t kTag = 1;
  calls.ireceive(with, bytes_of(received), kTag);
  calls.send(with, bytes_of(sent), kTag);
  calls.wait_receive(with, kTag);
}

/// A sum of `doubles` numbers over the row.
void sum_scalars(Calls& calls, const CgGrid& grid, TaskId task, std::uint64_t doubles) {
  for (TaskId span = grid.columns; span > 1; span /= 2) trade(calls, grid.partner(task, span), doubles, doubles);
}

/// A product with the matrix: the sum of the result along the row, smallest distance first, and the exchange with the
/// transposed process.
void multiply(Calls& calls, const CgGrid& grid, TaskId task) {
  for (TaskId span = 2; span <= grid.columns; span *= 2) {
    const TaskId partner = grid.partner(task, span);
    trade(calls, partner, grid.exchanged(task, span), grid.exchanged(partner, span));
  }
  const TaskId transposed = grid.transposed(task);
  if (transposed != task) trade(calls, transposed, grid.kept(task), grid.kept(transposed));
}

// ---------------------------------------------------------------- SP

/// Bytes of the faces of all cells that have a neighbour on the side of smaller (or larger) coordinates.
std::uint64_t face_bytes(const SpPartition& partition, TaskId task, unsigned axis, bool larger) {
  std::uint64_t doubles = 0;
  for (TaskId cell = 0; cell < partition.cells; ++cell) {
    const auto at = partition.cell_of(task, cell);
    if (at[axis] != (larger ? partition.cells - 1 : 0))
      doubles += kSpFaceLayers * kSpVariables * partition.face(at, axis);
  }
  return bytes_of(doubles);
}

/// Tag of the faces that go along `axis` to larger or smaller coordinates.
std::int32_t face_tag(unsigned axis, bool larger) { return static_cast<std::int32_t>(2 * axis + (larger ? 2 : 1)); }

void copy_faces(Calls& calls, const SpPartition& partition, TaskId task) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    const TaskId next = partition.successor(task, axis);
    const TaskId last = partition.predecessor(task, axis);
    calls.ireceive(next, face_bytes(partition, next, axis, false), face_tag(axis, false));
    calls.ireceive(last, face_bytes(partition, last, axis, true), face_tag(axis, true));
  }
  for (unsigned axis = 0; axis < 3; ++axis) {
    calls.isend(partition.successor(task, axis), face_bytes(partition, task, axis, true), face_tag(axis, true));
    calls.isend(partition.predecessor(task, axis), face_bytes(partition, task, axis, false), face_tag(axis, false));
  }
  calls.wait_all();
}

/// A sweep along `axis` through the cells, from the first to the last (forward) or back.
void sweep(Calls& calls, const SpPartition& partition, TaskId task, unsigned axis, bool forward) {
  constexpr std::int32_t kTag = 0;
  const TaskId to = forward ? partition.successor(task, axis) : partition.predecessor(task, axis);
  const TaskId from = forward ? partition.predecessor(task, axis) : partition.successor(task, axis);
  const std::uint64_t doubles = forward ? kSpForwardDoubles : kSpBackwardDoubles;
  std::vector<std::uint64_t> bytes(partition.cells);  // by the place of the cell along the axis
  for (TaskId cell = 0; cell < partition.cells; ++cell) {
    const auto at = partition.cell_of(task, cell);
    bytes[at[axis]] = bytes_of(doubles * partition.face_inside(at, axis));
  }
  if (!forward) std::ranges::reverse(bytes);
  for (TaskId stage = 0; stage < partition.cells; ++stage) {
    if (stage > 0) {
      calls.ireceive(from, bytes[stage], kTag);
      calls.wait_receive(from, kTag);
      calls.wait_send(to, kTag);
    }
    if (stage + 1 < partition.cells) calls.isend(to, bytes[stage], kTag);
  }
}

}  // namespace

Trace bruck_trace(TaskId tasks, std::uint64_t block_bytes) {
  static_cast<void>(bruck_graph(tasks, block_bytes));  // refuses what it must
  constexpr std::int32_t kTag = 0;
  Trace trace = empty_trace("bruck", tasks);
  for (TaskId task = 0; task < tasks; ++task) {
    Calls calls(trace.ranks[task]);
    for (TaskId distance = 1; distance < tasks; distance *= 2) {
      const std::uint64_t bytes = std::min(distance, tasks - distance) * block_bytes;
      const Rank from = (task + tasks - distance) % tasks;
      const Rank to = (task + distance) % tasks;
      calls.ireceive(from, bytes, kTag);
      calls.isend(to, bytes, kTag);
      calls.wait_receive(from, kTag);
      calls.wait_send(to, kTag);
    }
  }
  return trace;
}

Trace cg_trace(TaskId tasks, char benchmark_class) {
  const CgGrid grid = cg_grid(tasks, benchmark_class);
  Trace trace = empty_trace(fmt::format("cg.{}", benchmark_class), tasks);
  for (TaskId task = 0; task < tasks; ++task) {
    Calls calls(trace.ranks[task]);
    sum_scalars(calls, grid, task, 1);
    for (std::uint64_t step = 0; step < kCgInnerIterations; ++step) {
      multiply(calls, grid, task);
      sum_scalars(calls, grid, task, 1);
      sum_scalars(calls, grid, task, 1);
    }
    multiply(calls, grid, task);
    sum_scalars(calls, grid, task, 1);
    sum_scalars(calls, grid, task, kCgNormPair);
  }
  return trace;
}

Trace sp_trace(TaskId tasks, char benchmark_class) {
  const SpPartition partition = sp_partition(tasks, benchmark_class);
  Trace trace = empty_trace(fmt::format("sp.{}", benchmark_class), tasks);
  for (TaskId task = 0; task < tasks; ++task) {
    Calls calls(trace.ranks[task]);
    copy_faces(calls, partition, task);
    for (unsigned axis = 0; axis < 3; ++axis) {
      sweep(calls, partition, task, axis, true);
      sweep(calls, partition, task, axis, false);
    }
  }
  return trace;
}

}  // namespace gdr::interconnect
