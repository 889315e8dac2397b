// libgdrblas after other calls gives what it gives in a process in which it was not used before.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "histories.h"

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, double*, const int*);
// Replaces the host library's handler, which would end the program.
void xerbla_(const char* name, const int* info, std::size_t length);
}

namespace {
int refused = 0;
}
void xerbla_(const char*, const int* info, std::size_t) { refused = *info; }

namespace {

using gdr::tests::HistoryNumbers;
using gdr::tests::HistoryStep;

/// A call of a step, with its own matrices.
class Call {
 public:
  explicit Call(const HistoryStep& step) : step_(step) {}

  /// Bits of C, or of B after a dtrsm, with the argument that was refused behind them.
  [[nodiscard]] std::vector<std::uint64_t> compute() const {
    HistoryNumbers numbers(step_.data);
    const int m = static_cast<int>(1 + numbers.below(150));
    const int n = static_cast<int>(step_.ni);
    const int k = static_cast<int>(step_.nj % 300);
    const bool spoilt = step_.action == HistoryStep::Action::mistake;
    const double alpha = step_.choice % 3 == 0 ? 1 : numbers.between(-2, 2);
    const double beta = step_.choice % 4 == 0 ? 0 : numbers.between(-2, 2);
    const int order = std::max({m, n, k, 1});
    const auto matrix = [&] {
      std::vector<double> values(static_cast<std::size_t>(order) * static_cast<std::size_t>(order));
      for (double& value : values) value = numbers.between(-1, 1);
      return values;
    };
    std::vector<double> a = matrix();
    const std::vector<double> b = matrix();
    std::vector<double> c = matrix();
    if (spoilt && step_.choice % 3 == 0) a[0] = std::numeric_limits<double>::quiet_NaN();
    if (spoilt && step_.choice % 3 == 1) a[1] = std::numeric_limits<double>::infinity();
    const int ld = spoilt && step_.choice % 3 == 2 ? 0 : order;
    refused = 0;
    if (step_.choice % 5 == 0) {
      for (int row = 0; row < order; ++row) a[static_cast<std::size_t>(row * order + row)] += 4 + order;
      dtrsm_(step_.choice % 2 == 0 ? "L" : "R", "L", "N", "N", &m, &n, &alpha, a.data(), &ld, c.data(), &order);
    } else {
      dgemm_(step_.choice % 2 == 0 ? "N" : "T", step_.choice % 7 < 3 ? "N" : "T", &m, &n, &k, &alpha, a.data(), &ld,
             b.data(), &order, &beta, c.data(), &order);
    }
    std::vector<std::uint64_t> bits;
    for (const double value : c) bits.push_back(std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value));
    bits.push_back(static_cast<std::uint64_t>(refused));
    return bits;
  }

 private:
  HistoryStep step_;
};

/// Computed in a child, where the library begins anew.
std::vector<std::uint64_t> fresh(const Call& call) {
  int ends[2] = {};
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const std::vector<std::uint64_t> bits = call.compute();
    const char* from = reinterpret_cast<const char*>(bits.data());
    for (std::size_t left = bits.size() * sizeof bits[0]; left > 0;) {
      const ssize_t part = write(ends[1], from, left);
      if (part <= 0) _exit(1);
      from += part;
      left -= static_cast<std::size_t>(part);
    }
    _exit(0);
  }
  close(ends[1]);
  std::vector<std::uint64_t> bits;
  std::string bytes;
  char part[65536];
  for (ssize_t got = 0; (got = read(ends[0], part, sizeof part)) > 0;)
    bytes.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  bits.resize(bytes.size() / sizeof bits[0]);
  std::copy_n(bytes.data(), bits.size() * sizeof bits[0], reinterpret_cast<char*>(bits.data()));
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return bits;
}

class BlasPlayer {
 public:
  explicit BlasPlayer(std::uint64_t) {}
  static void step(const HistoryStep& step) {
    if (step.action != HistoryStep::Action::run && step.action != HistoryStep::Action::mistake) return;
    const Call call(step);
    const std::vector<std::uint64_t> got = call.compute();
    EXPECT_TRUE(got == fresh(call));
  }
};

TEST(BlasHistory, GivesWhatAFreshLibraryGives) { gdr::tests::play_histories<BlasPlayer>(1, 2); }

TEST(NightlyBlasHistory, GivesWhatAFreshLibraryGives) {
  gdr::tests::play_histories<BlasPlayer>(gdr::tests::new_seed(), 500);
}

}  // namespace
