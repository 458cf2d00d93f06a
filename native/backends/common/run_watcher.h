#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "batch.h"

namespace triton_ts {

/**
 * Stops runs whose requests were all cancelled. One thread for a whole library looks at the runs in flight every 5 ms,
 * and sleeps when there have been none for a while.
 */
class RunWatcher {
 public:
  RunWatcher() = default;
  ~RunWatcher();
  RunWatcher(const RunWatcher&) = delete;
  RunWatcher& operator=(const RunWatcher&) = delete;

  /** A run in flight, from construction to destruction. `terminate` is called at most once, from another thread. */
  class Watch {
   public:
    Watch(RunWatcher& watcher, const Batch& batch, const std::function<void()>& terminate);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /** Ends the watch. Whether `terminate` was called. */
    bool Stop();

   private:
    friend class RunWatcher;

    RunWatcher& watcher_;
    const Batch& batch_;
    const std::function<void()>& terminate_;
    const uint64_t start_;
    bool active_ = true;
    bool terminated_ = false;
  };

 private:
  void Loop();
  void Look(uint64_t now);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Watch*> watches_;
  bool asleep_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace triton_ts
