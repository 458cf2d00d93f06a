#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace triton_ts {

/**
 * A thread that leaves the CPU to others. A thread has the priority of the one that made it, and without privileges none
 * can raise its own again, so threads that are to stay are made for it by the thread that waits for it.
 */
class LowPriorityThread {
 public:
  /** Runs `work` on the thread, makes what it asks for, and waits for its end. @throws what `work` throws. */
  void Run(const std::function<void()>& work);

  /** Called by `work`: a thread of usual priority. Nothing runs in the result where the system refuses one. */
  std::thread Make(std::function<void()> entry);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  /** What a thread is wanted for; empty when none is, or when it is made. */
  std::function<void()> wanted_;
  std::thread made_;
};

}  // namespace triton_ts
