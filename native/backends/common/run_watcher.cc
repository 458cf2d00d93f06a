#include "run_watcher.h"

#include <algorithm>
#include <chrono>

#include "error.h"

namespace triton_ts {
namespace {

constexpr std::chrono::milliseconds kInterval{5};
/** Waking the thread for every single run would cost more than these idle looks. */
constexpr int kLooksBeforeSleep = 200;

bool AllCancelled(const Batch& batch) {
  for (size_t i = 0; i < batch.Count(); ++i) {
    if (batch.Response(i) == nullptr) continue;
    bool cancelled = false;
    LogIfError(TRITONBACKEND_RequestIsCancelled(batch.Request(i), &cancelled), "cannot ask for cancellation");
    if (!cancelled) return false;
  }
  return batch.Count() > 0;
}

}  // namespace

RunWatcher::~RunWatcher() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

RunWatcher::Watch::Watch(RunWatcher& watcher, const Batch& batch, const std::function<void()>& terminate)
    : watcher_(watcher), batch_(batch), terminate_(terminate), start_(NowNs()) {
  const std::lock_guard<std::mutex> lock(watcher_.mutex_);
  if (!watcher_.thread_.joinable()) watcher_.thread_ = std::thread([&watcher] { watcher.Loop(); });
  watcher_.watches_.push_back(this);
  if (watcher_.asleep_) {
    watcher_.asleep_ = false;
    watcher_.changed_.notify_one();
  }
}

RunWatcher::Watch::~Watch() { Stop(); }

bool RunWatcher::Watch::Stop() {
  if (active_) {
    const std::lock_guard<std::mutex> lock(watcher_.mutex_);
    auto& watches = watcher_.watches_;
    watches.erase(std::find(watches.begin(), watches.end(), this));
    active_ = false;
  }
  return terminated_;
}

void RunWatcher::Loop() {
  std::unique_lock<std::mutex> lock(mutex_);
  int idle_looks = 0;
  while (!stopping_) {
    if (idle_looks < kLooksBeforeSleep) {
      changed_.wait_for(lock, kInterval, [this] { return stopping_; });
    } else {
      asleep_ = true;
      changed_.wait(lock, [this] { return stopping_ || !asleep_; });
      idle_looks = 0;
    }
    idle_looks = watches_.empty() ? idle_looks + 1 : 0;
    Look(NowNs());
  }
}

void RunWatcher::Look(uint64_t now) {
  const uint64_t age = std::chrono::nanoseconds(kInterval).count();
  for (auto* watch : watches_) {
    if (watch->terminated_ || now - watch->start_ < age || !AllCancelled(watch->batch_)) continue;
    watch->terminated_ = true;
    watch->terminate_();
  }
}

}  // namespace triton_ts
