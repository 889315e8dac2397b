// Threads that work through numbered tasks; which thread takes which task never matters for a result.
#pragma once

#include <functional>
#include <memory>

namespace gdr::emulator {

/// In a child that the process forks the pool has threads of its own, started on first use: those of the parent do not
/// exist there, and are neither waited for nor joined.
class ThreadPool {
 public:
  /// `threads` counts the caller: 1 starts none.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// The caller among them.
  [[nodiscard]] unsigned threads() const { return threads_; }

  /// Calls task(0) .. task(count - 1), each once, and returns when all have ended. If some throw, throws what the one
  /// of the smallest number threw. Sleeping threads wait on a condition, they do not spin.
  void run(unsigned count, const std::function<void(unsigned)>& task);

 private:
  class Team;
  void leave_to_parent();

  unsigned threads_;
  std::unique_ptr<Team> team_;
};

}  // namespace gdr::emulator
