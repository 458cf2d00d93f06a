// Threads of a library's own, for work that goes on after execute returned.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

namespace triton_ts {

class Workers {
 public:
  Workers() = default;
  /// Waits until all work is done.
  ~Workers() {
    for (Worker& worker : workers_) worker.thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Runs `work` on a new thread. Joins those that are through, so that a long test does not pile them up.
  void run(std::function<void()> work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    workers_.remove_if([](Worker& worker) {
      if (worker.done) worker.thread.join();
      return !worker.thread.joinable();
    });
    Worker& worker = workers_.emplace_back();
    worker.thread = std::thread([&worker, work = std::move(work)] {
      work();
      worker.done = true;
    });
  }

 private:
  struct Worker {
    std::atomic<bool> done{false};
    std::thread thread;
  };

  std::mutex mutex_;
  std::list<Worker> workers_;
};

}  // namespace triton_ts
