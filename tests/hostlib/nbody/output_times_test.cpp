// The rule for the times of outputs.
#include "gdr/hostlib/output_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/hostlib/hermite.h"

namespace gdr::hostlib {
namespace {

/// All outputs of a run from `time`, with the one at its end.
std::vector<double> output_times(double every, double end, double time = 0) {
  std::vector<double> times;
  std::optional<double> last;
  while (const auto t = next_output_time(every, end, time, last)) {
    times.push_back(*t);
    last = t;
    time = *t;
  }
  times.push_back(end);
  return times;
}

TEST(OutputTimes, AreTheMultiplesAndTheEnd) {
  EXPECT_EQ(output_times(0.25, 1), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(output_times(0.25, 0.6), (std::vector<double>{0, 0.25, 0.5, 0.6}));
  EXPECT_EQ(output_times(0.25, 0.3, 0.1), (std::vector<double>{0.25, 0.3}));
  EXPECT_EQ(output_times(8192, 1), (std::vector<double>{0, 1}));
}

TEST(OutputTimes, HaveOneOutputWhereAMultipleIsTheEndButForRounding) {
  EXPECT_EQ(output_times(0.3, 1.8), (std::vector<double>{0, 0.3, 0.6, 3 * 0.3, 1.2, 1.5, 1.8}));
  EXPECT_EQ(output_times(0.7, 2.1), (std::vector<double>{0, 0.7, 1.4, 2.1}));
  // For every interval and number of intervals whose decimals a user may write, below the end and above it.
  for (int hundredths = 1; hundredths < 100; ++hundredths) {
    for (int count = 1; count < 200; ++count) {
      const double every = hundredths / 100.0;
      const double end = hundredths * count / 100.0;
      const auto last = next_output_time(every, end, (count - 1) * every, (count - 1) * every);
      EXPECT_FALSE(last) << every << " * " << count << ": " << *last;
      const auto first = next_output_time(every, 2 * end, end, end);  // a run that goes on at that end
      if (first) {
        EXPECT_GT(*first, end + every / 2) << every << " * " << count;
      }
    }
  }
}

TEST(OutputTimes, KeepMultiplesThatDifferFromTheEndByMoreThanRounding) {
  EXPECT_EQ(output_times(0.5, 1 + 0x1p-40), (std::vector<double>{0, 0.5, 1, 1 + 0x1p-40}));
}

TEST(OutputTimes, BeginWhereTheRunBeginsOnAMultiple) {
  const double begin = 0.9;  // 3 * 0.3 is the double below
  ASSERT_LT(3 * 0.3, begin);
  EXPECT_EQ(next_output_time(0.3, 2, begin, std::nullopt), begin);
  EXPECT_EQ(next_output_time(0.3, 2, begin, begin), 1.2);
  EXPECT_EQ(next_output_time(0.25, 2, -0.5, std::nullopt), -0.5);
}

TEST(OutputTimes, NeedAnIntervalThatCanBeReached) {
  for (const double every : {-1.0, 0x1p-21, 2 * kLargestTime, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(require_every(every, true), Error) << every;
  }
  EXPECT_THROW(require_every(0, false), Error);
  EXPECT_NO_THROW(require_every(0, true));
  EXPECT_NO_THROW(require_every(kLeastEvery, false));
}

TEST(OutputTimes, ThatRoundingWouldLoseAreRefused) {
  for (const double begin : {0.7, -5.3, 1e6, 123456789.125, 1e9, -1e12}) {
    SCOPED_TRACE(begin);
    ASSERT_NO_THROW(require_told_apart(0.25, begin, begin + 1));
    const std::vector<double> times = output_times(0.25, begin + 1, begin);
    EXPECT_GE(times.size(), 4);
    EXPECT_LE(times.size(), 6);
    for (std::size_t k = 1; k < times.size(); ++k) EXPECT_GT(times[k] - times[k - 1], 0.01);
  }
  EXPECT_EQ(output_times(0.25, 1e12 + 1, 1e12).size(), 5);
  for (const double begin : {1e15, -1e15, 1e16})
    EXPECT_THROW(require_told_apart(0.25, begin, begin + 4), Error) << begin;
  EXPECT_THROW(require_told_apart(kLeastEvery, 1e10, 1e10 + 1), Error);
  EXPECT_NO_THROW(require_told_apart(0, 1e15, 1e15 + 1));
  EXPECT_NO_THROW(require_told_apart(0.25, 1e300, 1e300 + 1));
  EXPECT_NO_THROW(require_told_apart(kLeastEvery, 0, kLargestTime));
}

}  // namespace
}  // namespace gdr::hostlib
