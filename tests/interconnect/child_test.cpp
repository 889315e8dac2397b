// A simulation's own process: what it computes, throws or prints before it ends comes back.
#include "child/child.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

std::string told(const std::function<std::vector<double>()>& compute) {
  try {
    static_cast<void>(compute_in_child("schedule x", compute));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Child, NumbersComeBack) {
  EXPECT_EQ(compute_in_child("x", [] { return std::vector<double>{1, 2.5}; }).computed, (std::vector<double>{1, 2.5}));
}

TEST(Child, BytesComeBackAndTheLibraryThatEndedTheProcessIsNamed) {
  const std::string bytes("\0c\n", 3);
  EXPECT_EQ(run_in_child({.what = "x", .library = "librsvg", .compute = [&] { return bytes; }}).computed, bytes);
  const auto aborts = [&]() -> std::string {
    std::fputs("no memory\n", stderr);
    std::abort();
  };
  try {
    static_cast<void>(run_in_child({.what = "x.png", .library = "librsvg", .compute = aborts}));
    FAIL() << "no error";
  } catch (const ChildEnded& ended) {
    EXPECT_STREQ(ended.what(), "x.png: librsvg ended with signal 6: no memory");
  }
}

TEST(Child, ResultsAndOutputAreNotFilesThatTheUserLimits) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit none{0, before.rlim_max};
  const std::string bytes(1U << 20, 'x');
  const auto prints = [&]() -> std::string {
    std::fputs((bytes + "\nno memory\n").c_str(), stderr);
    std::abort();
  };
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  std::string computed;
  std::string reason;
  try {
    computed = run_in_child({.what = "x", .library = "librsvg", .compute = [&] { return bytes; }}).computed;
    static_cast<void>(run_in_child({.what = "x", .library = "librsvg", .compute = prints}));
  } catch (const Error& error) {
    reason = error.what();
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_TRUE(computed == bytes);
  EXPECT_EQ(reason, "x: librsvg ended with signal 6: no memory");
}

TEST(Child, BeginsAlthoughOtherThreadsRegisterExitHandlers) {
  std::atomic<bool> done = false;
  std::thread other([&] {
    constexpr int kMost = 1'000'000;  // the list only grows
    for (int handlers = 0; handlers < kMost && !done; ++handlers) static_cast<void>(std::atexit([] {}));
  });
  for (int children = 0; children < 40; ++children) {
    const auto compute = [] {
      static_cast<void>(std::atexit([] {}));  // as static objects of SimGrid do
      return std::vector<double>{1};
    };
    EXPECT_EQ(compute_in_child("x", compute).computed, std::vector<double>{1});
  }
  done = true;
  other.join();
}

TEST(Child, ItsMemoryIsCountedAndNotTheCallers) {
  constexpr std::size_t kBytes = 64U << 20;
  const std::vector<char> of_the_caller(kBytes, 1);
  const auto memory = [](std::size_t bytes) {
    return compute_in_child("x",
                            [bytes] {
                              const std::vector<char> own(bytes, 1);
                              return std::vector<double>{static_cast<double>(own.back())};
                            })
        .memory_bytes;
  };
  EXPECT_GE(memory(kBytes), kBytes);
  EXPECT_LT(memory(1), kBytes / 2);
}

TEST(Child, ErrorsComeBackAsErrors) {
  EXPECT_EQ(told([]() -> std::vector<double> { throw Error("rank 3 is refused"); }), "rank 3 is refused");
}

TEST(Child, AnEndOfTheProcessIsToldWithItsLastLine) {
  EXPECT_EQ(told([]() -> std::vector<double> {
              std::fputs("first\nLink 7 has no bandwidth\n", stderr);
              std::abort();
            }),
            "schedule x: SimGrid ended with signal 6: Link 7 has no bandwidth");
  // What SimGrid reports as critical stands before the functions that led there.
  EXPECT_EQ(told([]() -> std::vector<double> {
              std::fputs("[0.0] ./src/x.cpp:2: [root/CRITICAL] Cannot open file 'a'\nBacktrace:\n  -> 25# main\n",
                         stderr);
              std::abort();
            }),
            "schedule x: SimGrid ended with signal 6: Cannot open file 'a'");
  EXPECT_EQ(told([]() -> std::vector<double> { std::_Exit(3); }),
            "schedule x: SimGrid ended with status 3: nothing was printed");
}

TEST(Child, TheParentIsCalledMeanwhileAndBothSeeASharedNumber) {
  SharedNumber asked;
  SharedNumber answered;
  int calls = 0;
  const auto result = compute_in_child(
      "x",
      [&] {
        asked.set(7);
        while (answered.get() == 0) sched_yield();
        return std::vector<double>{answered.get()};
      },
      [&] {
        ++calls;
        if (asked.get() != 0) answered.set(2 * asked.get());
      });
  EXPECT_EQ(result.computed, std::vector<double>{14});
  EXPECT_GE(calls, 1);
}

TEST(Child, WhatIsThrownMeanwhileEndsTheChild) {
  const auto endless = []() -> std::vector<double> {
    while (true) sched_yield();
  };
  EXPECT_THROW(static_cast<void>(compute_in_child("x", endless, [] { throw Error("enough"); })), Error);
}

}  // namespace
}  // namespace gdr::interconnect
