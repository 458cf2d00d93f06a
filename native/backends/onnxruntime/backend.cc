/*
 * libtriton_onnxruntime: the entry points that Triton's backend ABI asks for. The library knows nothing of its host, so
 * it loads into triton-ts and into tritonserver alike.
 *
 * Keys of `--backend-config=onnxruntime,<key>=<value>` (in the backend config's member `cmdline`):
 *
 *   default-max-batch-size    max_batch_size of a model that can batch and does not say how much. Triton's default: 4
 *   onnxruntime-library       path of libonnxruntime; see OpenOrtLibrary for where it is looked for otherwise
 *   cpus                      CPUs that the instances of one model share: without `intra_op_thread_count` its session
 *                             gets as many threads as keep all of them busy when all instances run; they do not spin.
 *                             Default: ONNX Runtime's own choice
 *   enable-global-threadpool  true: one thread pool for all models, of intra_op_thread_count and inter_op_thread_count
 *                             threads, which are keys here too
 */
#include <malloc.h>

#include <memory>

#include "error.h"
#include "instance.h"
#include "model.h"

namespace triton_ts {
namespace {

/** Cancellation needs it, and everything else is older. */
constexpr uint32_t kNeededMinorVersion = 15;

void CheckApiVersion() {
  uint32_t major = 0;
  uint32_t minor = 0;
  Check(TRITONBACKEND_ApiVersion(&major, &minor));
  if (major == TRITONBACKEND_API_VERSION_MAJOR && minor >= kNeededMinorVersion) return;
  throw Error(TRITONSERVER_ERROR_UNSUPPORTED,
              "Triton TRITONBACKEND API version: " + std::to_string(major) + "." + std::to_string(minor) +
                  " does not support 'onnxruntime' TRITONBACKEND API version: " +
                  std::to_string(TRITONBACKEND_API_VERSION_MAJOR) + "." + std::to_string(kNeededMinorVersion));
}

Json BackendConfig(TRITONBACKEND_Backend* backend) {
  TRITONSERVER_Message* message = nullptr;
  Check(TRITONBACKEND_BackendConfig(backend, &message));
  const char* text = nullptr;
  size_t size = 0;
  Check(TRITONSERVER_MessageSerializeToJson(message, &text, &size));
  return size == 0 ? Json() : Json::Parse({text, size});
}

template <typename State, typename Object>
State* StateOf(Object* object, TRITONSERVER_Error* (*get)(Object*, void**)) {
  void* state = nullptr;
  Check(get(object, &state));
  return static_cast<State*>(state);
}

/** Gives `state` to the host, which hands it back until the matching Finalize. */
template <typename State, typename Object>
void SetState(Object* object, TRITONSERVER_Error* (*set)(Object*, void*), std::unique_ptr<State> state) {
  Check(set(object, state.get()));
  state.release();
}

/** Takes the state back and destroys it. */
template <typename State, typename Object>
void DropState(Object* object, TRITONSERVER_Error* (*get)(Object*, void**),
               TRITONSERVER_Error* (*set)(Object*, void*)) {
  const std::unique_ptr<State> state(StateOf<State>(object, get));
  Check(set(object, nullptr));
}

}  // namespace
}  // namespace triton_ts

using namespace triton_ts;  // NOLINT: the entry points stand outside of every namespace

extern "C" {

TRITONSERVER_Error* TRITONBACKEND_Initialize(TRITONBACKEND_Backend* backend) {
  return Guard([&] {
    CheckApiVersion();
    const auto settings = BackendSettings::FromJson(BackendConfig(backend));
    SetState(backend, TRITONBACKEND_BackendSetState, std::make_unique<BackendState>(settings));
  });
}

TRITONSERVER_Error* TRITONBACKEND_Finalize(TRITONBACKEND_Backend* backend) {
  return Guard(
      [&] { DropState<BackendState>(backend, TRITONBACKEND_BackendState, TRITONBACKEND_BackendSetState); });
}

TRITONSERVER_Error* TRITONBACKEND_GetBackendAttribute(
    TRITONBACKEND_Backend*, TRITONBACKEND_BackendAttribute* attributes) {
  return TRITONBACKEND_BackendAttributeSetParallelModelInstanceLoading(attributes, true);
}

TRITONSERVER_Error* TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model* model) {
  return Guard([&] { SetState(model, TRITONBACKEND_ModelSetState, std::make_unique<Model>(model)); });
}

TRITONSERVER_Error* TRITONBACKEND_ModelFinalize(TRITONBACKEND_Model* model) {
  return Guard([&] {
    DropState<Model>(model, TRITONBACKEND_ModelState, TRITONBACKEND_ModelSetState);
#ifdef __GLIBC__
    // The allocator would keep what the sessions held.
    malloc_trim(0);
#endif
  });
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceInitialize(
    TRITONBACKEND_ModelInstance* instance) {
  return Guard([&] {
    TRITONBACKEND_Model* model = nullptr;
    Check(TRITONBACKEND_ModelInstanceModel(instance, &model));
    SetState(instance, TRITONBACKEND_ModelInstanceSetState,
             std::make_unique<Instance>(*StateOf<Model>(model, TRITONBACKEND_ModelState), instance));
  });
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceFinalize(TRITONBACKEND_ModelInstance* instance) {
  return Guard([&] {
    DropState<Instance>(instance, TRITONBACKEND_ModelInstanceState, TRITONBACKEND_ModelInstanceSetState);
  });
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(
    TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, const uint32_t count) {
  return Guard(
      [&] { StateOf<Instance>(instance, TRITONBACKEND_ModelInstanceState)->Execute(requests, count); });
}

}  // extern "C"
