#include "gdr/interconnect/replay.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gdr/base/error.h"
#include "gdr/interconnect/simulation.h"
#include "gdr/interconnect/trace.h"

namespace gdr::interconnect {
namespace {

constexpr Rank kMost = 4096;
constexpr double kNoEager = 0;
constexpr double kCableRate = 1e9;      // bytes/s
constexpr double kCableLatency = 1e-6;  // s; a message passes two links of a switch
constexpr double kWay = 2 * kCableLatency;

Topology network(NodeId nodes) { return infiniband_flat(nodes, {kCableRate, kCableLatency}); }

/// A file of its own in the folder for tests.
std::filesystem::path file_with(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / name;
  std::ofstream(path) << text;
  return path;
}

Program program_of(const std::string& trace, CollectiveMethod method = CollectiveMethod::doubling) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return make_program(read_trace(file_with(std::string("replay_") + test->name() + ".txt", trace), kMost), method);
}

double seconds_of(const Program& program, NodeId nodes, const ReplayOptions& options = {}) {
  return run_critical_path(replay_graph(program, nodes, options), network(nodes)).seconds;
}

std::string refusal_of(const auto& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

// ---------------------------------------------------------------- times

TEST(Replay, MessageBeginsWhenBothSidesHavePostedIt) {
  const Program program = program_of("0 sleep 3\n0 send 1 7 1000000 6\n1 recv 0 7 1000000 6\n");
  EXPECT_DOUBLE_EQ(seconds_of(program, 2), 3 + 1e-3 + kWay);
  const Program late = program_of("0 send 1 7 1000000 6\n1 sleep 3\n1 recv 0 7 1000000 6\n");
  EXPECT_DOUBLE_EQ(seconds_of(late, 2), 3 + 1e-3 + kWay);
}

TEST(Replay, ShortMessagesDoNotHoldUpTheirSender) {
  // Rank 0 sends to rank 1, which is late, and then to rank 2.
  const Program program =
      program_of("0 send 1 0 1000 6\n0 send 2 0 1000 6\n1 sleep 5\n1 recv 0 0 1000 6\n2 recv 0 0 1000 6\n2 sleep 4\n");
  EXPECT_DOUBLE_EQ(seconds_of(program, 3, {.eager_bytes = 1001}), 5 + 1e-6 + kWay);
  EXPECT_DOUBLE_EQ(seconds_of(program, 3, {.eager_bytes = 1000}), 5 + 2 * (1e-6 + kWay) + 4);
}

TEST(Replay, WaitsAreForTheRequestThatTheyName) {
  // Rank 0 waits for the short message from rank 2 and sends on; the long one from rank 1 comes later.
  const Program program = program_of(
      "0 irecv 1 0 1000000000 6\n0 irecv 2 0 1000 6\n0 wait 2 0 0\n0 sleep 2\n0 wait 1 0 0\n"
      "1 sleep 1\n1 send 0 0 1000000000 6\n2 send 0 0 1000 6\n");
  EXPECT_NEAR(seconds_of(program, 3), 2, 1e-4);
}

TEST(Replay, RequestsOfOneEnvelopeAreWaitedForInTheirOrder) {
  const Program program = program_of(
      "0 isend 1 0 1000000000 6\n0 isend 1 0 1000 6\n0 wait 0 1 0\n0 sleep 1\n0 waitall\n"
      "1 recv 0 0 1000000000 6\n1 recv 0 0 1000 6\n");
  EXPECT_NEAR(seconds_of(program, 2, {.eager_bytes = kNoEager}), 2, 1e-4);
}

TEST(Replay, ComputingTakesTheSpeedOfTheNode) {
  const Program program = program_of("0 compute 3e9\n0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n");
  EXPECT_DOUBLE_EQ(seconds_of(program, 2, {.flops_per_second = 1e9}), 3 + 1e-3 + kWay);
  EXPECT_DOUBLE_EQ(seconds_of(program, 2), 1e-3 + kWay);
}

TEST(Replay, RanksOfANodeExchangeInNoTime) {
  const Program program = program_of("0 send 1 0 1000000 6\n0 sleep 1\n1 recv 0 0 1000000 6\n");
  EXPECT_DOUBLE_EQ(seconds_of(program, 1, {.node_of_rank = {0, 0}}), 1);
}

TEST(Replay, CountsAreInTheTypeThatTheLineOrInitNames) {
  EXPECT_DOUBLE_EQ(seconds_of(program_of("0 init\n1 init\n0 send 1 0 1000 0\n1 recv 0 0 1000 0\n"), 2), 8e-6 + kWay);
  EXPECT_DOUBLE_EQ(seconds_of(program_of("0 init\n1 init\n0 send 1 0 1000\n1 recv 0 0 1000\n"), 2), 1e-6 + kWay);
  EXPECT_DOUBLE_EQ(seconds_of(program_of("0 init 1\n1 init 1\n0 send 1 0 1000\n1 recv 0 0 1000\n"), 2), 8e-6 + kWay);
}

// ---------------------------------------------------------------- collectives

std::string of_all_ranks(Rank ranks, const std::string& action) {
  std::string text;
  for (Rank rank = 0; rank < ranks; ++rank) text += std::to_string(rank) + " " + action + "\n";
  return text;
}

TEST(Replay, CollectivesByDoublingTakeALogarithmOfSteps) {
  const Rank ranks = 8;
  for (const char* action : {"barrier", "allreduce 0 0 6", "bcast 0 3 6", "reduce 0 0 5 6", "allgather 0 0 6 6"}) {
    const Program program = program_of(of_all_ranks(ranks, action));
    EXPECT_NEAR(seconds_of(program, ranks), 3 * kWay, 1e-12) << action;
  }
}

TEST(Replay, CollectivesMoveTheirBytesForAnyNumberOfRanks) {
  for (const Rank ranks : {2U, 3U, 5U, 7U, 8U, 12U}) {
    const auto bytes_of = [&](const std::string& action, CollectiveMethod method) {
      const ActivityGraph graph = replay_graph(program_of(of_all_ranks(ranks, action), method), ranks);
      double bytes = 0;
      for (ActivityId id = 0; id < graph.size(); ++id) {
        if (graph.kind(id) == ActivityGraph::Kind::message) bytes += graph.amount(id);
      }
      return bytes;
    };
    const double n = ranks;
    for (const CollectiveMethod method : {CollectiveMethod::doubling, CollectiveMethod::posted}) {
      EXPECT_EQ(bytes_of("bcast 10 1 6", method), 10 * (n - 1)) << ranks;
      EXPECT_EQ(bytes_of("reduce 10 0 1 6", method), 10 * (n - 1)) << ranks;
      EXPECT_EQ(bytes_of("gather 10 10 1 6 6", method), 10 * (n - 1)) << ranks;
      EXPECT_EQ(bytes_of("scatter 10 10 1 6 6", method), 10 * (n - 1)) << ranks;
      EXPECT_EQ(bytes_of("allgather 10 10 6 6", method), 10 * n * (n - 1)) << ranks;
      EXPECT_EQ(bytes_of("alltoall 10 10 6 6", method), 10 * n * (n - 1)) << ranks;
      EXPECT_EQ(bytes_of("scan 10 0 6", method), 10 * n * (n - 1) / 2) << ranks;
    }
    EXPECT_EQ(bytes_of("allreduce 10 0 6", CollectiveMethod::posted), 10 * n * (n - 1)) << ranks;
  }
}

// SMPI writes the calls of a program with three ranks so (SimGrid 3.32, smpirun -trace-ti).
TEST(Replay, SizesByRankAreReadAsSmpiWritesThem) {
  const std::string trace =
      "0 allgatherv 1 1 2 3 0 0\n1 allgatherv 2 1 2 3 0 0\n2 allgatherv 3 1 2 3 0 0\n"
      "0 gatherv 1 1 2 3 0 0 0\n1 gatherv 2 0 0 0 0 0 0\n2 gatherv 3 0 0 0 0 0 0\n"
      "0 scatterv 1 2 3 1 0 0 0\n1 scatterv 0 0 0 2 0 0 0\n2 scatterv 0 0 0 3 0 0 0\n"
      "0 reducescatter 1 2 3 0 0\n1 reducescatter 1 2 3 0 0\n2 reducescatter 1 2 3 0 0\n"
      "0 alltoallv 6 1 2 3 3 1 1 1 0 0\n1 alltoallv 6 1 2 3 6 2 2 2 0 0\n2 alltoallv 6 1 2 3 9 3 3 3 0 0\n";
  const ActivityGraph graph = replay_graph(program_of(trace, CollectiveMethod::posted), 3);
  double doubles = 0;
  for (ActivityId id = 0; id < graph.size(); ++id) {
    if (graph.kind(id) == ActivityGraph::Kind::message) doubles += graph.amount(id) / 8;
  }
  // All-gather: twice 6; gather and scatter: 2 + 3; reduce-scatter and all-to-all: twice 6.
  EXPECT_EQ(doubles, 12 + 5 + 5 + 12 + 12);
}

// ---------------------------------------------------------------- GOAL

TEST(Replay, GoalSchedulesKeepTheirDependences) {
  const Program program = parse_goal(
      "num_ranks 2\n// a comment\nrank 0 {\nl1: calc 1000 cpu 0\nl2: send 1000b to 1 tag 3\nl2 requires l1\n}\n"
      "rank 1 {\nl1: recv 1000b from 0 tag 3 cpu 0 nic 0\nl2: calc 5000\nl3: calc 500\nl3 irequires l2\n"
      "l4: calc 100\nl4 requires l1\n}\n",
      "a.goal", kMost);
  // Rank 1 works in the order in which its work becomes ready: 5 us and 0.5 us at once, then 0.1 us.
  EXPECT_NEAR(seconds_of(program, 2), 5.6e-6, 1e-15);
}

TEST(Replay, CpusOfARankComputeAtTheSameTime) {
  const auto seconds = [](const std::string& rank) {
    return seconds_of(parse_goal("num_ranks 1\nrank 0 {\n" + rank + "}\n", "a.goal", kMost), 1);
  };
  EXPECT_DOUBLE_EQ(seconds("a: calc 1000\nb: calc 1000\n"), 2e-6);
  EXPECT_DOUBLE_EQ(seconds("a: calc 1000 cpu 0\nb: calc 1000 cpu 1\n"), 1e-6);
  EXPECT_DOUBLE_EQ(seconds("calc 1000 cpu 3 nic 1\ncalc 1000 cpu 2\ncalc 1000 cpu 3\n"), 2e-6);
  EXPECT_DOUBLE_EQ(seconds("a: calc 1000 cpu 0\nb: calc 1000 cpu 1\nb requires a\n"), 2e-6);
  EXPECT_DOUBLE_EQ(seconds("a: calc 5000000000\n"), 5);  // more than 2^32 ns
}

TEST(Replay, GoalSchedulesNeedNoLines) {
  for (const std::string_view text :
       {"num_ranks 1\nrank 0 {\na: calc 2000\nb: calc 3000\nb requires a\n}\n",
        "/* made\nby hand */ num_ranks 1 rank 0 { a: calc 2000 b: calc 3000 b requires a }",
        "\n/**/\nnum_ranks 1 // one\nrank 0 /* first */\n{\na : calc 2000\nb:calc/* ns */3000 # more\nb requires a}\n",
        "\xEF\xBB\xBFnum_ranks 1\r\nrank 0{\r\na: calc 2000\r\nb: calc 3000\r\nb requires a\r\n}\r\n"}) {
    EXPECT_TRUE(is_goal(text)) << text;
    EXPECT_DOUBLE_EQ(seconds_of(parse_goal(text, "a.goal", kMost), 1), 5e-6) << text;
  }
  EXPECT_FALSE(is_goal("rank0.txt"));  // an index without a last line feed
  EXPECT_FALSE(is_goal("/* no end"));
  EXPECT_FALSE(is_goal(""));
}

TEST(Replay, WhatGoalHasAndNoReplayIsRefusedByItsName) {
  const auto refusal = [](const std::string& operation) {
    const std::string text = "num_ranks 2\nrank 0 {\n" + operation + "\n}\n";
    return refusal_of([&] { static_cast<void>(parse_goal(text, "a.goal", kMost)); });
  };
  EXPECT_EQ(refusal("recv 10b from -1 tag 3"),
            "a.goal:3: a receive from any rank (-1) is refused: a replay needs the sender of every message");
  EXPECT_EQ(refusal("recv 10b from 1 tag -1"),
            "a.goal:3: a receive with any tag (-1) is refused: a replay needs the tag of every message");
  EXPECT_EQ(refusal("send 10b to 1 tag 3 nic 1"),
            "a.goal:3: nic 1 is refused: the networks here have the same links for all messages of a node");
  EXPECT_EQ(refusal("calc 99999999999999999999"),
            "a.goal:3: time in nanoseconds '99999999999999999999' is refused: it must be a whole number from 0 to "
            "9007199254740992");
  EXPECT_EQ(refusal("send 10b to 1 tag 5000000000"),
            "a.goal:3: tag '5000000000' is refused: it must be a whole number from 0 to 4294967295");
  EXPECT_EQ(refusal("calc 3\n\nsend 10b to 1 tga 3").substr(0, 24), "a.goal:5: 'tga' is refus");
  EXPECT_EQ(refusal("calc 3 /* more"), "a.goal:3: the comment has no */");
}

TEST(Replay, GoalSchedulesAreRefusedWithTheirLine) {
  const auto refusal = [](const std::string& text) {
    return refusal_of([&] { static_cast<void>(parse_goal(text, "a.goal", kMost)); });
  };
  EXPECT_EQ(refusal("rank 0 {\n}\n"), "a.goal:1: num_ranks N must come first");
  EXPECT_EQ(refusal("num_ranks 1\nrank 1 {\n}\n"), "a.goal:2: rank 1 is refused: there are ranks 0 to 0");
  EXPECT_EQ(refusal("num_ranks 1\nrank 0 {\nl1: calc 3\nl1 requires l2\n}\n"), "a.goal:4: 'l2' is no label of rank 0");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 {\nsend 10 to 1\n}\n"),
            "a.goal:3: '10' is refused: a size is a number of bytes and b");
  EXPECT_EQ(refusal("num_ranks 1\nrank 0 {\nl1: calc 3\n"), "a.goal:3: rank 0 has no }");
}

// ---------------------------------------------------------------- refusals

TEST(Replay, TracesAreRefusedWithTheirLine) {
  const auto refusal = [](const std::string& trace) {
    const std::string text = refusal_of([&] { static_cast<void>(program_of(trace)); });
    return text.substr(text.find(".txt") + 4);
  };
  EXPECT_EQ(refusal("0 init\n0 isnd 1 0 8 6\n1 init\n"),
            ":2: 'isnd' is refused: it is no action of a time-independent trace; did you mean 'isend'?");
  EXPECT_EQ(refusal("0 recv -555 0 8 6\n"),
            ":1: rank '-555' is refused: it must be from 0 to 0; a trace names every partner");
  EXPECT_EQ(refusal("0 send 0 0 -8 6\n"), ":1: size '-8' is refused: it must be from 0 to 1e+18");
  EXPECT_EQ(refusal("0 send 0 0\n"), ":1: size of 'send' is missing");
  EXPECT_EQ(refusal("0 send 0 0 8 99\n"), ":1: data type '99' is refused: it must be a number from 0 to 53");
  EXPECT_EQ(refusal("send 0 0 8 6\n"),
            ":1: there is no file 'send 0 0 8 6', neither as it is named nor beside the index");
  EXPECT_EQ(refusal("0 init\n0 unrecorded one-sided transfer\n"),
            ":2: this call is refused: the messages of a one-sided transfer are not recorded");
  EXPECT_EQ(refusal("/dev/zero\n"), ":1: '/dev/zero' is no regular file");
}

TEST(Replay, HalvesWithoutPartnerAreRefused) {
  const auto refusal = [](const std::string& trace) {
    const Program program = program_of(trace);
    const std::string text = refusal_of([&] { static_cast<void>(replay_graph(program, 2)); });
    return text.substr(text.find(".txt") + 4);
  };
  EXPECT_EQ(refusal("0 send 1 5 8 6\n1 init\n"), ":1: a send to rank 1 with tag 5 by rank 0 has no receive");
  EXPECT_EQ(refusal("0 init\n1 recv 0 5 8 6\n"), ":2: a receive from rank 0 with tag 5 by rank 1 has no send");
  EXPECT_NE(refusal("0 send 1 5 8 6\n1 recv 0 5 4 6\n").find(":2: a receive of 4 bytes is refused: rank 0 sends 8"),
            std::string::npos);
}

TEST(Replay, CollectivesThatDifferBetweenRanksAreNamed) {
  const auto refusal = [](const std::string& trace) {
    std::string text = refusal_of([&] { static_cast<void>(program_of(trace)); });
    const std::size_t name = text.find("replay_");
    if (name != std::string::npos) text.erase(0, text.find(".txt") + 4);
    const std::size_t folder = text.find('(');
    if (folder != std::string::npos) text.replace(folder + 1, text.find(".txt", folder) + 4 - folder - 1, "");
    return text;
  };
  EXPECT_EQ(
      refusal("0 init\n1 init\n0 bcast 100 0\n1 bcast 9900 0\n"),
      ":4: collective 1 of rank 1 is a bcast of 9900 bytes with root 0, but that of rank 0 is a bcast of 100 bytes "
      "with root 0 (:3)");
  EXPECT_EQ(
      refusal("0 barrier\n1 barrier\n0 allreduce 100 0 6\n1 allreduce 1 0 6\n"),
      ":4: collective 2 of rank 1 is an allreduce of 1 byte, but that of rank 0 is an allreduce of 100 bytes (:3)");
  EXPECT_EQ(
      refusal("0 bcast 100 0 6\n1 bcast 100 1 6\n"),
      ":2: collective 1 of rank 1 is a bcast of 100 bytes with root 1, but that of rank 0 is a bcast of 100 bytes "
      "with root 0 (:1)");
  EXPECT_EQ(refusal("0 barrier\n1 bcast 5 0 6\n"),
            ":2: collective 1 of rank 1 is a bcast of 5 bytes with root 0, but that of rank 0 is a barrier (:1)");
  EXPECT_EQ(refusal("0 barrier\n0 barrier\n1 barrier\n"),
            ":2: collective 2 of rank 0 is a barrier, but rank 1 has only 1 (:3)");
  EXPECT_EQ(refusal("0 barrier\n1 barrier\n1 barrier\n"),
            ":3: collective 2 of rank 1 is a barrier, but rank 0 has only 1 (:1)");
  EXPECT_EQ(
      refusal("0 reducescatter 1 2 0 6\n1 reducescatter 2 1 0 6\n"),
      ":2: collective 1 of rank 1 is a reducescatter of [2, 1] bytes, but that of rank 0 is a reducescatter of [1, 2] "
      "bytes (:1)");
  // A gather in place has no size at its root; the others must agree.
  EXPECT_EQ(refusal("0 gather 0 8 0 6 6\n1 gather 8 0 0 6 6\n2 gather 8 0 0 6 6\n"), "not refused");
  EXPECT_EQ(
      refusal("0 gather 0 8 0 6 6\n1 gather 8 0 0 6 6\n2 gather 9 0 0 6 6\n"),
      ":3: collective 1 of rank 2 is a gather of 9 bytes with root 0, but that of rank 1 is a gather of 8 bytes with "
      "root 0 (:2)");
}

/// A collective of two ranks as lines of a trace have it, and the same with one thing changed; empty: it has no such
/// thing.
struct TracedCall {
  std::string text;
  std::string other_size;
  std::string other_root;
};
const std::vector<TracedCall> kCalls{
    {"barrier", "", ""},
    {"bcast 8 0 6", "bcast 9 0 6", "bcast 8 1 6"},
    {"reduce 8 5 0 6", "reduce 9 5 0 6", "reduce 8 5 1 6"},
    {"allreduce 8 5 6", "allreduce 9 5 6", ""},
    {"scan 8 5 6", "scan 9 5 6", ""},
    {"exscan 8 5 6", "exscan 9 5 6", ""},
    {"gather 8 8 0 6 6", "gather 9 8 0 6 6", "gather 8 8 1 6 6"},
    {"gatherv 8 8 8 0 6 6", "gatherv 9 8 8 0 6 6", "gatherv 8 8 8 1 6 6"},
    {"scatter 8 8 0 6 6", "scatter 8 9 0 6 6", "scatter 8 8 1 6 6"},
    {"scatterv 8 8 8 0 6 6", "scatterv 8 8 9 0 6 6", "scatterv 8 8 8 1 6 6"},
    {"allgather 8 8 6 6", "allgather 9 8 6 6", ""},
    {"allgatherv 8 8 8 6 6", "allgatherv 9 8 8 6 6", ""},
    {"alltoall 8 8 6 6", "alltoall 9 8 6 6", ""},
    {"alltoallv 16 8 8 16 8 8 6 6", "alltoallv 17 9 8 16 8 8 6 6", ""},
    {"reducescatter 8 8 5 6", "reducescatter 8 9 5 6", ""},
};

TEST(Replay, EveryMismatchOfCollectivesIsRefusedWithRankAndLine) {
  const auto refusal = [](const std::string& of_rank_0, const std::string& of_rank_1) {
    const std::string before = "0 init\n1 init\n0 barrier\n1 barrier\n";
    return refusal_of([&] { static_cast<void>(program_of(before + "0 " + of_rank_0 + "\n1 " + of_rank_1 + "\n")); });
  };
  const auto is_named = [](const std::string& text) {
    return (text.find(".txt:5") != std::string::npos || text.find(".txt:6") != std::string::npos) &&
           text.find("collective 2") != std::string::npos && text.find("rank 1") != std::string::npos;
  };
  for (const TracedCall& call : kCalls) {
    EXPECT_EQ(refusal(call.text, call.text), "not refused") << call.text;
    for (const TracedCall& other : kCalls) {
      if (other.text == call.text) continue;
      EXPECT_TRUE(is_named(refusal(call.text, other.text))) << call.text << ", " << other.text;
    }
    for (const std::string& changed : {call.other_size, call.other_root}) {
      if (changed.empty()) continue;
      EXPECT_TRUE(is_named(refusal(call.text, changed))) << call.text << ", " << changed;
    }
    // One more or less of them at a rank.
    for (const std::string& trace : {"0 " + call.text + "\n1 init\n", "0 init\n1 " + call.text + "\n"}) {
      const std::string text = refusal_of([&] { static_cast<void>(program_of(trace)); });
      EXPECT_NE(text.find("has only 0"), std::string::npos) << trace << text;
    }
  }
}

TEST(Replay, CallsAfterASplitAreRefusedSinceTheirCommunicatorIsUnknown) {
  for (const std::string call : {"allreduce 8 0 6", "send 1 0 8 6"}) {
    const std::string text = refusal_of([&] {
      static_cast<void>(program_of("0 init\n1 init\n0 comm_split\n1 comm_split\n0 compute 5\n0 " + call + "\n"));
    });
    EXPECT_NE(text.find(".txt:6: '" + call.substr(0, call.find(' ')) + "' after the comm_split in line 3 is refused"),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(refusal_of([&] { static_cast<void>(program_of("0 barrier\n0 comm_split\n0 finalize\n")); }), "not refused");
}

TEST(Replay, PartsOfCollectivesMustBeAsLargeAsTheirReceiversExpect) {
  // Each trace as it is, and with one size of rank 1 changed.
  const auto refusal = [](const std::string& trace) {
    std::string text = refusal_of([&] { static_cast<void>(program_of(trace)); });
    for (std::size_t at = text.find("replay_"); at != std::string::npos; at = text.find("replay_")) {
      const std::size_t begin = text.rfind('/', at) == std::string::npos ? at : text.find_last_of(" (", at) + 1;
      text.erase(begin, text.find(".txt", at) + 4 - begin);
    }
    return text;
  };
  EXPECT_EQ(refusal("0 scatter 8 8 0 6 6\n1 scatter 0 8 0 6 6\n"), "not refused");
  EXPECT_EQ(refusal("0 scatter 8 8 0 6 6\n1 scatter 0 4 0 6 6\n"),
            ":2: in collective 1, rank 1 receives 4 bytes from rank 0, which sends 8 (:1)");
  EXPECT_EQ(refusal("0 scatter 2 2 0 1 1\n1 scatter 0 1 0 6 0\n"), "not refused");  // 2 ints are a double
  EXPECT_EQ(refusal("0 barrier\n1 barrier\n0 gather 0 8 0 6 6\n1 gather 4 0 0 6 6\n"),
            ":3: in collective 2, rank 0 receives 8 bytes from rank 1, which sends 4 (:4)");
  EXPECT_EQ(refusal("0 gatherv 4 4 8 0 6 6\n1 gatherv 8 0 0 0 6 6\n"), "not refused");
  EXPECT_EQ(refusal("0 gatherv 4 4 8 0 6 6\n1 gatherv 7 0 0 0 6 6\n"),
            ":1: in collective 1, rank 0 receives 8 bytes from rank 1, which sends 7 (:2)");
  EXPECT_EQ(refusal("0 scatterv 4 8 4 0 6 6\n1 scatterv 0 0 8 0 6 6\n"), "not refused");
  EXPECT_EQ(refusal("0 scatterv 4 8 4 0 6 6\n1 scatterv 0 0 1 0 6 6\n"),
            ":2: in collective 1, rank 1 receives 1 byte from rank 0, which sends 8 (:1)");
  EXPECT_EQ(refusal("0 allgather 4 4 6 6\n1 allgather 4 8 6 6\n"),
            ":2: in collective 1, rank 1 receives 8 bytes from rank 0, which sends 4 (:1)");
  EXPECT_EQ(refusal("0 allgatherv 4 4 8 6 6\n1 allgatherv 8 4 8 6 6\n"), "not refused");
  EXPECT_EQ(refusal("0 allgatherv 4 4 8 6 6\n1 allgatherv 9 4 8 6 6\n"),
            ":1: in collective 1, rank 0 receives 8 bytes from rank 1, which sends 9 (:2)");
  EXPECT_EQ(refusal("0 alltoall 4 8 6 6\n1 alltoall 4 8 6 6\n"),
            ":2: in collective 1, rank 1 receives 8 bytes from rank 0, which sends 4 (:1)");
  EXPECT_EQ(refusal("0 alltoallv 12 4 8 7 4 3 6 6\n1 alltoallv 8 3 5 13 8 5 6 6\n"), "not refused");
  EXPECT_EQ(refusal("0 alltoallv 12 4 8 7 4 3 6 6\n1 alltoallv 8 3 5 13 9 5 6 6\n"),
            ":2: in collective 1, rank 1 receives 9 bytes from rank 0, which sends 8 (:1)");
}

TEST(Replay, RanksThatWaitForEachOtherAreNamed) {
  const Program program =
      program_of("0 send 1 0 70000 6\n0 recv 1 0 70000 6\n1 send 0 0 70000 6\n1 recv 0 0 70000 6\n");
  const std::string text = refusal_of([&] { static_cast<void>(replay_graph(program, 2)); });
  EXPECT_NE(text.find(".txt:1: rank 0 waits here for ever"), std::string::npos) << text;
  EXPECT_GT(seconds_of(program, 2, {.eager_bytes = 70001}), 0);
}

TEST(Replay, MoreRanksThanPlacesAreRefused) {
  const Program program = program_of("0 init\n1 init\n2 init\n");
  EXPECT_NE(refusal_of([&] { static_cast<void>(replay_graph(program, 2)); }).find("3 ranks are refused"),
            std::string::npos);
}

// ---------------------------------------------------------------- files

TEST(Replay, TracesOfAFileForEachRankAreFoundBesideTheirIndex) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "replay_folder";
  Trace trace{"two", std::vector<RankActions>(2)};
  trace.ranks[0].actions = {{.kind = ActionKind::isend, .peer = 1, .tag = 4, .amount = 1000},
                            {.kind = ActionKind::wait_send, .peer = 1, .tag = 4},
                            {.kind = ActionKind::compute, .amount = 1e9}};
  trace.ranks[1].actions = {{.kind = ActionKind::ireceive, .peer = 0, .tag = 4, .amount = 1000},
                            {.kind = ActionKind::wait_receive, .peer = 0, .tag = 4},
                            {.kind = ActionKind::sleep, .amount = 0.5},
                            {.kind = ActionKind::wait_all}};
  write_trace(trace, folder);
  const std::filesystem::path moved = std::filesystem::path(::testing::TempDir()) / "replay_moved";
  std::filesystem::remove_all(moved);
  std::filesystem::rename(folder, moved);
  const ReplayOptions options{.flops_per_second = 1e9};
  EXPECT_DOUBLE_EQ(seconds_of(make_program(read_trace(moved / "trace.txt", kMost)), 2, options),
                   seconds_of(make_program(trace), 2, options));
}

}  // namespace
}  // namespace gdr::interconnect
