// The life cycle functions of Triton's backend ABI, for every test library: the books are kept here, the work is the
// TestBackend's. Exceptions are let through on purpose: a library that throws is one of the cases under test.
#include "lifecycle_tracker.h"
#include "support.h"
#include "test_backend.h"

using triton_ts::test_backend;
using triton_ts::LifecycleTracker;

namespace {

template <typename Initialise>
TRITONSERVER_Error* begin(const char* kind, const void* object, const void* parent, const Initialise& initialise) {
  LifecycleTracker& tracker = LifecycleTracker::get();
  tracker.begin(kind, object, parent);
  RETURN_IF_ERROR(initialise());
  tracker.succeeded(object);
  return nullptr;
}

class Executing {
 public:
  explicit Executing(const void* instance) : instance_(instance) { LifecycleTracker::get().begin_execute(instance); }
  ~Executing() { LifecycleTracker::get().end_execute(instance_); }
  Executing(const Executing&) = delete;
  Executing& operator=(const Executing&) = delete;

 private:
  const void* instance_;
};

}  // namespace

TRITONSERVER_Error* TRITONBACKEND_Initialize(TRITONBACKEND_Backend* backend) {
  return begin("backend", backend, nullptr, [backend] { return test_backend().initialize(backend); });
}

TRITONSERVER_Error* TRITONBACKEND_Finalize(TRITONBACKEND_Backend* backend) {
  LifecycleTracker::get().end("backend", backend);
  return test_backend().finalize(backend);
}

TRITONSERVER_Error* TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model* model) {
  TRITONBACKEND_Backend* backend = nullptr;
  RETURN_IF_ERROR(TRITONBACKEND_ModelBackend(model, &backend));
  return begin("model", model, backend, [model] { return test_backend().model_initialize(model); });
}

TRITONSERVER_Error* TRITONBACKEND_ModelFinalize(TRITONBACKEND_Model* model) {
  LifecycleTracker::get().end("model", model);
  return test_backend().model_finalize(model);
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceInitialize(TRITONBACKEND_ModelInstance* instance) {
  TRITONBACKEND_Model* model = nullptr;
  RETURN_IF_ERROR(TRITONBACKEND_ModelInstanceModel(instance, &model));
  return begin("instance", instance, model, [instance] { return test_backend().instance_initialize(instance); });
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceFinalize(TRITONBACKEND_ModelInstance* instance) {
  LifecycleTracker::get().end("instance", instance);
  return test_backend().instance_finalize(instance);
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(
    TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, const uint32_t count) {
  const Executing executing(instance);
  return test_backend().execute(instance, requests, count);
}
