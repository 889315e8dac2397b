// Schedules: what runs over a network. Each rank has a list of steps with messages and arithmetic. All executors of
// this component take the same schedules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gdr::interconnect {

/// A process; rank r runs on node r.
using Rank = std::uint32_t;

struct Message {
  Rank peer = 0;            // rank that the message goes to or comes from
  std::uint64_t bytes = 0;  // payload
  std::uint64_t piece = 0;  // matches a send with its receive, and names the data if real data move
};

/// A rank posts all messages of a step at once, waits for all of them, computes, and goes on to its next step. A
/// message travels once both sides have posted it. Messages with the same piece between the same two ranks keep their
/// order.
struct Step {
  std::vector<Message> sends;
  std::vector<Message> receives;
  double flops = 0;
};

struct Schedule {
  std::string name;
  std::vector<std::vector<Step>> ranks;  // shape: [ranks][steps of the rank]
};

/// Adds a message of `bytes` from `from` to `to` to step `step` of both ranks; missing steps are created.
void add_message(Schedule& schedule, std::size_t step, Rank from, Rank to, std::uint64_t bytes, std::uint64_t piece);

/// Throws gdr::Error naming rank and step if a peer does not exist or is the rank itself, a number of flops is
/// negative, or a send has no receive of the same piece and size, or the other way round. Executors find deadlocks.
void check(const Schedule& schedule);

/// Messages, payload and arithmetic of the whole schedule.
struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  double flops = 0;
};
[[nodiscard]] Traffic traffic(const Schedule& schedule);

}  // namespace gdr::interconnect
