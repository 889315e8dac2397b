// Whether a form of a loop body is worth trying.
#pragma once

#include <algorithm>
#include <atomic>

namespace gdr::emulator::jit {

/// How often iterations were refused lately. A form that was refused too often is tried again now and then, since data
/// change.
class Trust {
 public:
  /// True if ties were refused so often that a form which settles them pays.
  [[nodiscard]] bool often_refused() const {
    const unsigned refusals = refusals_.load(std::memory_order_relaxed);
    return refusals >= kOften || (refusals > 0 && level_.load(std::memory_order_relaxed) <= 0);
  }
  [[nodiscard]] bool given() const {
    constexpr unsigned kAskAgain = 64;
    return level_.load(std::memory_order_relaxed) > 0 ||
           skipped_.fetch_add(1, std::memory_order_relaxed) % kAskAgain == 0;
  }
  void passed() const {
    if (level_.load(std::memory_order_relaxed) < kMost) level_.fetch_add(1, std::memory_order_relaxed);
  }
  void refused(bool of_ties) const {
    if (of_ties) refusals_.fetch_add(1, std::memory_order_relaxed);
    const int level = level_.load(std::memory_order_relaxed);
    level_.store(std::max(level - kPerRefusal, kLeast), std::memory_order_relaxed);
  }

 private:
  static constexpr int kMost = 64;
  // Of those asked now and then, four in a row must pass. Refusals may be of a beginning alone, as numbers of few bits
  // are: their sums are often ties.
  static constexpr int kLeast = -3;
  static constexpr int kPerRefusal = 8;
  mutable std::atomic<int> level_{kMost};
  static constexpr unsigned kOften = 32;
  mutable std::atomic<unsigned> skipped_{0};
  mutable std::atomic<unsigned> refusals_{0};
};

}  // namespace gdr::emulator::jit
