// The largest of a test's deviations. std::max passes over NaN, and a board that returns NaN would pass with it.
#pragma once

#include <cmath>

namespace gdr::tests {

/// Starts at 0. Once NaN was given, value() is NaN, which EXPECT_LE and EXPECT_LT refuse.
template <class Number>
class Largest {
 public:
  void add(Number deviation) {
    if (std::isnan(value_) || deviation <= value_) return;
    value_ = deviation;
  }
  [[nodiscard]] Number value() const { return value_; }

 private:
  Number value_ = 0;
};

}  // namespace gdr::tests
