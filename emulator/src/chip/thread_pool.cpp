#include "gdr/emulator/thread_pool.h"

#include <fmt/format.h>
#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "gdr/base/error.h"

namespace gdr::emulator {
namespace {

unsigned forks = 0;  // number of forks from the first process to this one

/// Identifies this process: the number of forks that led to it.
unsigned process() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  return registered == 0 ? forks : 0;
}

}  // namespace

/// An intrusive list of lanes: each lane points to the one behind it. So nothing is allocated, and no lane is lost when
/// memory runs out.
class ThreadPool::Lanes {
 public:
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  [[nodiscard]] Lane& front() const { return *first_; }
  void push_front(Lane& lane) {
    lane.behind_ = first_;
    if (first_ == nullptr) last_ = &lane;
    first_ = &lane;
  }
  void push_back(Lane& lane) {
    if (first_ == nullptr) return push_front(lane);
    lane.behind_ = nullptr;
    last_->behind_ = &lane;
    last_ = &lane;
  }
  void pop_front() { first_ = first_->behind_; }

 private:
  Lane* first_ = nullptr;
  Lane* last_ = nullptr;
};

/// The threads of one process.
class ThreadPool::Team {
 public:
  explicit Team(unsigned threads) {
    try {
      threads_.reserve(threads);
      for (unsigned n = 1; n < threads; ++n) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error& error) {
      const std::size_t started = threads_.size();
      stop();
      throw Error(fmt::format("{} host threads are refused: this process can have {}: {}", threads, started + 1,
                              error.code().message()));
    } catch (...) {
      stop();
      throw;
    }
  }
  ~Team() { stop(); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] bool of_this_process() const { return process_ == process(); }
  void post(Lane& lane, unsigned parts, Task task, bool wakes);
  void wake();
  void wait(Lane& lane);

 private:
  void work();
  /// Stops and joins the threads. They first finish the jobs that are ready.
  void stop();
  /// Executes a part of the first ready lane; false if no lane is ready.
  bool take_part(std::unique_lock<std::mutex>& lock);

  const unsigned process_ = process();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  Lanes ready_;  // lanes whose first job has parts that no thread has taken
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

ThreadPool::ThreadPool(unsigned threads) : threads_(threads), team_(std::make_unique<Team>(threads)) {}

ThreadPool::~ThreadPool() { leave_to_parent(); }

/// Drops a team whose threads exist only in the parent. Its memory is not freed, because its locks may be held there.
void ThreadPool::leave_to_parent() {
  if (!team_->of_this_process()) static_cast<void>(team_.release());
}

ThreadPool::Team& ThreadPool::team() {
  if (!team_->of_this_process()) {
    auto own = std::make_unique<Team>(threads_);
    leave_to_parent();
    team_ = std::move(own);
  }
  return *team_;
}

void ThreadPool::post(Lane& lane, unsigned parts, Task task, Wakes wakes) {
  team().post(lane, parts, std::move(task), wakes == Wakes::others);
}
void ThreadPool::wake() { team().wake(); }
void ThreadPool::wait(Lane& lane) { team().wait(lane); }

void ThreadPool::run(unsigned parts, const Task& task) {
  Lane lane;
  post(lane, parts, [&task](unsigned part) { task(part); });
  wait(lane);
}

void ThreadPool::Team::post(Lane& lane, unsigned parts, Task task, bool wakes) {
  if (parts == 0) return;
  {
    const std::lock_guard lock(mutex_);
    if (lane.failure_) return;
    lane.jobs_.push_back({parts, std::move(task), wakes});
    if (lane.jobs_.size() > 1) return;
    lane.next_ = 0;
    ready_.push_back(lane);
  }
  if (threads_.empty() || !wakes) return;
  if (parts > 1) {
    wake_.notify_all();
  } else {
    wake_.notify_one();
  }
}

void ThreadPool::Team::wake() {
  {
    const std::lock_guard lock(mutex_);
    if (ready_.empty()) return;
  }
  wake_.notify_all();
}

void ThreadPool::Team::wait(Lane& lane) {
  std::unique_lock lock(mutex_);
  while (!lane.jobs_.empty()) {
    if (!take_part(lock)) done_.wait(lock);
  }
  if (lane.failure_) std::rethrow_exception(std::exchange(lane.failure_, nullptr));
}

void ThreadPool::Team::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !ready_.empty(); });
    if (!take_part(lock)) return;  // nothing is ready: the thread was woken to stop
  }
}

void ThreadPool::Team::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool ThreadPool::Team::take_part(std::unique_lock<std::mutex>& lock) {
  if (ready_.empty()) return false;
  Lane& lane = ready_.front();
  Lane::Job& job = lane.jobs_.front();  // stays in place until its last part has ended
  const unsigned part = lane.next_++;
  if (lane.next_ == job.parts) ready_.pop_front();
  ++lane.running_;
  std::exception_ptr failure;
  lock.unlock();
  try {
    job.task(part);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  --lane.running_;
  if (failure && (!lane.failure_ || part < lane.failed_)) {
    lane.failure_ = failure;
    lane.failed_ = part;
  }
  if (lane.running_ > 0 || lane.next_ < job.parts) return true;
  if (lane.failure_) {
    lane.jobs_.clear();
  } else {
    lane.jobs_.pop_front();
  }
  if (lane.jobs_.empty()) {
    done_.notify_all();
  } else {
    // To the front, so that this thread continues with the lane whose data are in its caches.
    lane.next_ = 0;
    ready_.push_front(lane);
    if (lane.jobs_.front().parts > 1 && lane.jobs_.front().wakes) {
      wake_.notify_all();
      done_.notify_all();  // a thread in wait() can help
    }
  }
  return true;
}

}  // namespace gdr::emulator
