#include "lifecycle_tracker.h"

#include <algorithm>

#include "support.h"

namespace triton_ts {

LifecycleTracker& LifecycleTracker::get() {
  static LifecycleTracker tracker;
  return tracker;
}

void LifecycleTracker::begin(const char* kind, const void* object, const void* parent) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(object);
  if (found != entries_.end() && found->second.live) complain(std::string(kind) + " initialised twice");
  if (parent != nullptr) {
    const auto above = entries_.find(parent);
    if (above == entries_.end() || !above->second.live) {
      complain(std::string(kind) + " initialised below an object that does not live");
    }
  }
  Entry entry;
  entry.kind = kind;
  entry.parent = parent;
  entries_[object] = entry;
}

void LifecycleTracker::succeeded(const void* object) {
  std::lock_guard<std::mutex> lock(mutex_);
  Entry& entry = entries_[object];
  entry.live = true;
  created_[entry.kind]++;
}

void LifecycleTracker::end(const char* kind, const void* object) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(object);
  if (found == entries_.end()) {
    complain(std::string(kind) + " finalized which does not live");
    return;
  }
  if (found->second.executing) complain(std::string(kind) + " finalized while it executes");
  const bool children = std::any_of(entries_.begin(), entries_.end(), [object](const auto& entry) {
    return entry.second.parent == object && entry.second.live;
  });
  if (children) complain(std::string(kind) + " finalized before what is below it");
  entries_.erase(found);
}

void LifecycleTracker::begin_execute(const void* instance) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(instance);
  if (found == entries_.end() || !found->second.live) {
    complain("execute of an instance which does not live");
    return;
  }
  if (found->second.executing) complain("two executes of one instance at the same time");
  found->second.executing = true;
}

void LifecycleTracker::end_execute(const void* instance) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(instance);
  if (found != entries_.end()) found->second.executing = false;
}

uint64_t LifecycleTracker::live(const std::string& kind) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<uint64_t>(std::count_if(entries_.begin(), entries_.end(), [&kind](const auto& entry) {
    return entry.second.kind == kind && entry.second.live;
  }));
}

uint64_t LifecycleTracker::created(const std::string& kind) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = created_.find(kind);
  return found == created_.end() ? 0 : found->second;
}

uint64_t LifecycleTracker::violations() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return violations_;
}

void LifecycleTracker::complain(const std::string& what) {
  violations_++;
  log(TRITONSERVER_LOG_ERROR, "life cycle violated: " + what);
}

}  // namespace triton_ts
