// Threads that work through numbered parts of jobs; which thread takes which part never matters for a result.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <memory>

namespace gdr::emulator {

/// In a child that the process forks while no work is under way the pool has threads of its own, started on first use:
/// those of the parent do not exist there, and are neither waited for nor joined.
class ThreadPool {
 public:
  using Task = std::function<void(unsigned part)>;

  /// Jobs that are done one after the other, each when all parts of the one before have ended. Once a part has thrown,
  /// the jobs behind it are left out until somebody has waited. Lives longer than its jobs.
  class Lane {
   public:
    Lane() = default;
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

   private:
    friend class ThreadPool;
    struct Job {
      unsigned parts = 1;
      Task task;
      bool wakes = true;
    };
    std::deque<Job> jobs_;
    Lane* behind_ = nullptr;  // the next lane that is ready
    unsigned next_ = 0;       // part of the first job
    unsigned running_ = 0;    // parts of the first job
    unsigned failed_ = 0;     // the part whose exception is kept
    std::exception_ptr failure_;
  };

  /// `threads` counts the caller that waits: 1 starts none, and all work is done in wait(). Throws gdr::Error if the
  /// system starts no more threads, as every call does that starts them in a forked child.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// The waiting caller among them.
  [[nodiscard]] unsigned threads() const { return threads_; }

  /// Whether threads that sleep are woken for a job. To wake one and to put it to sleep again takes longer than a small
  /// job, which the thread that waits has soon done itself.
  enum class Wakes : unsigned char { nobody, others };

  /// Calls task(0) .. task(parts - 1), each once, behind what the lane has.
  void post(Lane& lane, unsigned parts, Task task, Wakes wakes = Wakes::others);
  /// Wakes the others, for jobs that were posted without.
  void wake();
  /// Returns when the lane's jobs have ended, and works until then. Throws what the part of the smallest number threw
  /// in the first job that failed. Sleeping threads wait on a condition, they do not spin.
  void wait(Lane& lane);
  /// A job in a lane of its own, waited for.
  void run(unsigned parts, const Task& task);

 private:
  class Lanes;
  class Team;
  Team& team();
  void leave_to_parent();

  unsigned threads_;
  std::unique_ptr<Team> team_;
};

}  // namespace gdr::emulator
