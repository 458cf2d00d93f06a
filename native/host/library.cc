#include "library.h"

#include <dlfcn.h>

#include "process_end.h"

namespace triton_ts {
namespace {

template <typename Function>
void find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
}

/// RTLD_LOCAL, as in Triton: two backends may bring different versions of one dependency.
void* open_handle(const std::string& path, ErrorPtr& error) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    error.reset(make_error(TRITONSERVER_ERROR_NOT_FOUND,
                           std::string("unable to load shared library: ") + (why == nullptr ? path.c_str() : why)));
    return nullptr;
  }
  close_before_static_objects("open " + path);
  return handle;
}

template <typename Function>
void require(void* handle, const char* name, Function& function, const std::string& path, ErrorPtr& error) {
  find(handle, name, function);
  if (function != nullptr || error) return;
  error.reset(make_error(TRITONSERVER_ERROR_NOT_FOUND, std::string("unable to find required entrypoint '") + name +
                                                           "' in shared library: " + path));
}

}  // namespace

std::shared_ptr<const Library> Library::open(const std::string& path, ErrorPtr& error) {
  void* handle = open_handle(path, error);
  if (handle == nullptr) return nullptr;
  const auto library = std::make_shared<Library>();
  library->path = path;
  find(handle, "TRITONBACKEND_Initialize", library->initialize);
  find(handle, "TRITONBACKEND_Finalize", library->finalize);
  find(handle, "TRITONBACKEND_GetBackendAttribute", library->get_attribute);
  find(handle, "TRITONBACKEND_ModelInitialize", library->model_initialize);
  find(handle, "TRITONBACKEND_ModelFinalize", library->model_finalize);
  find(handle, "TRITONBACKEND_ModelInstanceInitialize", library->instance_initialize);
  find(handle, "TRITONBACKEND_ModelInstanceFinalize", library->instance_finalize);
  require(handle, "TRITONBACKEND_ModelInstanceExecute", library->execute, path, error);
  find(handle, "TRITONBACKEND_ModelInstanceReady", library->ready);
  if (error) return nullptr;
  return library;
}

/// The five functions stand or fall together.
std::shared_ptr<const BatchStrategy> BatchStrategy::open(const std::string& path, ErrorPtr& error) {
  void* handle = open_handle(path, error);
  if (handle == nullptr) return nullptr;
  const auto strategy = std::make_shared<BatchStrategy>();
  require(handle, "TRITONBACKEND_ModelBatcherInitialize", strategy->batcher_initialize, path, error);
  require(handle, "TRITONBACKEND_ModelBatcherFinalize", strategy->batcher_finalize, path, error);
  require(handle, "TRITONBACKEND_ModelBatchIncludeRequest", strategy->include, path, error);
  require(handle, "TRITONBACKEND_ModelBatchInitialize", strategy->initialize, path, error);
  require(handle, "TRITONBACKEND_ModelBatchFinalize", strategy->finalize, path, error);
  if (error) return nullptr;
  return strategy;
}

}  // namespace triton_ts
