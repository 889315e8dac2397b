// Histories: random sequences of calls on one object, for tests of the law that a used object gives what a fresh one
// gives for the same data. A player carries out the steps on what it tests, remembers the data, and compares every
// result bit by bit with that of a fresh object.
//
// GDR_TEST_SEED is the seed of the first history, GDR_TEST_HISTORIES how many follow one another. A failure names both,
// so that its history can be played again, and shows the steps.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace gdr::tests {

struct HistoryStep {
  enum class Action : std::uint8_t { write, run, parameter, other_kernel, mistake, other_object };
  Action action = Action::run;
  unsigned object = 0;     // the one of two that the step is about
  std::size_t first = 0;   // of the j-particles that `write` writes
  std::size_t count = 0;   // of these
  std::size_t ni = 0;      // of `run`
  std::size_t nj = 0;      // of `run`
  unsigned choice = 0;     // a kernel, a mistake, a way to run
  std::uint32_t data = 0;  // seed of the numbers that the step takes
};

inline const char* name_of(HistoryStep::Action action) {
  constexpr std::array kNames{"write", "run", "parameter", "other_kernel", "mistake", "other_object"};
  return kNames.at(static_cast<std::size_t>(action));
}

inline std::string text_of(const HistoryStep& step) {
  std::ostringstream text;
  text << name_of(step.action) << " object=" << step.object << " first=" << step.first << " count=" << step.count
       << " ni=" << step.ni << " nj=" << step.nj << " choice=" << step.choice << " data=" << step.data;
  return text.str();
}

/// j-particles of a history have addresses below this.
constexpr std::size_t kHistoryJ = 1100;
constexpr std::size_t kHistorySteps = 16;

/// The steps of one seed. Numbers of particles are drawn around the borders at which a chip or an engine divides them.
inline std::vector<HistoryStep> history(std::uint64_t seed) {
  using Action = HistoryStep::Action;
  constexpr std::array<std::size_t, 21> kBorders{0,  1,  15,  16,  17,  31,  32,  33,  63,   64,  65,
                                                 66, 92, 127, 128, 129, 192, 256, 257, 1024, 1025};
  constexpr std::array<std::size_t, 16> kTargets{1, 1, 3, 4, 5, 20, 28, 32, 33, 56, 64, 88, 112, 128, 129, 260};
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto j_count = [&](std::size_t before) -> std::size_t {
    switch (below(4)) {
      case 0:
        return below(300);
      case 1:  // somewhat more than before, in the same or the next round of the chips
        return std::min(before + 1 + below(31), kHistoryJ);
      case 2:
        return 16 * below(20);
      default:
        return kBorders[below(kBorders.size())];
    }
  };
  std::vector<HistoryStep> steps;
  unsigned object = 0;
  std::array<std::size_t, 2> nj{};
  for (std::size_t n = 0; n < kHistorySteps; ++n) {
    HistoryStep step;
    const std::size_t kind = below(20);
    step.action = n == 0 || kind < 3 ? Action::write
                  : kind < 14        ? Action::run
                  : kind < 16        ? Action::parameter
                  : kind < 17        ? Action::other_kernel
                  : kind < 19        ? Action::mistake
                                     : Action::other_object;
    if (step.action == Action::other_object) object = 1 - object;
    step.object = object;
    step.choice = static_cast<unsigned>(below(1000));
    step.data = static_cast<std::uint32_t>(random());
    if (n == 0) {
      step.count = kHistoryJ;
    } else if (step.action == Action::write) {
      step.first = below(200);
      step.count = std::min(j_count(0), kHistoryJ - step.first);
    } else if (step.action == Action::run || step.action == Action::mistake) {
      step.nj = nj.at(object) = j_count(nj.at(object));
      step.ni = below(3) == 0 ? 1 + below(140) : kTargets[below(kTargets.size())];
      if (step.nj > 300) step.ni = std::min<std::size_t>(step.ni, 56);  // what the host computes in some ms
    }
    steps.push_back(step);
  }
  return steps;
}

/// Numbers of a step.
class HistoryNumbers {
 public:
  explicit HistoryNumbers(std::uint32_t seed) : random_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

 private:
  std::mt19937_64 random_;
};

inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const given = std::getenv(name);
  return given == nullptr ? otherwise : std::stoull(given);
}

/// A seed of this night.
inline std::uint64_t new_seed() { return std::random_device()(); }

/// Plays as many histories as GDR_TEST_HISTORIES says, otherwise `count`, each with a new Player(its seed,
/// arguments...) that has step(). Stops at the first failure.
template <class Player, class... Arguments>
void play_histories(std::uint64_t seed, std::uint64_t count, const Arguments&... arguments) {
  const std::uint64_t first = from_environment("GDR_TEST_SEED", seed);
  const std::uint64_t last = first + from_environment("GDR_TEST_HISTORIES", count);
  for (std::uint64_t own = first; own < last; ++own) {
    std::ostringstream played;
    Player player(own, arguments...);
    for (const HistoryStep& step : history(own)) {
      played << "  " << text_of(step) << '\n';
      player.step(step);
      if (!testing::Test::HasFailure()) continue;
      const char* const jit = std::getenv("GDR_JIT");
      ADD_FAILURE() << "again: GDR_TEST_SEED=" << own << " GDR_TEST_HISTORIES=1"
                    << (jit == nullptr ? "" : std::string(" GDR_JIT=") + jit) << "\n"
                    << played.str();
      return;
    }
  }
  std::cout << last - first << " histories from GDR_TEST_SEED=" << first << std::endl;
}

}  // namespace gdr::tests
