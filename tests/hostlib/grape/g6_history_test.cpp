// A cluster of libg6 that was used gives what one gives that was just opened and has the same particles.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "g6_api.h"
#include "histories.h"

namespace {

using gdr::tests::HistoryNumbers;
using gdr::tests::HistoryStep;
using Vector = std::array<double, 3>;

struct Particle {
  int index = 0;
  double t = 0;
  double mass = 0;
  std::array<Vector, 5> derivatives{};  // snap / 18, jerk / 6, a / 2, v, x
};

Particle drawn_particle(std::size_t address, HistoryNumbers& numbers) {
  Particle particle;
  particle.index = static_cast<int>(address * 7919 % 100003);
  particle.t = static_cast<double>(numbers.below(4)) / 64;
  particle.mass = numbers.between(0.1, 1);
  for (Vector& vector : particle.derivatives) {
    for (double& component : vector) component = numbers.between(-1, 1);
  }
  return particle;
}

int send(int cluster, std::size_t address, Particle particle) {
  auto& [snap, jerk, a, v, x] = particle.derivatives;
  return g6_set_j_particle(cluster, static_cast<int>(address), particle.index, particle.t, 0.125, particle.mass,
                           snap.data(), jerk.data(), a.data(), v.data(), x.data());
}

double (*rows(std::vector<Vector>& vectors))[3] { return reinterpret_cast<double(*)[3]>(vectors.data()); }

std::vector<std::uint64_t> bits(const std::vector<Vector>& vectors) {
  std::vector<std::uint64_t> all;
  for (const Vector& vector : vectors) {
    for (const double component : vector) all.push_back(std::bit_cast<std::uint64_t>(component));
  }
  return all;
}

/// Of one call, with all that can be asked for.
struct Answer {
  int status = 0;
  std::vector<std::uint64_t> acc;
  std::vector<std::uint64_t> jerk;
  std::vector<std::uint64_t> pot;
  std::vector<int> nearest;
  std::vector<std::uint32_t> distance;
  std::vector<std::vector<int>> lists;
};

enum class Way : std::uint8_t { forces, nearest, distances, lists, lists_twice, one_by_one };
constexpr unsigned kWays = 6;

/// i-particles of a step and the calls for them, on any cluster.
class Calls {
 public:
  Calls(const HistoryStep& step, HistoryNumbers& numbers)
      : way_(static_cast<Way>(step.choice % kWays)),
        nj_(static_cast<int>(step.nj)),
        ni_(static_cast<int>(step.ni)),
        eps2_(step.choice % 5 == 0 ? 0 : numbers.between(0, 0.1)),
        index_(step.ni),
        x_(step.ni),
        v_(step.ni),
        h2_(step.ni) {
    for (std::size_t n = 0; n < step.ni; ++n) {
      index_[n] = n % 3 == 0 ? static_cast<int>(n * 7919 % 100003) : -1 - static_cast<int>(n);
      for (double& component : x_[n]) component = numbers.between(-1, 1);
      for (double& component : v_[n]) component = numbers.between(-1, 1);
      h2_[n] = numbers.between(0, 0.5);
    }
  }

  void spoil() { x_.back()[1] = std::numeric_limits<double>::quiet_NaN(); }

