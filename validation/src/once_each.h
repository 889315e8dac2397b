// Results that several rows share, computed once each.
#pragma once

#include <future>
#include <map>
#include <mutex>

namespace gdr::validation {

/// Results by key, for any number of threads. The first that asks for a key computes its result, and the others wait.
template <class Key, class Value>
class OnceEach {
 public:
  /// The result stays valid as long as this object. Throws what `compute` threw.
  template <class Compute>
  const Value& of(const Key& key, const Compute& compute) {
    std::promise<Value> promise;
    std::unique_lock lock(mutex_);
    const auto [entry, is_new] = known_.try_emplace(key);
    if (is_new) entry->second = promise.get_future().share();
    const std::shared_future<Value> result = entry->second;
    lock.unlock();
    if (is_new) {
      try {
        promise.set_value(compute());
      } catch (...) {
        promise.set_exception(std::current_exception());
      }
    }
    return result.get();
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::shared_future<Value>> known_;
};

}  // namespace gdr::validation
