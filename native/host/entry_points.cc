#include "entry_points.h"

#include <exception>

#include "instance.h"
#include "process_end.h"

namespace triton_ts {
namespace {

/// @param where the entry point, for the text of an exception, which no library should let out.
template <typename Call>
ErrorPtr guarded(const TRITONBACKEND_Backend& backend, const char* where, Call call) {
  const OriginScope scope(backend.origin);
  try {
    return ErrorPtr(call());
  } catch (const std::exception& thrown) {
    return ErrorPtr(internal_error("backend '" + backend.name + "' threw in " + where + ": " + thrown.what()));
  } catch (...) {
    return ErrorPtr(internal_error("backend '" + backend.name + "' threw in " + where));
  }
}

void log_failure(const TRITONBACKEND_Backend& backend, const std::string& what, const ErrorPtr& error) {
  if (!error) return;
  const OriginScope scope(backend.origin);
  TRITONSERVER_LogMessage(TRITONSERVER_LOG_ERROR, __FILE__, __LINE__,
                          ("failed to finalize " + what + ": " + error->message).c_str());
}

ErrorPtr initialize_batcher(TRITONBACKEND_Model& model) {
  if (!model.batching) return nullptr;
  return guarded(*model.backend, "TRITONBACKEND_ModelBatcherInitialize",
                 [&] { return model.batching->batcher_initialize(&model.batcher, &model); });
}

}  // namespace

ErrorPtr initialize(TRITONBACKEND_Backend& backend) {
  ErrorPtr error;
  {
    // Constructors of the library's static objects run here.
    const OriginScope scope(backend.origin);
    backend.library = Library::open(backend.library_path, error);
  }
  if (error) return error;
  const Library& library = *backend.library;
  register_origin(library.path, backend.origin);
  if (library.initialize != nullptr) {
    error = guarded(backend, "TRITONBACKEND_Initialize", [&] { return library.initialize(&backend); });
  }
  if (!error && library.get_attribute != nullptr) {
    error = guarded(backend, "TRITONBACKEND_GetBackendAttribute",
                    [&] { return library.get_attribute(&backend, &backend.attribute); });
  }
  // As in Triton, finalizers run after a failed initialisation too: a library may have come half-way.
  backend.initialized = true;
  close_before_static_objects("initialize " + library.path);
  if (error) finalize(backend);
  return error;
}

ErrorPtr initialize(TRITONBACKEND_Model& model) {
  const auto& library = model.backend->library;
  ErrorPtr error;
  if (!model.batch_strategy_path.empty()) {
    model.batching = BatchStrategy::open(model.batch_strategy_path, error);
    if (error) return error;
  }
  error = initialize_batcher(model);
  if (!error && library->model_initialize != nullptr) {
    error = guarded(*model.backend, "TRITONBACKEND_ModelInitialize", [&] { return library->model_initialize(&model); });
  }
  model.initialized = true;
  if (error) finalize(model);
  return error;
}

ErrorPtr initialize(TRITONBACKEND_ModelInstance& instance) {
  const TRITONBACKEND_Backend& backend = *instance.model->backend;
  ErrorPtr error;
  if (backend.library->instance_initialize != nullptr) {
    error = guarded(backend, "TRITONBACKEND_ModelInstanceInitialize",
                    [&] { return backend.library->instance_initialize(&instance); });
  }
  instance.initialized = true;
  if (error) finalize(instance);
  return error;
}

void finalize(TRITONBACKEND_Backend& backend) {
  if (!backend.initialized.exchange(false)) return;
  const auto& library = backend.library;
  if (library->finalize != nullptr) {
    log_failure(backend, "backend '" + backend.name + "'",
                guarded(backend, "TRITONBACKEND_Finalize", [&] { return library->finalize(&backend); }));
  }
  unregister_origin(library->path, backend.origin);
}

void finalize(TRITONBACKEND_Model& model) {
  if (!model.initialized.exchange(false)) return;
  const TRITONBACKEND_Backend& backend = *model.backend;
  const std::string what = "model '" + model.name + "'";
  model.end_batch();
  if (model.batching && model.batcher != nullptr) {
    log_failure(backend, "the batcher of " + what, guarded(backend, "TRITONBACKEND_ModelBatcherFinalize", [&] {
                  return model.batching->batcher_finalize(model.batcher);
                }));
  }
  if (backend.library->model_finalize == nullptr) return;
  log_failure(backend, what,
              guarded(backend, "TRITONBACKEND_ModelFinalize", [&] { return backend.library->model_finalize(&model); }));
}

void finalize(TRITONBACKEND_ModelInstance& instance) {
  const std::lock_guard<std::mutex> lock(instance.ready_mutex);
  if (!instance.initialized.exchange(false)) return;
  const TRITONBACKEND_Backend& backend = *instance.model->backend;
  if (backend.library->instance_finalize == nullptr) return;
  log_failure(backend, "instance '" + instance.name + "'", guarded(backend, "TRITONBACKEND_ModelInstanceFinalize", [&] {
                return backend.library->instance_finalize(&instance);
              }));
}

ErrorPtr initialize_batch(TRITONBACKEND_Model& model) {
  return guarded(*model.backend, "TRITONBACKEND_ModelBatchInitialize",
                 [&] { return model.batching->initialize(model.batcher, &model.batch_userp); });
}

ErrorPtr include_in_batch(TRITONBACKEND_Model& model, TRITONBACKEND_Request* request, bool* result) {
  return guarded(*model.backend, "TRITONBACKEND_ModelBatchIncludeRequest",
                 [&] { return model.batching->include(request, model.batch_userp, result); });
}

ErrorPtr finalize_batch(TRITONBACKEND_Model& model) {
  return guarded(*model.backend, "TRITONBACKEND_ModelBatchFinalize",
                 [&] { return model.batching->finalize(model.batch_userp); });
}

ErrorPtr execute(TRITONBACKEND_ModelInstance& instance, TRITONBACKEND_Request** requests, uint32_t count) {
  const TRITONBACKEND_Backend& backend = *instance.model->backend;
  return guarded(backend, "TRITONBACKEND_ModelInstanceExecute",
                 [&] { return backend.library->execute(&instance, requests, count); });
}

ErrorPtr is_ready(TRITONBACKEND_ModelInstance& instance) {
  const TRITONBACKEND_Backend& backend = *instance.model->backend;
  if (backend.library->ready == nullptr) return nullptr;
  const std::lock_guard<std::mutex> lock(instance.ready_mutex);
  if (!instance.initialized) {
    return ErrorPtr(make_error(TRITONSERVER_ERROR_UNAVAILABLE, "instance '" + instance.name + "' is finalized"));
  }
  return guarded(backend, "TRITONBACKEND_ModelInstanceReady", [&] { return backend.library->ready(&instance); });
}

}  // namespace triton_ts
