// Software pipelining: an iteration of the loop body finishes work that the one before began. The body is cut into a
// first and a second stage; the operations keep their order. The rotated body is the second stage of one iteration,
// then the first stage of the next, so the chains of both can overlap. The sections become:
//
//   loop initialization   ..., clears two flags and the words that go from the first stage to the second
//   loop body             second stage, if there was an iteration before; first stage
//   loop termination      second stage, if the last iteration had a record; ...
#pragma once

#include <functional>
#include <vector>

#include "full_scheduler.h"

namespace gdr::assembler {

struct PipelineJob {
  const std::vector<CodeLine>& body;  // as written
  std::vector<Tail> tails;
  unsigned record_words = 0;
  Words entering;  // words that are live at the body's ends
  Words leaving;
  const Surroundings& around;
  const ScheduleOptions& options;
  std::size_t limit = 0;        // lines of the body so far; the result must have fewer
  std::vector<unsigned> flags;  // numbers of flags that the kernel does not use
};

struct Pipelined {
  std::vector<CodeLine> prologue;  // appended to loop initialization
  std::vector<CodeLine> body;
  std::vector<CodeLine> epilogue;  // put before loop termination
  Words left;                      // as in FreeSection
};

/// Calls `accept` with the best candidates, the shortest body first, until it returns true. There are no candidates if
/// the body has no two stages, if no two flags are unused, or if no candidate has fewer lines.
void pipeline(const PipelineJob& job, const std::function<bool(const Pipelined&)>& accept);

}  // namespace gdr::assembler
