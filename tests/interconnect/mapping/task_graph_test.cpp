// Task graphs: what the benchmarks send, counted another way, and what files may not say.
#include "gdr/interconnect/task_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string refusal(std::string_view text, TaskId most_tasks = 8) {
  try {
    static_cast<void>(parse_graph(text, "g.csv", most_tasks));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TaskGraph, SumsEqualPairsAndKeepsDirectionsApart) {
  const TaskGraph graph(3, {{2, 0, 5}, {0, 1, 7}, {2, 0, 6}, {1, 0, 1}});
  const std::vector<Transfer> expected{{0, 1, 7}, {1, 0, 1}, {2, 0, 11}};
  EXPECT_TRUE(std::ranges::equal(graph.transfers(), expected));
  EXPECT_EQ(graph.total_bytes(), 19U);
}

TEST(TaskGraph, RefusesWhatNoTaskCanSend) {
  EXPECT_THROW(TaskGraph(0, {}), Error);
  EXPECT_THROW(TaskGraph(2, {{0, 2, 1}}), Error);
  EXPECT_THROW(TaskGraph(2, {{1, 1, 1}}), Error);
  EXPECT_THROW(TaskGraph(2, {{0, 1, std::uint64_t{1} << 53}, {1, 0, 1}}), Error);
}

TEST(TaskGraph, BruckGivesEveryTaskAllOthersBlocks) {
  for (const TaskId tasks : {1U, 2U, 5U, 8U, 315U}) {
    const TaskGraph graph = bruck_graph(tasks, 16);
    std::vector<std::uint64_t> received(tasks);
    for (const Transfer& transfer : graph.transfers()) received[transfer.to] += transfer.bytes;
    for (const std::uint64_t bytes : received) EXPECT_EQ(bytes, 16U * (tasks - 1)) << tasks;
  }
}

/// One conjugate gradient step after another, message by message, on a square of processes.
TEST(TaskGraph, CgOnASquareSendsWhatItsStepsAddUpTo) {
  constexpr TaskId kSide = 4;
  constexpr std::uint64_t kRows = 75000 / kSide;
  std::map<std::pair<TaskId, TaskId>, std::uint64_t> sent;
  const auto exchange = [&](std::uint64_t doubles) {
    for (TaskId row = 0; row < kSide; ++row) {
      for (TaskId column = 0; column < kSide; ++column) {
        for (TaskId bit = 1; bit < kSide; bit *= 2) {
          sent[{row * kSide + column, row * kSide + (column ^ bit)}] += 8 * doubles;
        }
      }
    }
  };
  const auto multiply = [&] {
    exchange(kRows);
    for (TaskId row = 0; row < kSide; ++row) {
      for (TaskId column = 0; column < kSide; ++column) {
        if (row != column) sent[{row * kSide + column, column * kSide + row}] += 8 * kRows;
      }
    }
  };
  exchange(1);
  for (int step = 0; step < 25; ++step) {
    multiply();
    exchange(1);
    exchange(1);
  }
  multiply();
  exchange(1);
  exchange(2);
  std::map<std::pair<TaskId, TaskId>, std::uint64_t> graph;
  const TaskGraph cg = cg_graph(kSide * kSide);
  for (const auto& [from, to, bytes] : cg.transfers()) graph[{from, to}] = bytes;
  EXPECT_EQ(graph, sent);
}

TEST(TaskGraph, SpNeighboursAreThoseOfTheMultipartition) {
  constexpr TaskId kSide = 6;  // divides 102: every cell has 17 points a side
  const TaskGraph graph = sp_graph(kSide * kSide);
  std::map<TaskId, std::size_t> neighbours;
  std::uint64_t total = 0;
  for (const Transfer& transfer : graph.transfers()) {
    ++neighbours[transfer.from];
    total += transfer.bytes;
  }
  for (const auto& [task, count] : neighbours) EXPECT_EQ(count, 6U) << task;
  // Over all processes each axis has kSide - 1 cuts of the whole 102 x 102 face, of which 100 x 100 are interior.
  constexpr std::uint64_t kCuts = 3 * (kSide - 1);
  EXPECT_EQ(total, kCuts * 8 * (2 * 2 * 5 * 102 * 102 + (22 + 10) * 100 * 100));
}

TEST(TaskGraph, BenchmarksRefuseNumbersTheyDoNotRunOn) {
  EXPECT_THROW(static_cast<void>(cg_graph(12)), Error);
  EXPECT_THROW(static_cast<void>(cg_graph(16, 'X')), Error);
  EXPECT_THROW(static_cast<void>(sp_graph(8)), Error);
  EXPECT_THROW(static_cast<void>(bruck_graph(0, 1)), Error);
  EXPECT_EQ(most_sp_tasks(512), 484U);
}

