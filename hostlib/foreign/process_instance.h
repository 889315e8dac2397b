// The one object of a process behind a library's functions.
#pragma once

#include <unistd.h>

#include <atomic>
#include <memory>

namespace gdr::foreign {

/// A Library(bool forked) that is created on first use and never destroyed, so that handlers of atexit, static
/// destructors and threads that outlive main may call it. A forked child begins with one of its own: its parent's
/// threads do not exist there. One variable of static storage for each Library.
template <class Library>
class ProcessInstance {
 public:
  /// Creates it if there is none. Throws std::bad_alloc.
  [[nodiscard]] Library& get() {
    Library* existing = instance_.load(std::memory_order_acquire);
    if (existing != nullptr) return *existing;
    auto fresh = std::make_unique<Library>(is_forked_.load());
    if (instance_.compare_exchange_strong(existing, fresh.get(), std::memory_order_acq_rel)) {
      owner_.store(getpid());
      return *fresh.release();
    }
    return *existing;
  }
  /// Null if this process has created none, and in a child of vfork, which shares its parent's memory.
  [[nodiscard]] Library* existing() { return owner_.load() == getpid() ? instance_.load() : nullptr; }

  /// To be called in a forked child (pthread_atfork).
  void begin_anew() {
    is_forked_.store(true);
    instance_.store(nullptr);
  }

 private:
  std::atomic<Library*> instance_{nullptr};
  std::atomic<bool> is_forked_{false};
  std::atomic<pid_t> owner_{0};
};

}  // namespace gdr::foreign
