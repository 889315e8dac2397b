// Whether a form of a loop body is worth trying.
#pragma once

#include <atomic>

namespace gdr::emulator::jit {

/// How often iterations were refused lately. A form that was refused too often is tried again now and then, since data
/// change.
class Trust {
 public:
  /// True if ties were refused so often that a form which settles them pays.
  [[nodiscard]] bool often_refused() const { return refusals_.load(std::memory_order_relaxed) >= kOften; }
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
    if (level_.load(std::memory_order_relaxed) > -kMost) level_.fetch_sub(kPerRefusal, std::memory_order_relaxed);
  }

 private:
  static constexpr int kMost = 64;
  static constexpr int kPerRefusal = 8;
  mutable std::atomic<int> level_{kMost};
  static constexpr unsigned kOften = 32;
  mutable std::atomic<unsigned> skipped_{0};
  mutable std::atomic<unsigned> refusals_{0};
};

}  // namespace gdr::emulator::jit
