// TRITONBACKEND_Model: a model version as its library sees it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend.h"
#include "server.h"

namespace triton_ts {

class Execution;

/// The names of inputs, outputs and states that JavaScript and the addon call by number.
class NameTable {
 public:
  void assign(std::vector<std::string> names);
  const std::string& name(size_t index) const { return names_.at(index); }
  size_t size() const { return names_.size(); }
  /// -1 where the table does not have it.
  int find(const std::string& name) const;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, int> indices_;
};

struct MemoryUse {
  TRITONSERVER_MemoryType type;
  int64_t id;
  uint64_t byte_size;
};

}  // namespace triton_ts

struct TRITONBACKEND_Model {
  std::shared_ptr<triton_ts::Host> host;
  std::shared_ptr<TRITONBACKEND_Backend> backend;
  std::string name;
  uint64_t version = 1;
  /// The model's directory.
  std::string directory;
  bool auto_complete = false;
  TRITONSERVER_Server server;
  void* state = nullptr;
  /// Between the success of the initialisation and the finalisation.
  std::atomic<bool> initialized{false};

  /// Guards what follows: the final configuration comes after initialisation, and any thread may read it.
  std::mutex mutex;
  std::string config_json;
  /// Whether the library replaced the configuration.
  bool config_was_set = false;
  std::vector<triton_ts::MemoryUse> memory_use;

  /// Those that were opened. JavaScript thread.
  std::vector<std::weak_ptr<TRITONBACKEND_ModelInstance>> instances;
  triton_ts::NameTable names;
  std::string batch_strategy_path;
  /// The batching strategy; null without one.
  std::shared_ptr<const triton_ts::BatchStrategy> batching;
  TRITONBACKEND_Batcher* batcher = nullptr;
  /// The batch that is being formed, whose requests the library may look at until it ends. JavaScript thread, and the
  /// finalizer when nothing forms a batch any more.
  bool has_batch = false;
  void* batch_userp = nullptr;
  std::vector<std::shared_ptr<triton_ts::Execution>> batch_requests;
  /// Empty when no batch is formed or the library has no complaint.
  triton_ts::ErrorPtr end_batch();
  /// Whether the request, the only one of `execution`, may join. @param restart whether a batch begins with it.
  triton_ts::ErrorPtr include(std::shared_ptr<triton_ts::Execution> execution, bool restart, bool* result);
  /// Runs ModelInitialize and ModelFinalize.
  std::shared_ptr<triton_ts::TaskThread> thread;
  /// Shared by the instances of a GPU where the backend's policy is DEVICE_BLOCKING; by its id.
  std::unordered_map<int, std::weak_ptr<triton_ts::TaskThread>> device_threads;
  triton_ts::Counted<triton_ts::ObjectKind::kModel> counted;
};
