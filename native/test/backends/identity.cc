// Copies input INPUTn to output OUTPUTn, echoes the request's parameters, and batches.
#include <memory>

#include "answer.h"
#include "support.h"
#include "test_backend.h"

namespace triton_ts {
namespace {

struct ModelState {
  bool batching;
};

TRITONSERVER_Error* answer(TRITONBACKEND_Request* request, TRITONBACKEND_Response* response) {
  RETURN_IF_ERROR(copy_inputs(request, response));
  uint32_t count = 0;
  RETURN_IF_ERROR(TRITONBACKEND_RequestParameterCount(request, &count));
  for (uint32_t index = 0; index < count; index++) {
    const char* key = nullptr;
    TRITONSERVER_ParameterType type = TRITONSERVER_PARAMETER_STRING;
    const void* value = nullptr;
    RETURN_IF_ERROR(TRITONBACKEND_RequestParameter(request, index, &key, &type, &value));
    RETURN_IF_ERROR(set_parameter(response, key, type, value));
  }
  return nullptr;
}

class Identity : public TestBackend {
 public:
  TRITONSERVER_Error* model_initialize(TRITONBACKEND_Model* model) override {
    auto state = std::make_unique<ModelState>(ModelState{max_batch_size(model) > 0});
    return TRITONBACKEND_ModelSetState(model, state.release());
  }

  TRITONSERVER_Error* model_finalize(TRITONBACKEND_Model* model) override {
    ModelState* state = nullptr;
    RETURN_IF_ERROR(state_of(model, &state));
    const std::unique_ptr<ModelState> owned(state);
    return nullptr;
  }

  TRITONSERVER_Error* execute(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count) override {
    TRITONBACKEND_Model* model = nullptr;
    ModelState* state = nullptr;
    RETURN_IF_ERROR(TRITONBACKEND_ModelInstanceModel(instance, &model));
    RETURN_IF_ERROR(state_of(model, &state));
    answer_each(instance, requests, count, answer, state->batching);
    return nullptr;
  }

 private:
  static TRITONSERVER_Error* state_of(TRITONBACKEND_Model* model, ModelState** state) {
    void* pointer = nullptr;
    RETURN_IF_ERROR(TRITONBACKEND_ModelState(model, &pointer));
    *state = static_cast<ModelState*>(pointer);
    return nullptr;
  }
};

}  // namespace

TestBackend& test_backend() {
  static Identity backend;
  return backend;
}

}  // namespace triton_ts
