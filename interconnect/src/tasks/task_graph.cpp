#include "gdr/interconnect/task_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/error.h"

namespace gdr::interconnect {

namespace {

// With this limit, loads of links are exact in double, and sums of bytes x hops are far below the limit of 64 bits.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 53;

// Indices of transfers have 32 bits, which must leave room for gaps between some transfers.
constexpr std::size_t kMostTransfers = std::size_t{1} << 31;

}  // namespace

TaskGraph::TaskGraph(TaskId tasks, std::vector<Transfer> transfers) : tasks_(tasks) {
  if (tasks == 0) throw Error("tasks: 0 is refused: a task graph has at least one task");
  if (transfers.size() > kMostTransfers) {
    throw Error(fmt::format("transfers: {} are refused: a task graph has at most 2^31", transfers.size()));
  }
  std::ranges::sort(transfers, {}, [](const Transfer& t) { return std::pair(t.from, t.to); });
  for (const Transfer& transfer : transfers) {
    const auto [from, to, bytes] = transfer;
    if (from >= tasks || to >= tasks) {
      throw Error(fmt::format("transfer from {} to {}: there are tasks 0 to {} only", from, to, tasks - 1));
    }
    if (from == to) throw Error(fmt::format("transfer from {} to itself is refused: it passes no link", from));
    if (bytes > kMostBytes - total_bytes_) {
      throw Error(fmt::format("transfers from 0 up to {} to {} sum to more than 2^53 bytes", from, to));
    }
    total_bytes_ += bytes;
    if (bytes == 0) continue;
    if (!transfers_.empty() && transfers_.back().from == from && transfers_.back().to == to) {
      transfers_.back().bytes += bytes;
    } else {
      transfers_.push_back(transfer);
    }
  }
}

TaskGraph bruck_graph(TaskId tasks, std::uint64_t block_bytes) {
  if (tasks == 0) throw Error("tasks: 0 is refused: bruck needs at least one");
  if (block_bytes == 0 || block_bytes > kMostBytes / tasks / tasks) {
    throw Error(fmt::format("bytes of a block: {} is refused: it must be from 1 to {} for {} tasks", block_bytes,
                            kMostBytes / tasks / tasks, tasks));
  }
  std::vector<Transfer> transfers;
  for (TaskId distance = 1; distance < tasks; distance *= 2) {
    const std::uint64_t blocks = std::min(distance, tasks - distance);
    for (TaskId task = 0; task < tasks; ++task) {
      transfers.push_back({task, (task + distance) % tasks, blocks * block_bytes});
    }
  }
  return {tasks, std::move(transfers)};
}

}  // namespace gdr::interconnect
