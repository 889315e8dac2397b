// Software pipelining: an iteration of the loop body finishes work that the one before began.
//
// The body is cut into a first and a second stage; the operations keep their order. The rotated body is the second
// stage of one record (2) and then the first stage of the next (1), so that the chains of both can overlap:
//
//                  loop            loop body                loop
//                  initialization  0      1      2          termination
//     record 0     .               . 1    2 .    . .        .
//     record 1     .               . .    . 1    2 .        .
//     record 2     .               . .    . .    . 1        2
//     turned       cleared         0 set  1      1          1
//     valid        cleared         for each iteration: whether it has a record
//
// An example. It has 6 lines as written and 5 rotated, the last of which waits for f:
//
//     as written                    rotated:  second stage      first stage    flags
//     bm xj $lr0        first                 fsub $lr0 xi $t   bm xj $lr0     valid = 0
//     bm mj $r4         first                 fmul $t $t $t                    valid = $jvalid
//     fsub $lr0 xi $t   second                fmul $t $r4 $t    bm mj $r4
//     fmul $t $t $t     second                fadd f $t f                      turned = 1
//     fmul $t $r4 $t    second                nop
//     fadd f $t f       second
//
// The second stage works on the record before. On the first line it reads the `$lr0` of that record, while the load
// writes the next one's.
//
// What holds at the beginning of each iteration:
// - `turned` is set if there was an iteration before, and `valid` if that iteration had a record, which all have but
//   perhaps the last (a broadcast block may have a record less than others).
// - Every word that passes from the first stage to the second has its value of the iteration before. It has a place
//   that nothing else uses. If both stages read a value, the second one reads a copy, which is made after that.
// - The second stage reads no word of the j-record, which is the next one by now: the first stage copied what it needs.
// - All writes of the second stage are under `turned`, so that the first iteration does not see it. It therefore holds
//   nothing but such writes (Rotation::can_wait), and no word that it leaves for the first stage had to stay as it was
//   before the loop.
// - The second stage reads `turned` before the iteration sets it.
// Loop termination repeats the second stage for the last record; it writes under `turned`, and its results, which
// `$jvalid` gates in the body, under `valid`.
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
