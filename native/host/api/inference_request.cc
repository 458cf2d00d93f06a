// TRITONSERVER_InferenceRequest*: life.
#include "inference_request.h"

#include "boundary.h"
#include "host.h"
#include "nested_inferences.h"

using namespace triton_ts;

extern "C" {

TRITONSERVER_Error* TRITONSERVER_InferenceRequestNew(TRITONSERVER_InferenceRequest** out, TRITONSERVER_Server* server,
                                                     const char* model, int64_t version) {
  return at_boundary([&] {
    auto request = std::make_unique<TRITONSERVER_InferenceRequest>();
    request->server = *server;
    request->model_name = model;
    request->model_version = version;
    *out = request.release();
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestDelete(TRITONSERVER_InferenceRequest* request) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (request != nullptr && request->in_flight) {
      return internal_error(request->prefix() + "the request runs: it can be deleted once it is released");
    }
    const std::unique_ptr<TRITONSERVER_InferenceRequest> owned(request);
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetReleaseCallback(TRITONSERVER_InferenceRequest* request,
                                                                    TRITONSERVER_InferenceRequestReleaseFn_t function,
                                                                    void* userp) {
  request->callbacks.release_fn = function;
  request->callbacks.release_userp = userp;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetResponseCallback(
    TRITONSERVER_InferenceRequest* request, TRITONSERVER_ResponseAllocator* allocator, void* allocator_userp,
    TRITONSERVER_InferenceResponseCompleteFn_t function, void* userp) {
  request->callbacks.allocator = allocator;
  request->callbacks.allocator_userp = allocator_userp;
  request->callbacks.response_fn = function;
  request->callbacks.response_userp = userp;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestCancel(TRITONSERVER_InferenceRequest* request) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (request->infer_id == 0) {
      return internal_error(
          "It is not possible to cancel an inference request before calling TRITONSERVER_InferAsync.");
    }
    request->server.host->nested().cancel(*request);
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestIsCancelled(TRITONSERVER_InferenceRequest* request, bool* out) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (request->infer_id == 0) {
      return internal_error(
          "It is not possible to query cancellation status before calling TRITONSERVER_InferAsync.");
    }
    set(out, request->cancelled.load());
    return nullptr;
  });
}

}  // extern "C"
