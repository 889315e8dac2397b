#include "thread_pool.h"

namespace gdr::emulator {

ThreadPool::ThreadPool(unsigned threads) {
  for (unsigned n = 1; n < threads; ++n) {
    threads_.emplace_back([this](std::stop_token stop) { work(stop); });
  }
}

ThreadPool::~ThreadPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
  wake_.notify_all();
}

void ThreadPool::run(unsigned count, const std::function<void(unsigned)>& task) {
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

void ThreadPool::work(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, stop, [this] { return task_ != nullptr && next_ < count_; })) {
    take_tasks(lock);
    if (running_ == 0) done_.notify_one();
  }
}

void ThreadPool::take_tasks(std::unique_lock<std::mutex>& lock) {
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
