// Results that several rows share.
#include "once_each.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
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

}  // namespace
}  // namespace gdr::validation
