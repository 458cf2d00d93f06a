// The shared libraries that are opened: backends and batching strategies.
#pragma once

#include <memory>
#include <string>

#include "error.h"
#include "triton/tritonbackend.h"

namespace triton_ts {

/// The entry points of a library; null where it does not export an optional one. A library stays in the process once it
/// is open: many of them (TensorFlow, CUDA) crash when they are closed.
struct Library {
  /// Opens the library at an absolute path. Throws nothing; `error` tells a missing file, a missing dependency, an
  /// undefined symbol or a missing required entry point.
  static std::shared_ptr<const Library> open(const std::string& path, ErrorPtr& error);

  std::string path;
  decltype(&TRITONBACKEND_Initialize) initialize = nullptr;
  decltype(&TRITONBACKEND_Finalize) finalize = nullptr;
  decltype(&TRITONBACKEND_GetBackendAttribute) get_attribute = nullptr;
  decltype(&TRITONBACKEND_ModelInitialize) model_initialize = nullptr;
  decltype(&TRITONBACKEND_ModelFinalize) model_finalize = nullptr;
  decltype(&TRITONBACKEND_ModelInstanceInitialize) instance_initialize = nullptr;
  decltype(&TRITONBACKEND_ModelInstanceFinalize) instance_finalize = nullptr;
  decltype(&TRITONBACKEND_ModelInstanceExecute) execute = nullptr;
  decltype(&TRITONBACKEND_ModelInstanceReady) ready = nullptr;
};

/// A batching strategy library, `batchstrategy.so`.
struct BatchStrategy {
  static std::shared_ptr<const BatchStrategy> open(const std::string& path, ErrorPtr& error);

  decltype(&TRITONBACKEND_ModelBatcherInitialize) batcher_initialize = nullptr;
  decltype(&TRITONBACKEND_ModelBatcherFinalize) batcher_finalize = nullptr;
  decltype(&TRITONBACKEND_ModelBatchIncludeRequest) include = nullptr;
  decltype(&TRITONBACKEND_ModelBatchInitialize) initialize = nullptr;
  decltype(&TRITONBACKEND_ModelBatchFinalize) finalize = nullptr;
};

}  // namespace triton_ts
