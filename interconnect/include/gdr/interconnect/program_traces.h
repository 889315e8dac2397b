// Traces of programs, computed from their algorithms. task_graph.h has the sums of their messages.
#pragma once

#include <cstdint>

#include "gdr/interconnect/task_graph.h"
#include "gdr/interconnect/trace.h"

namespace gdr::interconnect {

/// Each trace has the messages of the graph of the same name, in the order of the program. Arithmetic is left out.
/// Arguments and errors are those of the graphs.
///
/// Allgather by Bruck's algorithm (Sanno and Kise, figure 7).
[[nodiscard]] Trace bruck_trace(TaskId tasks, std::uint64_t block_bytes);
/// First outer iteration of CG: each exchange is a receive that is posted first, a send and a wait.
[[nodiscard]] Trace cg_trace(TaskId tasks, char benchmark_class = 'B');
/// First iteration of SP: the exchange of faces, then the sweeps of x, y and z, each forward and backward through the
/// cells. A stage posts its receive, waits for it and for the send of the stage before, and sends.
[[nodiscard]] Trace sp_trace(TaskId tasks, char benchmark_class = 'B');

}  // namespace gdr::interconnect