TEST(TaskGraph, ClassesOfCgDifferByTheOrderOfTheirMatrix) {
  // Vectors are the matrix's order in all, scalars do not depend on it.
  const auto total = [](char benchmark_class) {
    return static_cast<double>(cg_graph(16, benchmark_class).total_bytes());
  };
  EXPECT_EQ((total('A') - total('S')) / (total('B') - total('S')), (14000.0 - 1400) / (75000 - 1400));
  EXPECT_EQ((total('C') - total('S')) / (total('B') - total('S')), (150000.0 - 1400) / (75000 - 1400));
}

TEST(TaskGraph, ClassesOfSpDifferByTheFaceOfTheirDomain) {
  // All cuts of the domain together carry whole faces: 20 doubles a point, 32 more an interior one.
  constexpr TaskId kSide = 4;
  const std::map<char, std::uint64_t> points{{'S', 12},  {'W', 36},  {'A', 64},  {'B', 102},
                                             {'C', 162}, {'D', 408}, {'E', 1020}};
  for (const auto& [benchmark_class, n] : points) {
    EXPECT_EQ(sp_graph(kSide * kSide, benchmark_class).total_bytes(),
              3 * (kSide - 1) * 8 * (20 * n * n + 32 * (n - 2) * (n - 2)))
        << benchmark_class;
  }
  EXPECT_EQ(most_sp_tasks(4096, 'S'), 144U);
  EXPECT_EQ(most_sp_tasks(4096, 'A'), 4096U);
  EXPECT_THROW(static_cast<void>(sp_graph(169, 'S')), Error);
  EXPECT_THROW(static_cast<void>(sp_graph(16, 'X')), Error);
}

TEST(GraphFile, ComesBackAsItWasWritten) {
  const TaskGraph graph(5, {{0, 3, 7}, {3, 0, 9}, {1, 2, 1}});
  const GraphFile read = parse_graph(graph_csv(graph), "g.csv", 5);
  EXPECT_EQ(read.graph.tasks(), 5U);
  EXPECT_TRUE(std::ranges::equal(read.graph.transfers(), graph.transfers()));
  EXPECT_EQ(read.duplicates, 0U);
}

TEST(GraphFile, SumsRepeatedPairsAndTellsWhichLine) {
  const GraphFile read = parse_graph("# two\nfrom,to,bytes\n0,1,5\n1,0,2\n0, 1 ,6 # again\n", "g.csv", 8);
  EXPECT_EQ(read.duplicates, 1U);
  EXPECT_EQ(read.first_duplicate, 5U);
  EXPECT_EQ(read.graph.transfers()[0], (Transfer{0, 1, 11}));
}

TEST(GraphFile, RefusesWithFileAndLine) {
  EXPECT_THAT(refusal("tasks,4\nfrom,to,bytes\n0,1,2\n0,4,1\n"), StartsWith("g.csv:4: receiver 4 is unknown"));
  EXPECT_THAT(refusal("from,to,bytes\n0,1,-2\n"), StartsWith("g.csv:2: -2 bytes"));
  EXPECT_THAT(refusal("from,to,bytes\n0,1\n"), StartsWith("g.csv:2: bytes are missing"));
  EXPECT_THAT(refusal("from,to,bytes\n0,1,\n"), StartsWith("g.csv:2: bytes are missing"));
  EXPECT_THAT(refusal("from,to,bytes\n0,1,2,3\n"), StartsWith("g.csv:2: too many fields"));
  EXPECT_THAT(refusal("from,to,bytes\n\n3,3,2\n"), StartsWith("g.csv:3: task 3 sends to itself"));
  EXPECT_THAT(refusal("from,to,bytes\n0,8,2\n"), StartsWith("g.csv:2: 9 tasks are refused: there are 8 nodes"));
  EXPECT_THAT(refusal("tasks,9\nfrom,to,bytes\n"), StartsWith("g.csv:1: 9 tasks are refused: there are 8 nodes"));
  EXPECT_THAT(refusal("from,to,bytes\nx,1,2\n"), StartsWith("g.csv:2: sender 'x'"));
  EXPECT_THAT(refusal("0,1,2\n"), StartsWith("g.csv:1: '0,1,2' stands where the header"));
  EXPECT_THAT(refusal(""), HasSubstr("no header"));
  EXPECT_THAT(refusal("from,to,bytes\n"), HasSubstr("no tasks"));
}

}  // namespace
}  // namespace gdr::interconnect
