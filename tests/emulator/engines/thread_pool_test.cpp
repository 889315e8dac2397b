#include "gdr/emulator/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <vector>

namespace gdr::emulator {
namespace {

TEST(ThreadPool, EachTaskRunsOnceWhateverTheThreads) {
  for (const unsigned threads : {1u, 2u, 3u, 7u}) {
    ThreadPool pool(threads);
    for (const unsigned count : {0u, 1u, 2u, 64u, 1000u}) {
      std::vector<std::atomic<int>> runs(count);
      pool.run(count, [&](unsigned task) { ++runs[task]; });
      for (const auto& n : runs) EXPECT_EQ(n, 1);
    }
  }
}

TEST(ThreadPool, TheExceptionOfTheSmallestTaskArrivesAndThePoolLivesOn) {
  ThreadPool pool(3);
  const auto failing = [](unsigned task) {
    if (task % 10 == 7) throw std::runtime_error(std::to_string(task));
  };
  for (int repeat = 0; repeat < 20; ++repeat) {
    try {
      pool.run(100, failing);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
  }
  std::atomic<int> runs = 0;
  pool.run(5, [&](unsigned) { ++runs; });
  EXPECT_EQ(runs, 5);
}

TEST(ThreadPool, JobsOfALaneFollowEachOtherAndLanesDoNotWaitForEachOther) {
  for (const unsigned threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    std::array<ThreadPool::Lane, 3> lanes;
    std::array<std::atomic<int>, 3> done{};
    std::atomic<int> out_of_order = 0;
    for (int job = 0; job < 50; ++job) {
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        pool.post(lanes[lane], 4, [&, lane, job](unsigned) {
          if (done[lane] / 4 != job) ++out_of_order;
          ++done[lane];
        });
      }
    }
    for (std::size_t lane = lanes.size(); lane-- > 0;) pool.wait(lanes[lane]);
    for (const auto& parts : done) EXPECT_EQ(parts, 200);
    EXPECT_EQ(out_of_order, 0);
  }
}

TEST(ThreadPool, JobsThatWakeNobodyAreDoneByWhoeverWaitsOrIsWoken) {
  for (const unsigned threads : {1u, 2u, 3u}) {
    ThreadPool pool(threads);
    ThreadPool::Lane lane;
    std::atomic<int> runs = 0;
    for (int job = 0; job < 10; ++job) {
      pool.post(lane, 1 + job % 4, [&](unsigned) { ++runs; }, ThreadPool::Wakes::nobody);
    }
    pool.wait(lane);
    EXPECT_EQ(runs, 23);
    if (threads == 1) continue;
    std::promise<void> done;
    pool.post(lane, 1, [&](unsigned) { done.set_value(); }, ThreadPool::Wakes::nobody);
    pool.wake();
    EXPECT_EQ(done.get_future().wait_for(std::chrono::minutes(1)), std::future_status::ready)
        << "another thread does it while nobody waits";
    pool.wait(lane);
  }
}

TEST(ThreadPool, WhatFollowsAFailureInItsLaneIsLeftOutUntilSomebodyWaits) {
  ThreadPool pool(2);
  ThreadPool::Lane lane;
  std::atomic<int> later = 0;
  pool.post(lane, 2, [](unsigned part) { throw std::runtime_error(std::to_string(part)); });
  pool.post(lane, 1, [&](unsigned) { ++later; });
  try {
    pool.wait(lane);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "0");
  }
  EXPECT_EQ(later, 0);
  pool.post(lane, 1, [&](unsigned) { ++later; });
  pool.wait(lane);
  EXPECT_EQ(later, 1);
}

TEST(ForkedThreadPool, AChildRunsAndDestroysItWithThreadsOfItsOwn) {
  auto pool = std::make_unique<ThreadPool>(3);
  std::atomic<int> runs = 0;
  pool->run(10, [&](unsigned) { ++runs; });
  for (const bool uses_it : {false, true}) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // a child that hangs fails the test
      if (uses_it) pool->run(100, [&](unsigned) { ++runs; });
      pool.reset();
      _exit(runs == (uses_it ? 110 : 10) ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  pool->run(10, [&](unsigned) { ++runs; });
  EXPECT_EQ(runs, 20);
}

}  // namespace
}  // namespace gdr::emulator
