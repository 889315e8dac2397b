// Results that several rows share.
#include "once_each.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "gdr/base/error.h"

namespace gdr::validation {
namespace {

TEST(OnceEach, ThreadsThatAskForOneKeyGetOneResult) {
  OnceEach<int, std::string> results;
  std::atomic<int> computed = 0;
  std::vector<const std::string*> got(8);
  std::vector<std::thread> threads;
  for (std::size_t n = 0; n < got.size(); ++n) {
    threads.emplace_back([&, n] {
      got[n] = &results.of(static_cast<int>(n % 2), [&] {
        ++computed;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that the others come meanwhile
        return std::to_string(n % 2);
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(computed, 2);
  for (std::size_t n = 0; n < got.size(); ++n) {
    EXPECT_EQ(got[n], got[n % 2]);
    EXPECT_EQ(*got[n], std::to_string(n % 2));
  }
}

TEST(OnceEach, AFailureIsToldToAllThatAsk) {
  OnceEach<int, double> results;
  int computed = 0;
  const auto fail = [&]() -> double {
    ++computed;
    throw Error("no network");
  };
  EXPECT_THROW(static_cast<void>(results.of(1, fail)), Error);
  EXPECT_THROW(static_cast<void>(results.of(1, fail)), Error);
  EXPECT_EQ(computed, 1);
}

TEST(OnceEach, AThreadWithOtherWorkIsNotMadeToWait) {
  OnceEach<int, int> results;
  std::promise<void> begun;
  std::promise<void> may_end;
  std::thread computing([&] {
    static_cast<void>(results.of(1, [&] {
      begun.set_value();
      may_end.get_future().wait();
      return 11;
    }));
  });
  begun.get_future().wait();
  {
    const OtherWork other_work(true);
    EXPECT_THROW(static_cast<void>(results.of(1, [] { return 0; })), Busy);
    EXPECT_EQ(results.of(2, [] { return 22; }), 22);
  }
  may_end.set_value();
  EXPECT_EQ(results.of(1, [] { return 0; }), 11);
  computing.join();
  const OtherWork other_work(true);
  EXPECT_EQ(results.of(1, [] { return 0; }), 11);
}

TEST(OnceEach, AThreadThatComputesAResultWaitsForWhatItNeeds) {
  OnceEach<int, int> results;
  std::promise<void> begun;
  std::thread computing([&] {
    static_cast<void>(results.of(1, [&] {
      begun.set_value();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that the other comes meanwhile
      return 11;
    }));
  });
  begun.get_future().wait();
  const OtherWork other_work(true);
  EXPECT_EQ(results.of(2, [&] { return 2 * results.of(1, [] { return 0; }); }), 22);
  computing.join();
}

}  // namespace
}  // namespace gdr::validation
