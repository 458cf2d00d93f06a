#include "task_thread.h"

#include <pthread.h>

namespace triton_ts {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kShortTask = std::chrono::microseconds(100);
constexpr auto kLook = std::chrono::microseconds(50);

}  // namespace

struct TaskThread::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Task> tasks;
  /// Tasks that are posted and not taken; read without the mutex while looking.
  std::atomic<size_t> waiting{0};
  bool sleeping = false;
  bool stopping = false;
  bool ended = false;
};

TaskThread::TaskThread(const std::string& name) : state_(std::make_shared<State>()) {
  thread_ = std::thread([state = state_] { run(state); });
  pthread_setname_np(thread_.native_handle(), name.substr(0, 15).c_str());
}

TaskThread::~TaskThread() {
  if (!thread_.joinable()) return;
  // Their ends may be that of anything, so they come after the mutex.
  std::deque<Task> dropped;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stopping = true;
    dropped.swap(state_->tasks);
    state_->waiting = 0;
  }
  state_->changed.notify_all();
  // A thread that drops the last reference to itself cannot wait for itself.
  if (is_current()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void TaskThread::post(Task task) {
  bool wake;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->tasks.push_back(std::move(task));
    state_->waiting.fetch_add(1, std::memory_order_release);
    wake = state_->sleeping;
  }
  if (wake) state_->changed.notify_one();
}

bool TaskThread::is_current() const { return thread_.get_id() == std::this_thread::get_id(); }

bool TaskThread::stop(Clock::time_point deadline) {
  {
    std::unique_lock<std::mutex> lock(state_->mutex);
    state_->stopping = true;
    state_->changed.notify_all();
    if (!state_->changed.wait_until(lock, deadline, [this] { return state_->ended; })) return false;
  }
  if (thread_.joinable()) thread_.join();
  return true;
}

void TaskThread::detach() {
  if (thread_.joinable()) thread_.detach();
}

void TaskThread::run(const std::shared_ptr<State>& state) {
  bool was_short = false;
  for (;;) {
    if (was_short) {
      const auto until = Clock::now() + kLook;
      while (state->waiting.load(std::memory_order_acquire) == 0 && Clock::now() < until) std::this_thread::yield();
    }
    Task task;
    {
      std::unique_lock<std::mutex> lock(state->mutex);
      state->sleeping = true;
      state->changed.wait(lock, [&] { return state->stopping || !state->tasks.empty(); });
      state->sleeping = false;
      if (state->tasks.empty()) {
        state->ended = true;
        break;
      }
      task = std::move(state->tasks.front());
      state->tasks.pop_front();
      state->waiting.fetch_sub(1, std::memory_order_relaxed);
    }
    const auto start = Clock::now();
    task();
    was_short = Clock::now() - start < kShortTask;
  }
  state->changed.notify_all();
}

}  // namespace triton_ts