  void begin(int cluster) {
    std::vector<Vector> acc(x_.size(), Vector{1, 1, 1});
    std::vector<Vector> jerk = acc;
    std::vector<double> pot(x_.size(), -1.0);
    g6calc_firsthalf(cluster, nj_, ni_, index_.data(), rows(x_), rows(v_), rows(acc), rows(jerk), pot.data(), eps2_,
                     h2_.data());
  }
  Answer end(int cluster) {
    Answer answer;
    std::vector<Vector> acc(x_.size());
    std::vector<Vector> jerk(x_.size());
    std::vector<double> pot(x_.size());
    std::vector<int> nearest(x_.size());
    std::vector<float> distance(x_.size());
    if (way_ == Way::forces || way_ == Way::lists) {
      answer.status = g6calc_lasthalf(cluster, nj_, ni_, index_.data(), rows(x_), rows(v_), eps2_, h2_.data(),
                                      rows(acc), rows(jerk), pot.data());
    } else if (way_ == Way::distances) {
      answer.status = g6calc_lasthalf2p(cluster, nj_, ni_, index_.data(), rows(x_), rows(v_), eps2_, h2_.data(),
                                        rows(acc), rows(jerk), pot.data(), nearest.data(), distance.data());
    } else {
      answer.status = g6calc_lasthalf2(cluster, nj_, ni_, index_.data(), rows(x_), rows(v_), eps2_, h2_.data(),
                                       rows(acc), rows(jerk), pot.data(), nearest.data());
    }
    for (unsigned read = 0; read < (way_ == Way::lists ? 1U : way_ == Way::lists_twice ? 2U : 0U); ++read) {
      answer.status += 10 * g6_read_neighbour_list(cluster);
      answer.lists.clear();
      for (int n = 0; n < ni_; ++n) {
        std::vector<int>& list = answer.lists.emplace_back(2000);
        int length = 0;
        answer.status += 100 * g6_get_neighbour_list(cluster, n, 2000, &length, list.data());
        list.resize(static_cast<std::size_t>(length));
      }
    }
    answer.acc = bits(acc);
    answer.jerk = bits(jerk);
    for (const double p : pot) answer.pot.push_back(std::bit_cast<std::uint64_t>(p));
    answer.nearest = nearest;
    for (const float d : distance) answer.distance.push_back(std::bit_cast<std::uint32_t>(d));
    return answer;
  }
  [[nodiscard]] bool is_one_by_one() const { return way_ == Way::one_by_one; }
  Answer one_by_one(int cluster) {
    Answer answer;
    std::vector<Vector> acc(x_.size());
    std::vector<Vector> jerk(x_.size());
    std::vector<double> pot(x_.size());
    std::vector<int> flag(x_.size());
    answer.nearest.resize(x_.size());
    g6_set_nip(cluster, ni_);
    for (int n = 0; n < ni_; ++n) {
      const auto at = static_cast<std::size_t>(n);
      g6_set_i_particle(cluster, n, index_[at], x_[at].data(), v_[at].data(), eps2_, h2_[at]);
    }
    answer.status = g6_get_force_etc(cluster, rows(acc), rows(jerk), pot.data(), answer.nearest.data(), flag.data());
    answer.acc = bits(acc);
    answer.jerk = bits(jerk);
    for (const double p : pot) answer.pot.push_back(std::bit_cast<std::uint64_t>(p));
    return answer;
  }

 private:
  Way way_;
  int nj_;
  int ni_;
  double eps2_;
  std::vector<int> index_;
  std::vector<Vector> x_;
  std::vector<Vector> v_;
  std::vector<double> h2_;
};

constexpr int kFresh = 9;

class ClusterPlayer {
 public:
  explicit ClusterPlayer(std::uint64_t) {
    for (const Cluster& cluster : clusters_) EXPECT_EQ(g6_open(cluster.number), 0);
  }
  ~ClusterPlayer() {
    for (const Cluster& cluster : clusters_) g6_close(cluster.number);
  }
  ClusterPlayer(const ClusterPlayer&) = delete;
  ClusterPlayer& operator=(const ClusterPlayer&) = delete;

  void step(const HistoryStep& step) {
    Cluster& cluster = clusters_.at(step.object);
    HistoryNumbers numbers(step.data);
    switch (step.action) {
      case HistoryStep::Action::write:
        for (std::size_t n = 0; n < step.count; ++n) set(cluster, step.first + n, numbers);
        break;
      case HistoryStep::Action::run:
        run(cluster, step, numbers);
        break;
      case HistoryStep::Action::parameter:
        set_time(cluster, numbers.between(0, 0.25));
        break;
      case HistoryStep::Action::other_kernel:  // there is only one; particles are forgotten instead
        forget_from(cluster, step.choice % 300);
        break;
      case HistoryStep::Action::mistake:
        err(cluster, step, numbers);
        break;
      case HistoryStep::Action::other_object:
        break;
    }
  }

 private:
  struct Cluster {
    int number;
    double t = 0;
    int nj = 0;  // of g6_set_njp()
    std::map<std::size_t, Particle> particles{};
  };

