#include "thread_pool.h"

#include <unistd.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gdr::emulator {

/// The threads of one process.
class ThreadPool::Team {
 public:
  explicit Team(unsigned threads) {
    for (unsigned n = 1; n < threads; ++n) {
      threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
  }
  ~Team() {
    for (std::jthread& thread : threads_) thread.request_stop();
    wake_.notify_all();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] bool of_this_process() const { return process_ == getpid(); }
  void run(unsigned count, const std::function<void(unsigned)>& task);

 private:
  void work(const std::stop_token& stop);
  void take_tasks(std::unique_lock<std::mutex>& lock);

  const pid_t process_ = getpid();
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

ThreadPool::ThreadPool(unsigned threads) : threads_(threads), team_(std::make_unique<Team>(threads)) {}

ThreadPool::~ThreadPool() { leave_to_parent(); }

/// Forgets a team whose threads run in the parent alone; its memory stays, since its locks may be held there.
void ThreadPool::leave_to_parent() {
  if (!team_->of_this_process()) static_cast<void>(team_.release());
}

void ThreadPool::run(unsigned count, const std::function<void(unsigned)>& task) {
  if (!team_->of_this_process()) {
    auto own = std::make_unique<Team>(threads_);
    leave_to_parent();
    team_ = std::move(own);
  }
  team_->run(count, task);
}

void ThreadPool::Team::run(unsigned count, const std::function<void(unsigned)>& task) {
  std::unique_lock lock(mutex_);
  task_ = &task;
  next_ = 0;
  count_ = count;
  failure_ = nullptr;
  if (count > 1) wake_.notify_all();
  take_tasks(lock);
  done_.wait(lock, [this] { return running_ == 0; });
  task_ = nullptr;
  if (failure_) std::rethrow_exception(failure_);
}

void ThreadPool::Team::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, stop, [this] { return task_ != nullptr && next_ < count_; })) {
    take_tasks(lock);
    if (running_ == 0) done_.notify_one();
  }
}

void ThreadPool::Team::take_tasks(std::unique_lock<std::mutex>& lock) {
  while (next_ < count_) {
    const unsigned number = next_++;
    ++running_;
    std::exception_ptr failure;
    lock.unlock();
    try {
      (*task_)(number);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    --running_;
    if (failure && (!failure_ || number < failed_)) {
      failure_ = failure;
      failed_ = number;
    }
  }
}

}  // namespace gdr::emulator
