// What of a host is open: backends, models and instances, to be finalized when the environment ends before JavaScript
// has closed them.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

struct TRITONBACKEND_Backend;
struct TRITONBACKEND_Model;
struct TRITONBACKEND_ModelInstance;

namespace triton_ts {

/// Objects are here from before their initialisation until after their finalisation, so that their threads are waited
/// for.
class OpenObjects {
 public:
  void add(const std::shared_ptr<TRITONBACKEND_Backend>& backend);
  void add(const std::shared_ptr<TRITONBACKEND_Model>& model);
  void add(const std::shared_ptr<TRITONBACKEND_ModelInstance>& instance);
  void remove(const TRITONBACKEND_Backend* backend);
  void remove(const TRITONBACKEND_Model* model);
  void remove(const TRITONBACKEND_ModelInstance* instance);

  /// Finalizes everything and ends the threads. False when a library did not come to an end; what it may use stays.
  bool close(std::chrono::steady_clock::time_point deadline);

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<TRITONBACKEND_Backend>> backends_;
  std::vector<std::shared_ptr<TRITONBACKEND_Model>> models_;
  std::vector<std::shared_ptr<TRITONBACKEND_ModelInstance>> instances_;
};

}  // namespace triton_ts
