// TRITONBACKEND_Backend: a library at work for one host, with its settings.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "live_objects.h"
#include "memory_manager.h"
#include "message.h"
#include "origin.h"
#include "library.h"
#include "task_thread.h"

/// What a library tells of itself in TRITONBACKEND_GetBackendAttribute.
struct TRITONBACKEND_BackendAttribute {
  struct Group {
    TRITONSERVER_InstanceGroupKind kind;
    uint64_t count;
    std::vector<uint64_t> device_ids;
  };
  std::vector<Group> preferred_groups;
  bool parallel_instance_loading = false;
};

struct TRITONBACKEND_Backend {
  std::shared_ptr<triton_ts::Host> host;
  triton_ts::Origin origin;
  std::string name;
  /// The directory that the library came from.
  std::string directory;
  TRITONSERVER_Message config;
  std::string library_path;
  /// Null until it is open.
  std::shared_ptr<const triton_ts::Library> library;
  TRITONBACKEND_ExecutionPolicy policy = TRITONBACKEND_EXECUTION_BLOCKING;
  TRITONBACKEND_BackendAttribute attribute;
  TRITONBACKEND_MemoryManager memory_manager;
  void* state = nullptr;
  /// Between the success of the initialisation and the finalisation.
  std::atomic<bool> initialized{false};
  /// Runs Initialize and Finalize.
  std::shared_ptr<triton_ts::TaskThread> thread;
  triton_ts::Counted<triton_ts::ObjectKind::kBackend> counted;
};
