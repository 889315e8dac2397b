// A device of libg5 that was used gives what the library gives in a process in which it was not used before.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "histories.h"

extern "C" {
void g5_open();
void g5_close();
void g5_set_eps_to_all(double);
void g5_set_nMC(int, int);
void g5_set_xmjMC(int, int, int, double (*)[3], double*);
void g5_set_xiMC(int, int, double (*)[3]);
void g5_set_epsMC(int, int, double*);
void g5_runMC(int);
void g5_get_forceMC(int, int, double (*)[3], double*);
void g5_calculate_force_on_xMC(int, double (*)[3], double (*)[3], double*, int);
void g5_calculate_force_on_xeMC(int, double (*)[3], double*, double (*)[3], double*, int);
}

namespace {

using gdr::tests::HistoryNumbers;
using gdr::tests::HistoryStep;
using Vector = std::array<double, 3>;

double (*rows(std::vector<Vector>& vectors))[3] { return reinterpret_cast<double(*)[3]>(vectors.data()); }

constexpr std::size_t kMostI = 300;
/// Bits of forces and potentials.
using Answer = std::array<std::uint64_t, 4 * kMostI>;

/// The call of a step.
class Calls {
 public:
  Calls(const HistoryStep& step, HistoryNumbers& numbers)
      : way_(step.choice % 4), nj_(static_cast<int>(step.nj)), x_(step.ni), eps_(step.ni) {
    for (Vector& x : x_) {
      for (double& component : x) component = numbers.between(-2, 2);
    }
    for (double& eps : eps_) eps = numbers.between(0.01, 0.2);
  }
  void spoil() { x_.back()[0] = std::numeric_limits<double>::quiet_NaN(); }

  Answer on(int device) {
    const int ni = static_cast<int>(x_.size());
    std::vector<Vector> a(x_.size());
    std::vector<double> p(x_.size());
    g5_set_nMC(device, nj_);
    switch (way_) {
      case 0:
        g5_calculate_force_on_xMC(device, rows(x_), rows(a), p.data(), ni);
        break;
      case 1: {
        std::vector<double> eps2;
        for (const double eps : eps_) eps2.push_back(eps * eps);
        g5_calculate_force_on_xeMC(device, rows(x_), eps2.data(), rows(a), p.data(), ni);
        break;
      }
      case 2:  // the first ones have a softening of their own
        g5_set_xiMC(device, ni, rows(x_));
        g5_set_epsMC(device, (ni + 1) / 2, eps_.data());
        g5_runMC(device);
        g5_get_forceMC(device, ni, rows(a), p.data());
        break;
      default:  // two runs of the same i-particles
        g5_set_xiMC(device, ni, rows(x_));
        g5_runMC(device);
        g5_runMC(device);
        g5_get_forceMC(device, ni, rows(a), p.data());
    }
    Answer answer{};
    for (std::size_t n = 0; n < x_.size(); ++n) {
      for (std::size_t k = 0; k < 3; ++k) answer[4 * n + k] = std::bit_cast<std::uint64_t>(a[n][k]);
      answer[4 * n + 3] = std::bit_cast<std::uint64_t>(p[n]);
    }
    return answer;
  }

 private:
  unsigned way_;
  int nj_;
  std::vector<Vector> x_;
  std::vector<double> eps_;
};

class DevicePlayer {
 public:
  explicit DevicePlayer(std::uint64_t) {
    g5_open();
    g5_set_eps_to_all(eps_);
  }
  ~DevicePlayer() { g5_close(); }
  DevicePlayer(const DevicePlayer&) = delete;
  DevicePlayer& operator=(const DevicePlayer&) = delete;

  void step(const HistoryStep& step) {
    Used& used = used_.at(step.object);
    HistoryNumbers numbers(step.data);
    switch (step.action) {
      case HistoryStep::Action::write:
        write(used, step.first, step.count, numbers);
        break;
      case HistoryStep::Action::run: {
        Calls calls(step, numbers);
        const Answer expected = fresh(used, calls);
        EXPECT_TRUE(calls.on(used.number) == expected);
        break;
      }
      case HistoryStep::Action::parameter:
        eps_ = numbers.between(0.01, 0.2);
        g5_set_eps_to_all(eps_);
        break;
      case HistoryStep::Action::other_kernel:  // there is none: the library is closed and opened
        g5_close();
        g5_open();
        for (Used& each : used_) each.clear();
        break;
      case HistoryStep::Action::mistake:
        err(used, step, numbers);
        break;
      case HistoryStep::Action::other_object:
        break;
    }
  }

 private:
  struct Used {
    int number;
    std::vector<Vector> x{};
    std::vector<double> m{};
    void clear() {
      x.clear();
      m.clear();
    }
  };

  static void write(Used& used, std::size_t first, std::size_t count, HistoryNumbers& numbers) {
    used.x.resize(std::max(used.x.size(), first + count));
    used.m.resize(used.x.size());
    for (std::size_t n = first; n < first + count; ++n) {
      for (double& component : used.x[n]) component = numbers.between(-2, 2);
      used.m[n] = numbers.between(0.1, 1);
    }
    g5_set_xmjMC(used.number, static_cast<int>(first), static_cast<int>(count), rows(used.x) + first,
                 used.m.data() + first);
  }

  /// Computed in a child, where the library begins anew.
  Answer fresh(Used used, Calls calls) const {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
      g5_open();
      g5_set_eps_to_all(eps_);
      g5_set_xmjMC(used.number, 0, static_cast<int>(used.x.size()), rows(used.x), used.m.data());
      const Answer answer = calls.on(used.number);
      _exit(::write(ends[1], answer.data(), sizeof answer) == sizeof answer ? 0 : 1);
    }
    Answer answer{};
    ::close(ends[1]);
    for (std::size_t got = 0; got < sizeof answer;) {
      const ssize_t part = read(ends[0], reinterpret_cast<char*>(answer.data()) + got, sizeof answer - got);
      if (part <= 0) break;
      got += static_cast<std::size_t>(part);
    }
    ::close(ends[0]);
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    return answer;
  }

  static bool is_nan(const Answer& answer) { return std::isnan(std::bit_cast<double>(answer[0])); }

  void err(Used& used, const HistoryStep& step, HistoryNumbers& numbers) {
    Calls calls(step, numbers);
    switch (step.choice % 4) {
      case 0: {  // no run takes the particle until another is set there
        std::vector<Vector> x(1, Vector{std::numeric_limits<double>::quiet_NaN(), 0, 0});
        double m = 1;
        g5_set_xmjMC(used.number, 3, 1, rows(x), &m);
        const bool refused = is_nan(calls.on(used.number));
        EXPECT_EQ(refused, step.nj > 3);
        write(used, 3, 1, numbers);
        break;
      }
      case 1:
        calls.spoil();
        EXPECT_TRUE(is_nan(calls.on(used.number)));
        break;
      case 2:
        g5_set_eps_to_all(-1);
        static_cast<void>(calls.on(used.number));
        g5_set_eps_to_all(eps_);
        break;
      default:
        g5_set_nMC(used.number, -1);
        g5_runMC(used.number);
    }
  }

  double eps_ = 0.03125;
  std::array<Used, 2> used_{Used{0}, Used{5}};
};

TEST(Grape5History, GivesWhatAFreshLibraryGives) { gdr::tests::play_histories<DevicePlayer>(1, 12); }

TEST(NightlyGrape5History, GivesWhatAFreshLibraryGives) {
  gdr::tests::play_histories<DevicePlayer>(gdr::tests::new_seed(), 2000);
}

}  // namespace
