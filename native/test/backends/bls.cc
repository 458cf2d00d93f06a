// Business logic: calls the model named by the parameter `target` and forwards its answer. Parameter `mode`:
//   (none)     one response, waited for inside execute
//   decoupled  each response of the target, then the final flag
//   cancel     the request to the target is cancelled at once
//   control    no inference: loads the target, asks the server about it and unloads it; OUTPUT (BYTES) is a JSON object
#include "answer.h"
#include "inspect_server.h"
#include "nested_request.h"
#include "support.h"
#include "tensor.h"
#include "test_backend.h"

namespace triton_ts {
namespace {

TRITONSERVER_Error* write_outputs(TRITONBACKEND_Response* response, NestedResponse* nested) {
  if (nested->error != nullptr) return nested->error;
  for (const Tensor& output : nested->outputs) RETURN_IF_ERROR(write_output(response, output));
  return nullptr;
}

class Bls : public TestBackend {
 public:
  TRITONSERVER_Error* execute(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count) override {
    TRITONBACKEND_Model* model = nullptr;
    TRITONSERVER_Server* server = nullptr;
    RETURN_IF_ERROR(TRITONBACKEND_ModelInstanceModel(instance, &model));
    RETURN_IF_ERROR(TRITONBACKEND_ModelServer(model, &server));
    const std::string target = model_parameter(model, "target");
    const std::string mode = model_parameter(model, "mode");
    if (mode == "decoupled") {
      for (uint32_t index = 0; index < count; index++) forward_each(server, target, requests[index]);
      return nullptr;
    }
    answer_each(instance, requests, count, [&](TRITONBACKEND_Request* request, TRITONBACKEND_Response* response) {
      if (mode == "control") return write_output(response, text_tensor("OUTPUT", inspect_server(server, target)));
      return forward(server, target, mode == "cancel", request, response);
    });
    return nullptr;
  }

 private:
  static TRITONSERVER_Error* forward(
      TRITONSERVER_Server* server, const std::string& target, bool cancel, TRITONBACKEND_Request* request,
      TRITONBACKEND_Response* response) {
    NestedRequest nested(server, target);
    RETURN_IF_ERROR(nested.take_from(request));
    RETURN_IF_ERROR(nested.start());
    if (cancel) RETURN_IF_ERROR(nested.cancel());
    NestedResponse answer;
    if (!nested.next(&answer)) return new_error(TRITONSERVER_ERROR_INTERNAL, "the target did not answer");
    return write_outputs(response, &answer);
  }

  static void forward_each(TRITONSERVER_Server* server, const std::string& target, TRITONBACKEND_Request* request) {
    NestedRequest nested(server, target);
    TRITONSERVER_Error* error = nested.take_from(request);
    if (error == nullptr) error = nested.start();
    if (error != nullptr) return reject(request, error);
    TRITONBACKEND_ResponseFactory* factory = nullptr;
    log_if_error(TRITONBACKEND_ResponseFactoryNew(&factory, request));
    log_if_error(TRITONBACKEND_RequestRelease(request, TRITONSERVER_REQUEST_RELEASE_ALL));
    for (NestedResponse answer; nested.next(&answer); answer = NestedResponse()) {
      TRITONBACKEND_Response* response = nullptr;
      log_if_error(TRITONBACKEND_ResponseNewFromFactory(&response, factory));
      send(response, 0, write_outputs(response, &answer));
    }
    log_if_error(TRITONBACKEND_ResponseFactorySendFlags(factory, TRITONSERVER_RESPONSE_COMPLETE_FINAL));
    log_if_error(TRITONBACKEND_ResponseFactoryDelete(factory));
  }
};

}  // namespace

TestBackend& test_backend() {
  static Bls backend;
  return backend;
}

}  // namespace triton_ts
