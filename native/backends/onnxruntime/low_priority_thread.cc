#include "low_priority_thread.h"

#include <unistd.h>

#include <exception>
#include <system_error>
#include <utility>

namespace triton_ts {
namespace {

/** Of a CPU that others want too, a thread that is nicer by this gets a tenth of what one of them gets. */
[[maybe_unused]] constexpr int kNicer = 10;

void LowerOwnPriority() {
#ifdef __linux__
  // Here this is about the calling thread; elsewhere it is about the process. Where it is refused, the thread is as any other.
  [[maybe_unused]] const int niceness = nice(kNicer);
#endif
}

}  // namespace

void LowPriorityThread::Run(const std::function<void()>& work) {
  std::exception_ptr error;
  std::thread thread([&] {
    LowerOwnPriority();
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  });
  {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return ended_ || wanted_ != nullptr; });
      if (wanted_ == nullptr) break;
      try {
        made_ = std::thread(std::move(wanted_));
      } catch (const std::system_error&) {
        made_ = std::thread();
      }
      wanted_ = nullptr;
      changed_.notify_all();
    }
  }
  thread.join();
  if (error != nullptr) std::rethrow_exception(error);
}

std::thread LowPriorityThread::Make(std::function<void()> entry) {
  std::unique_lock<std::mutex> lock(mutex_);
  wanted_ = std::move(entry);
  changed_.notify_all();
  changed_.wait(lock, [this] { return wanted_ == nullptr; });
  return std::move(made_);
}

}  // namespace triton_ts
