// Answers OUTPUT (BYTES) with all that a backend can ask its host: a JSON object of "backend", "model", "instance",
// "request", "response" and "names".
#include "answer.h"
#include "inspect_model.h"
#include "inspect_names.h"
#include "inspect_request.h"
#include "inspect_response.h"
#include "report.h"
#include "support.h"
#include "tensor.h"
#include "test_backend.h"

namespace triton_ts {
namespace {

TRITONSERVER_Error* answer(
    TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request* request, TRITONBACKEND_Response* response) {
  TRITONBACKEND_Model* model = nullptr;
  TRITONBACKEND_Backend* backend = nullptr;
  RETURN_IF_ERROR(TRITONBACKEND_ModelInstanceModel(instance, &model));
  RETURN_IF_ERROR(TRITONBACKEND_ModelBackend(model, &backend));
  Report report;
  report.raw("backend", inspect_backend(backend));
  report.raw("model", inspect_model(model));
  report.raw("instance", inspect_instance(instance));
  report.raw("request", inspect_request(request));
  if (is_requested(request, "PROBE")) report.raw("response", inspect_response(response));
  report.raw("names", inspect_names());
  return write_output(response, text_tensor("OUTPUT", report.json()));
}

class Inspect : public TestBackend {
 public:
  TRITONSERVER_Error* initialize(TRITONBACKEND_Backend* backend) override {
    return TRITONBACKEND_BackendSetState(backend, this);
  }

  TRITONSERVER_Error* model_initialize(TRITONBACKEND_Model* model) override {
    return TRITONBACKEND_ModelSetState(model, this);
  }

  TRITONSERVER_Error* execute(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count) override {
    answer_each(
        instance, requests, count, [instance](TRITONBACKEND_Request* request, TRITONBACKEND_Response* response) {
          return answer(instance, request, response);
        });
    return nullptr;
  }
};

}  // namespace

TestBackend& test_backend() {
  static Inspect backend;
  return backend;
}

}  // namespace triton_ts
