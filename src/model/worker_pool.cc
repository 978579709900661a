#include "model/worker_pool.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace beleg {
namespace {

/// One call of run_in_parallel(). Helpers that come late find nothing left of it and go.
struct Job {
  Job(std::size_t number, const std::function<void(std::size_t)>& function)
      : count(number), work(&function) {}

  const std::size_t count;
  const std::function<void(std::size_t)>* const work;  // Dead once done == count.
  std::mutex mutex;
  std::condition_variable finished;
  std::size_t next = 0;  // Guarded by mutex.
  std::size_t done = 0;  // Guarded by mutex.

  void take_part() {
    std::unique_lock lock(mutex);
    while (next < count) {
      const std::size_t item = next++;
      lock.unlock();
      (*work)(item);
      lock.lock();
      if (++done == count) finished.notify_all();
    }
  }
  void wait() {
    std::unique_lock lock(mutex);
    finished.wait(lock, [&] { return done == count; });
  }
};

class WorkerPool {
 public:
  /// Asks for `helpers` threads to take part.
  void offer(const std::shared_ptr<Job>& job, std::size_t helpers) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < helpers; ++i) waiting_.push_back(job);
    while (threads_ < std::min(waiting_.size() + busy_, kMaxThreads)) {
      // Lives as long as the process, like the pool itself.
      std::thread([this] { serve(); }).detach();
      ++threads_;
    }
    wanted_.notify_all();
  }

 private:
  static constexpr std::size_t kMaxThreads = 256;

  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wanted_.wait(lock, [&] { return !waiting_.empty(); });
      const std::shared_ptr<Job> job = std::move(waiting_.front());
      waiting_.pop_front();
      ++busy_;
      lock.unlock();
      job->take_part();
      lock.lock();
      --busy_;
    }
  }

  std::mutex mutex_;
  std::condition_variable wanted_;
  std::deque<std::shared_ptr<Job>> waiting_;  // All guarded by mutex_.
  std::size_t threads_ = 0;
  std::size_t busy_ = 0;
};

/// Never destroyed: its threads may outlive the statics.
WorkerPool& pool() {
  static auto* instance = new WorkerPool();
  return *instance;
}

}  // namespace

void run_in_parallel(std::size_t count, std::size_t threads,
                     const std::function<void(std::size_t)>& work) {
  const std::size_t helpers = std::min(count, std::max<std::size_t>(1, threads));
  if (helpers <= 1) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  const auto job = std::make_shared<Job>(count, work);
  pool().offer(job, helpers - 1);
  job->take_part();
  job->wait();
}

}  // namespace beleg
