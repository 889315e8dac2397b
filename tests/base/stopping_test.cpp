#include "gdr/base/stopping.h"

#include <gtest/gtest.h>

#include <thread>

namespace gdr::base {
namespace {

TEST(Stopping, NothingStopsWithoutAnybodyToAsk) {
  EXPECT_FALSE(is_stoppable());
  EXPECT_NO_THROW(pause());
}

TEST(Stopping, ACallerEndsAComputationAtItsNextPause) {
  int asked = 0;
  int parts = 0;
  {
    const Stopping stopping([&] { return ++asked < 3; });
    EXPECT_TRUE(is_stoppable());
    const auto compute = [&] {
      for (;; ++parts) pause();
    };
    EXPECT_THROW(compute(), Stopped);
  }
  EXPECT_EQ(parts, 2);
  EXPECT_FALSE(is_stoppable());
  EXPECT_NO_THROW(pause());
}

TEST(Stopping, TheInnermostCallerIsAsked) {
  const Stopping outer([] { return false; });
  {
    const Stopping inner([] { return true; });
    EXPECT_NO_THROW(pause());
  }
  EXPECT_THROW(pause(), Stopped);
}

TEST(Stopping, OtherThreadsAreNotConcerned) {
  const Stopping stopping([] { return false; });
  bool stoppable = true;
  std::thread([&] { stoppable = is_stoppable(); }).join();
  EXPECT_FALSE(stoppable);
}

}  // namespace
}  // namespace gdr::base
