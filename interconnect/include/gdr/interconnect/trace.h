// Traces: what each rank of an MPI program does, in its order, with sizes and without times. They are read and written
// as SimGrid's time-independent traces, and GOAL schedules are read. replay.h says how long they take on a network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/interconnect/program.h"
#include "gdr/interconnect/schedule.h"

namespace gdr::interconnect {

/// What a rank does.
enum class ActionKind : std::uint8_t {
  compute,       // `amount` flops on its node
  sleep,         // `amount` seconds
  send,          // `amount` bytes to `peer`, with `tag`; goes on once they are sent
  isend,         // the same, and goes on at once
  receive,       // at most `amount` bytes from `peer`, with `tag`
  ireceive,      // the same, and goes on at once
  wait_send,     // for the oldest open isend to `peer` with `tag`; nothing if there is none
  wait_receive,  // for the oldest open ireceive from `peer` with `tag`
  wait_all,      // for all that is open
  test,          // whether a request is complete: takes no time and completes nothing
  exchange,      // isend and ireceive of the same call: `amount` bytes to `peer`, `received` bytes from `root`
  // Collectives of all ranks. `amount`: bytes that the rank contributes; `root`; `extra`.
  barrier,
  broadcast,       // `amount` bytes from `root`
  reduce,          // `amount` bytes of each rank to `root`
  all_reduce,      // `amount` bytes
  all_to_all,      // `amount` bytes to each rank, or `sizes`: bytes to each rank, then bytes from each
  gather,          // `amount` bytes to `root`
  scatter,         // `amount` bytes from `root` to each rank, or `sizes` at the root
  all_gather,      // `amount` bytes to all, or `sizes`: bytes of each rank
  reduce_scatter,  // `sizes`: bytes that each rank ends with
  scan,            // `amount` bytes to all higher ranks
  exclusive_scan,  // the same
};

struct Action {
  ActionKind kind = ActionKind::wait_all;
  std::uint32_t line = 0;  // of the file; 0: none
  Rank peer = 0;
  Rank root = 0;
  std::int32_t tag = 0;
  std::uint32_t sizes = 0;  // number of an entry of RankActions::sizes, from 1 on; 0: none
  double amount = 0;
  // Flops after a reduce, all_reduce, reduce_scatter or scan of either kind; bytes received by an exchange, or from
  // each rank by an all_to_all, gather, scatter or all_gather without `sizes`.
  double extra = 0;
};

/// The actions of one rank.
struct RankActions {
  std::string file;  // for messages
  std::vector<Action> actions;
  std::vector<std::vector<std::uint64_t>> sizes;  // bytes; shape: [calls][ranks, or 2 x ranks of an all_to_all]
};

struct Trace {
  std::string name;
  std::vector<RankActions> ranks;
};

/// Reads a time-independent trace of SimGrid 3.32: either one file in which each line begins with its rank, or an index
/// with the name of a file for each rank, in the order of ranks. A name that is not there is looked for beside the
/// index. Counts are in the data type that a line names, else in the type of `init`. `sendRecv` carries tag 0. Throws
/// gdr::Error `FILE:LINE: ...` for actions that are unknown or do not name their partner (MPI_ANY_SOURCE), for missing
/// or wrong numbers, ranks out of order, and more than `most_ranks` ranks.
[[nodiscard]] Trace read_trace(const std::filesystem::path& path, Rank most_ranks);

/// The files of a trace that write_trace() and the recorder of MPI programs write: a file for each rank,
/// `folder`/RANK.txt, and at last the index `folder`/trace.txt.
[[nodiscard]] std::vector<std::string> trace_files(const std::filesystem::path& folder, Rank ranks);

/// Writes the trace as trace_files(), all sizes in bytes. The folder is made if it is not there. Throws gdr::Error for
/// actions other than sends, receives, waits and work, and if a file cannot be written.
void write_trace(const Trace& trace, const std::filesystem::path& folder);

/// How collectives are made of messages.
enum class CollectiveMethod : std::uint8_t {
  doubling,  // distances double: dissemination, binomial trees, recursive doubling, Bruck's all-gather
  posted,    // every message goes from its source to its destination, all at once
};

/// The trace as operations that wait for each other. Throws gdr::Error for collectives whose root does not exist, and
/// if ranks differ in a collective's kind, root or sizes, or in the number of collectives.
[[nodiscard]] Program make_program(const Trace& trace, CollectiveMethod method = CollectiveMethod::doubling);

}  // namespace gdr::interconnect
