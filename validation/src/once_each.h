// Results that several rows share, computed once each.
#pragma once

#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <utility>

namespace gdr::validation {

/// Thrown instead of waiting for a result that another thread computes.
class Busy {};

/// Whether this thread has other work than to wait for a result that another thread computes. False at first.
class OtherWork {
 public:
  /// The answer as long as this object exists; then it is as before.
  explicit OtherWork(bool has) : before_(std::exchange(has_, has)) {}
  ~OtherWork() { has_ = before_; }
  OtherWork(const OtherWork&) = delete;
  OtherWork& operator=(const OtherWork&) = delete;

  [[nodiscard]] static bool has() { return has_; }

 private:
  inline static thread_local bool has_ = false;
  bool before_;
};

/// Results by key, for any number of threads. The first that asks for a key computes its result. The others wait, or
/// are thrown Busy if they have other work; but a thread that computes a result waits for those that it needs, since it
/// would have to begin again.
template <class Key, class Value>
class OnceEach {
 public:
  /// The result stays valid as long as this object. Throws what `compute` threw, and Busy.
  template <class Compute>
  const Value& of(const Key& key, const Compute& compute) {
    std::promise<Value> promise;
    std::unique_lock lock(mutex_);
    const auto [entry, is_new] = known_.try_emplace(key);
    if (is_new) entry->second = promise.get_future().share();
    const std::shared_future<Value> result = entry->second;
    lock.unlock();
    if (is_new) {
      const OtherWork none(false);
      try {
        promise.set_value(compute());
      } catch (...) {
        promise.set_exception(std::current_exception());
      }
    }
    if (OtherWork::has() && result.wait_for(std::chrono::seconds(0)) != std::future_status::ready) throw Busy();
    return result.get();
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::shared_future<Value>> known_;
};

}  // namespace gdr::validation