  static void set(Cluster& cluster, std::size_t address, HistoryNumbers& numbers) {
    const Particle particle = drawn_particle(address, numbers);
    EXPECT_EQ(send(cluster.number, address, particle), 0);
    cluster.particles[address] = particle;
  }
  static void set_time(Cluster& cluster, double t) {
    cluster.t = t;
    EXPECT_EQ(g6_set_ti(cluster.number, t), 0);
  }
  static void forget_from(Cluster& cluster, std::size_t count) {
    EXPECT_EQ(g6_set_njp(cluster.number, static_cast<int>(count)), 0);
    cluster.nj = static_cast<int>(count);
    cluster.particles.erase(cluster.particles.lower_bound(count), cluster.particles.end());
  }

  static Answer fresh(const Cluster& cluster, Calls calls) {
    EXPECT_EQ(g6_open(kFresh), 0);
    for (const auto& [address, particle] : cluster.particles) send(kFresh, address, particle);
    g6_set_ti(kFresh, cluster.t);
    Answer answer;
    if (calls.is_one_by_one()) {
      if (cluster.nj > 0) g6_set_njp(kFresh, cluster.nj);
      answer = calls.one_by_one(kFresh);
    } else {
      calls.begin(kFresh);
      answer = calls.end(kFresh);
    }
    g6_close(kFresh);
    return answer;
  }

  /// At times, particles and time are changed between the halves; the results are those of before.
  static void run(Cluster& cluster, const HistoryStep& step, HistoryNumbers& numbers) {
    Calls calls(step, numbers);
    const Answer expected = fresh(cluster, calls);
    Answer got;
    if (calls.is_one_by_one()) {
      got = calls.one_by_one(cluster.number);
    } else {
      calls.begin(cluster.number);
      if (step.choice % 7 == 0) {
        for (std::size_t n = 0; n < 20; ++n) set(cluster, (step.choice + 37 * n) % 200, numbers);
        if (step.choice % 14 == 0) set_time(cluster, numbers.between(0, 0.25));
        if (step.choice % 3 == 0) forget_from(cluster, step.choice % 200);
      }
      got = calls.end(cluster.number);
    }
    EXPECT_EQ(got.status, expected.status);
    EXPECT_EQ(got.acc, expected.acc);
    EXPECT_EQ(got.jerk, expected.jerk);
    EXPECT_EQ(got.pot, expected.pot);
    EXPECT_EQ(got.nearest, expected.nearest);
    EXPECT_EQ(got.distance, expected.distance);
    EXPECT_EQ(got.lists, expected.lists);
  }

  static void err(Cluster& cluster, const HistoryStep& step, HistoryNumbers& numbers) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Calls calls(step, numbers);
    switch (step.choice % 5) {
      case 0: {  // no run takes the particle until another is set there
        Particle particle = drawn_particle(3, numbers);
        particle.derivatives[4][0] = nan;
        EXPECT_NE(send(cluster.number, 3, particle), 0);
        calls.begin(cluster.number);
        const int status = calls.end(cluster.number).status;
        EXPECT_EQ(status < 0, step.nj > 3);
        set(cluster, 3, numbers);
        break;
      }
      case 1:
        g6_reset(cluster.number);
        EXPECT_LT(calls.end(cluster.number).status, 0);
        break;
      case 2:
        calls.spoil();
        calls.begin(cluster.number);
        EXPECT_LT(calls.end(cluster.number).status, 0);
        break;
      case 3:
        EXPECT_NE(g6_set_ti(cluster.number, nan), 0);
        calls.begin(cluster.number);
        EXPECT_LT(calls.end(cluster.number).status, 0);
        set_time(cluster, numbers.between(0, 0.25));
        break;
      default:  // begun and dropped
        calls.begin(cluster.number);
    }
  }

  std::array<Cluster, 2> clusters_{Cluster{1}, Cluster{4}};
};

TEST(Grape6History, GivesWhatAFreshClusterGives) { gdr::tests::play_histories<ClusterPlayer>(1, 12); }

TEST(NightlyGrape6History, GivesWhatAFreshClusterGives) {
  gdr::tests::play_histories<ClusterPlayer>(gdr::tests::new_seed(), 2000);
}

}  // namespace
