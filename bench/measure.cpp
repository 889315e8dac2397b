#include "measure.h"

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>

namespace gdr::bench {

int run_benchmarks(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

double now(Clock clock) {
  timespec time{};
  clock_gettime(clock == Clock::cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Rounds::Rounds(const std::vector<std::function<void()>>& sides, unsigned rounds, Clock clock) : seconds_(sides.size()) {
  for (const auto& side : sides) side();
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t n = 0; n < sides.size(); ++n) {
      const double start = now(clock);
      sides[n]();
      seconds_[n].push_back(now(clock) - start);
    }
  }
}

double Rounds::ratio(std::size_t numerator, std::size_t denominator) const {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < seconds_[numerator].size(); ++round) {
    ratios.push_back(seconds_[numerator][round] / seconds_[denominator][round]);
  }
  return median(std::move(ratios));
}

}  // namespace gdr::bench
