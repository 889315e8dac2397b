// How benchmarks measure: sides in turn in one process, medians over the rounds.
#pragma once

#include <functional>
#include <vector>

namespace gdr::bench {

inline constexpr unsigned kRounds = 15;

enum class Clock { cpu, wall };  // of the calling thread; of the world

/// Seconds.
[[nodiscard]] double now(Clock clock);

/// What the command line wants of the registered benchmarks. Returns the exit status.
[[nodiscard]] int run_benchmarks(int argc, char** argv);

[[nodiscard]] double median(std::vector<double> values);

/// Seconds of each side in each round: seconds[side][round].
class Rounds {
 public:
  /// Runs all sides once to warm up, then `rounds` times one after the other.
  Rounds(const std::vector<std::function<void()>>& sides, unsigned rounds = kRounds, Clock clock = Clock::cpu);

  [[nodiscard]] double seconds(std::size_t side) const { return median(seconds_[side]); }
  /// Median of the rounds' own ratios.
  [[nodiscard]] double ratio(std::size_t numerator, std::size_t denominator) const;

 private:
  std::vector<std::vector<double>> seconds_;
};

}  // namespace gdr::bench
