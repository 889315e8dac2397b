// Loop pipelining: a turn of the loop body ends what the turn before has begun. The body is cut into a first and a
// second stage, its operations in their order; the rotated body is the second stage of one turn, then the first stage
// of the next, so that the chains of both run beside each other. What the sections around it get:
//
//   loop initialization   ..., clears two flags and the words that go from the first stage to the second
//   loop body             second stage, where a turn was before; first stage
//   loop termination      second stage, where the last turn had a record; ...
#pragma once

#include <functional>
#include <vector>

#include "full_scheduler.h"

namespace gdr::assembler {

struct PipelineJob {
  const std::vector<CodeLine>& body;  // as written
  std::vector<Tail> tails;
  unsigned record_words = 0;
  Words entering;  // words in use at the body's ends
  Words leaving;
  const Surroundings& around;
  const ScheduleOptions& options;
  std::size_t limit = 0;        // lines of the body; fewer are wanted
  std::vector<unsigned> flags;  // that the kernel does not use
};

struct Pipelined {
  std::vector<CodeLine> prologue;  // behind loop initialization
  std::vector<CodeLine> body;
  std::vector<CodeLine> epilogue;  // before loop termination
  Words left;                      // as in FreeSection
};

/// Calls `accept` with the best ones, the shortest body first, until it takes one. Nothing is offered where the body
/// has no two stages, the machine no two flags, or none has fewer lines.
void pipeline(const PipelineJob& job, const std::function<bool(const Pipelined&)>& accept);

}  // namespace gdr::assembler
