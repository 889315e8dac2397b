// Threads that work through numbered tasks; which thread takes which task never matters for a result.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gdr::emulator {

class ThreadPool {
 public:
  /// `threads` counts the caller: 1 starts none.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// The caller among them.
  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(threads_.size()) + 1; }

  /// Calls task(0) .. task(count - 1), each once, and returns when all have ended. If some throw, throws what the one
  /// of the smallest number threw. Sleeping threads wait on a condition, they do not spin.
  void run(unsigned count, const std::function<void(unsigned)>& task);

 private:
  void work(std::stop_token stop);
  void take_tasks(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable done_;
  const std::function<void(unsigned)>* task_ = nullptr;
  unsigned next_ = 0;
  unsigned count_ = 0;
  unsigned running_ = 0;
  unsigned failed_ = 0;  // number of the task whose exception is kept
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;
};

}  // namespace gdr::emulator
