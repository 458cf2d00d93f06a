// TRITONBACKEND_ModelInstance: an execution slot.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "model.h"

struct TRITONBACKEND_ModelInstance {
  std::shared_ptr<TRITONBACKEND_Model> model;
  /// The instance's number in its host, which JavaScript chose.
  uint32_t id = 0;
  std::string name;
  TRITONSERVER_InstanceGroupKind kind = TRITONSERVER_INSTANCEGROUPKIND_CPU;
  int32_t device_id = 0;
  bool passive = false;
  std::string host_policy_name;
  TRITONSERVER_Message host_policy;
  std::vector<std::string> profiles;
  struct SecondaryDevice {
    std::string kind;
    int64_t id;
  };
  std::vector<SecondaryDevice> secondary_devices;
  std::mutex mutex;
  std::vector<triton_ts::MemoryUse> memory_use;
  void* state = nullptr;
  /// Between the success of the initialisation and the finalisation.
  std::atomic<bool> initialized{false};
  /// Held while the library is asked whether the instance is ready, on another thread, and while it is finalized.
  std::mutex ready_mutex;
  /// Runs every other entry point of the instance; its own, or that of its device.
  std::shared_ptr<triton_ts::TaskThread> thread;
  triton_ts::Counted<triton_ts::ObjectKind::kInstance> counted;
};
