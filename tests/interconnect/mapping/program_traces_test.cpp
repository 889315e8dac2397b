#include "gdr/interconnect/program_traces.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gdr/base/error.h"
#include "gdr/interconnect/replay.h"

namespace gdr::interconnect {
namespace {

/// The bytes that ranks send to each other in a trace.
TaskGraph sums_of(const Trace& trace) {
  std::vector<Transfer> transfers;
  for (TaskId rank = 0; rank < trace.ranks.size(); ++rank) {
    for (const Action& action : trace.ranks[rank].actions) {
      if (action.kind == ActionKind::send || action.kind == ActionKind::isend)
        transfers.push_back({rank, action.peer, static_cast<std::uint64_t>(action.amount)});
    }
  }
  return {static_cast<TaskId>(trace.ranks.size()), std::move(transfers)};
}

void expect_same_sums(const Trace& trace, const TaskGraph& graph) {
  const TaskGraph sums = sums_of(trace);
  EXPECT_TRUE(std::ranges::equal(sums.transfers(), graph.transfers())) << trace.name << " of " << graph.tasks();
  // Receives of at least 1 byte fit their sends, and every wait ends, however short eager messages are.
  EXPECT_GT(replay_graph(make_program(trace), graph.tasks(), {.eager_bytes = 0}).messages(), 0U);
}

TEST(ProgramTraces, HaveTheMessagesOfTheirGraphs) {
  for (const TaskId tasks : {2U, 5U, 8U, 64U, 100U})
    expect_same_sums(bruck_trace(tasks, 2048), bruck_graph(tasks, 2048));
  for (const TaskId tasks : {2U, 4U, 8U, 64U, 128U}) expect_same_sums(cg_trace(tasks, 'S'), cg_graph(tasks, 'S'));
  for (const TaskId tasks : {4U, 9U, 16U, 121U}) expect_same_sums(sp_trace(tasks, 'A'), sp_graph(tasks, 'A'));
  expect_same_sums(cg_trace(512), cg_graph(512));
  expect_same_sums(sp_trace(484), sp_graph(484));
}

TEST(ProgramTraces, RefuseWhatTheirGraphsRefuse) {
  EXPECT_THROW(static_cast<void>(cg_trace(3)), Error);
  EXPECT_THROW(static_cast<void>(sp_trace(5)), Error);
  EXPECT_THROW(static_cast<void>(bruck_trace(4, 0)), Error);
}

}  // namespace
}  // namespace gdr::interconnect
