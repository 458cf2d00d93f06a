#include "open_objects.h"

#include <algorithm>
#include <set>

#include "entry_points.h"
#include "instance.h"

namespace triton_ts {
namespace {

template <typename T>
void remove_from(std::vector<std::shared_ptr<T>>& list, const T* object) {
  const auto found =
      std::find_if(list.begin(), list.end(), [object](const auto& each) { return each.get() == object; });
  if (found != list.end()) list.erase(found);
}

/// Runs the finalizers on their threads, then ends the threads.
template <typename T>
bool finalize_all(const std::vector<std::shared_ptr<T>>& objects, std::chrono::steady_clock::time_point deadline) {
  std::set<std::shared_ptr<TaskThread>> threads;
  for (const auto& object : objects) {
    object->thread->post([object] { finalize(*object); });
    threads.insert(object->thread);
  }
  bool through = true;
  for (const auto& thread : threads) {
    if (thread->stop(deadline)) continue;
    thread->detach();
    through = false;
  }
  return through;
}

/// What a library that does not end may still use. Never freed: the library's thread may go on as long as the process.
struct Abandoned {
  std::vector<std::shared_ptr<TRITONBACKEND_Backend>> backends;
  std::vector<std::shared_ptr<TRITONBACKEND_Model>> models;
  std::vector<std::shared_ptr<TRITONBACKEND_ModelInstance>> instances;
};

void abandon(Abandoned objects) {
  static std::mutex mutex;
  static auto* all = new std::vector<Abandoned>;
  const std::lock_guard<std::mutex> lock(mutex);
  all->push_back(std::move(objects));
}

}  // namespace

void OpenObjects::add(const std::shared_ptr<TRITONBACKEND_Backend>& backend) {
  const std::lock_guard<std::mutex> lock(mutex_);
  backends_.push_back(backend);
}

void OpenObjects::add(const std::shared_ptr<TRITONBACKEND_Model>& model) {
  const std::lock_guard<std::mutex> lock(mutex_);
  models_.push_back(model);
}

void OpenObjects::add(const std::shared_ptr<TRITONBACKEND_ModelInstance>& instance) {
  const std::lock_guard<std::mutex> lock(mutex_);
  instances_.push_back(instance);
}

void OpenObjects::remove(const TRITONBACKEND_Backend* backend) {
  const std::lock_guard<std::mutex> lock(mutex_);
  remove_from(backends_, backend);
}

void OpenObjects::remove(const TRITONBACKEND_Model* model) {
  const std::lock_guard<std::mutex> lock(mutex_);
  remove_from(models_, model);
}

void OpenObjects::remove(const TRITONBACKEND_ModelInstance* instance) {
  const std::lock_guard<std::mutex> lock(mutex_);
  remove_from(instances_, instance);
}

bool OpenObjects::close(std::chrono::steady_clock::time_point deadline) {
  Abandoned left;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    left.backends.swap(backends_);
    left.models.swap(models_);
    left.instances.swap(instances_);
  }
  // A model whose instance is still busy must not be finalized under it.
  const bool through = finalize_all(left.instances, deadline) && finalize_all(left.models, deadline) &&
                       finalize_all(left.backends, deadline);
  if (!through) abandon(std::move(left));
  return through;
}

}  // namespace triton_ts
