// Implicit state: adds INPUT to the state INPUT_STATE (INT32 or FP32), stores the sum as OUTPUT_STATE and answers it as
// OUTPUT. With the parameter `update` = "never" the new state is made but not stored.
#include <cstring>

#include "answer.h"
#include "support.h"
#include "tensor.h"
#include "test_backend.h"

namespace triton_ts {
namespace {

template <typename T>
void add(const Tensor& state, Tensor* sum) {
  for (size_t index = 0; index < sum->data.size() / sizeof(T); index++) {
    const T value = sum->at<T>(index) + state.at<T>(index);
    std::memcpy(sum->data.data() + index * sizeof(T), &value, sizeof(T));
  }
}

TRITONSERVER_Error* store(TRITONBACKEND_Request* request, const Tensor& sum, bool update) {
  TRITONBACKEND_State* state = nullptr;
  RETURN_IF_ERROR(TRITONBACKEND_StateNew(
      &state, request, "OUTPUT_STATE", sum.datatype, sum.shape.data(), static_cast<uint32_t>(sum.shape.size())));
  void* buffer = nullptr;
  TRITONSERVER_MemoryType memory_type = TRITONSERVER_MEMORY_CPU;
  int64_t memory_type_id = 0;
  RETURN_IF_ERROR(TRITONBACKEND_StateBuffer(state, &buffer, sum.data.size(), &memory_type, &memory_type_id));
  TRITONSERVER_BufferAttributes* attributes = nullptr;
  RETURN_IF_ERROR(TRITONBACKEND_StateBufferAttributes(state, &attributes));
  size_t byte_size = 0;
  RETURN_IF_ERROR(TRITONSERVER_BufferAttributesByteSize(attributes, &byte_size));
  if (byte_size != sum.data.size()) {
    return new_error(TRITONSERVER_ERROR_INTERNAL, "the state's buffer has " + std::to_string(byte_size) + " bytes");
  }
  std::memcpy(buffer, sum.data.data(), sum.data.size());
  return update ? TRITONBACKEND_StateUpdate(state) : nullptr;
}

TRITONSERVER_Error* answer(TRITONBACKEND_Request* request, TRITONBACKEND_Response* response, bool update) {
  Tensor sum;
  Tensor state;
  RETURN_IF_ERROR(read_input(request, "INPUT", &sum));
  RETURN_IF_ERROR(read_input(request, "INPUT_STATE", &state));
  if (sum.datatype == TRITONSERVER_TYPE_FP32) {
    add<float>(state, &sum);
  } else {
    add<int32_t>(state, &sum);
  }
  RETURN_IF_ERROR(store(request, sum, update));
  sum.name = "OUTPUT";
  return is_requested(request, sum.name) ? write_output(response, sum) : nullptr;
}

class State : public TestBackend {
 public:
  TRITONSERVER_Error* execute(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count) override {
    const bool update = model_parameter(instance, "update") != "never";
    answer_each(instance, requests, count, [update](TRITONBACKEND_Request* request, TRITONBACKEND_Response* response) {
      return answer(request, response, update);
    });
    return nullptr;
  }
};

}  // namespace

TestBackend& test_backend() {
  static State backend;
  return backend;
}

}  // namespace triton_ts
