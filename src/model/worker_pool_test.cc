#include "model/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace beleg {
namespace {

TEST(WorkerPool, DoesEveryItemOnce) {
  for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
    for (const std::size_t threads : {0U, 1U, 2U, 7U}) {
      std::vector<std::atomic<int>> times(count);
      run_in_parallel(count, threads, [&](std::size_t i) { ++times[i]; });
      for (const auto& time : times) EXPECT_EQ(time, 1);
    }
  }
}

TEST(WorkerPool, UsesNoMoreThreadsThanAsked) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  for (int call = 0; call < 50; ++call) {
    std::set<std::thread::id> now;
    run_in_parallel(64, 2, [&](std::size_t) {
      const std::lock_guard lock(mutex);
      now.insert(std::this_thread::get_id());
    });
    EXPECT_LE(now.size(), 2U);
    seen.insert(now.begin(), now.end());
  }
  EXPECT_GE(seen.size(), 1U);
}

TEST(WorkerPool, TwoItemsRunAtTheSameTime) {
  std::atomic<int> arrived = 0;
  run_in_parallel(2, 2, [&](std::size_t) {
    ++arrived;
    arrived.notify_all();
    // Neither goes on until both are here: one thread alone would wait for ever.
    for (int now = arrived; now < 2; now = arrived) arrived.wait(now);
  });
  EXPECT_EQ(arrived, 2);
}

TEST(WorkerPool, CallsMayBeNestedAndSimultaneous) {
  std::atomic<int> done = 0;
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&] {
        run_in_parallel(8, 3,
                        [&](std::size_t) { run_in_parallel(8, 3, [&](std::size_t) { ++done; }); });
      });
    }
  }
  EXPECT_EQ(done, 4 * 8 * 8);
}

}  // namespace
}  // namespace beleg
