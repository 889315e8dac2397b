// Threads that execute the numbered parts of jobs. Results never depend on which thread takes which part.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <memory>

namespace gdr::emulator {

/// A forked child can use the pool if no work was under way at the fork. The parent's threads do not exist in the child
/// and are neither waited for nor joined there; the child's pool starts its own threads on first use.
class ThreadPool {
 public:
  using Task = std::function<void(unsigned part)>;

  /// A queue of jobs. A job starts when all parts of the job before it have ended. Once a part has thrown, jobs of the
  /// lane are skipped until wait() has thrown the exception. A lane must outlive its jobs.
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
    unsigned next_ = 0;       // next part of the first job
    unsigned running_ = 0;    // running parts of the first job
    unsigned failed_ = 0;     // the part whose exception is kept
    std::exception_ptr failure_;
  };

  /// `threads` includes the caller that waits: with 1 no thread is started, and all work is done in wait(). Throws
  /// gdr::Error if the system cannot start the threads. In a forked child the first call that needs them can throw it.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Number of threads, including the caller that waits.
  [[nodiscard]] unsigned threads() const { return threads_; }

  /// Whether sleeping threads are woken for a job. For a small job this does not pay: waking a thread and putting it to
  /// sleep again takes longer than the job takes in the thread that waits.
  enum class Wakes : unsigned char { nobody, others };

  /// Adds a job to the end of the lane: task(0) .. task(parts - 1), each called once.
  void post(Lane& lane, unsigned parts, Task task, Wakes wakes = Wakes::others);
  /// Wakes sleeping threads, for jobs that were posted with Wakes::nobody.
  void wake();
  /// Executes parts of jobs until the lane's jobs have ended. Throws the exception of the smallest part that failed in
  /// the first job that failed. Sleeping threads wait on a condition variable; they do not spin.
  void wait(Lane& lane);
  /// Executes a job in a lane of its own and waits for it.
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
