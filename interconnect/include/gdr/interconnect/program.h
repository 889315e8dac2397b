// Programs: operations of ranks, each of which begins after others of the same rank. A trace in program order becomes
// one, and a GOAL schedule is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/interconnect/schedule.h"

namespace gdr::interconnect {

/// Number of an operation among those of its rank.
using OperationId = std::uint32_t;

/// An operation that another one waits for: until it has ended, or only until it has begun.
struct Before {
  OperationId operation = 0;
  bool begun = false;
};

/// What an operation does.
enum class OperationKind : std::uint8_t {
  join,     // ends when all that it waits for has ended
  compute,  // `amount` flops
  sleep,    // `amount` seconds
  send,     // `amount` bytes to `peer`
  receive,  // at most `amount` bytes from `peer`; 0: any number
};

/// The operations of one rank.
class RankProgram {
 public:
  struct Operation {
    OperationKind kind = OperationKind::join;
    std::uint16_t cpu = 0;   // of the rank, which does one piece of work at a time
    std::uint32_t line = 0;  // of the file; 0: none
    Rank peer = 0;
    std::int64_t tag = 0;
    double amount = 0;
  };

  /// For messages.
  std::string file;

  /// Adds an operation; those in `before` may be added later. Throws gdr::Error for more than 2^32 - 1 operations.
  OperationId add(const Operation& operation, std::span<const Before> before);

  [[nodiscard]] std::size_t size() const { return operations_.size(); }
  [[nodiscard]] const Operation& operation(OperationId id) const { return operations_[id]; }
  [[nodiscard]] std::span<const Before> before(OperationId id) const {
    return std::span(before_).subspan(begin_[id], begin_[id + 1] - begin_[id]);
  }

 private:
  std::vector<Operation> operations_;
  std::vector<std::size_t> begin_{0};
  std::vector<Before> before_;
};

struct Program {
  std::string name;
  std::vector<RankProgram> ranks;
};

/// Reads a schedule in the language GOAL, as LogGOPSim reads it: `num_ranks N`, and for each rank `rank R { ... }` with
/// `LABEL: send BYTESb to RANK tag TAG`, `recv BYTESb from RANK tag TAG`, `calc NANOSECONDS`, `A requires B` and `A
/// irequires B`. Labels and tags may be left out. `cpu N` on an operation of any kind and `nic N` may follow; a rank's
/// cpus compute at the same time. Comments are those of C++, or begin with #. Throws gdr::Error `NAME:LINE: ...` for
/// anything else, messages of any rank, of any tag or over another nic than 0, unknown labels and ranks, and more than
/// `most_ranks` ranks.
[[nodiscard]] Program parse_goal(std::string_view text, std::string_view name, Rank most_ranks);

/// True if the text begins as a GOAL schedule does.
[[nodiscard]] bool is_goal(std::string_view text);

}  // namespace gdr::interconnect
