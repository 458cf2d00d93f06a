// A thread that runs tasks one after the other.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace triton_ts {

/// Tasks run in the order of `post`. After a short task the thread looks for the next one for a moment before it goes
/// to sleep, since waking a thread costs more than a small model takes. Destroying it ends and joins the thread, unless
/// it was detached; tasks that did not run are dropped.
class TaskThread {
 public:
  using Task = std::function<void()>;

  /// @param name shown by debuggers; 15 characters count.
  explicit TaskThread(const std::string& name);
  ~TaskThread();
  TaskThread(const TaskThread&) = delete;
  TaskThread& operator=(const TaskThread&) = delete;

  void post(Task task);
  bool is_current() const;
  /// Ends the thread after the tasks that are posted. False when it was not through by then; it goes on.
  bool stop(std::chrono::steady_clock::time_point deadline);
  /// Leaves a thread that does not end to itself.
  void detach();

 private:
  struct State;
  static void run(const std::shared_ptr<State>& state);
  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace triton_ts
