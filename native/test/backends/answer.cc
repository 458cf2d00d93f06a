#include "answer.h"

#include "support.h"
#include "tensor.h"

namespace triton_ts {
namespace {

/// The first dimension of the first input, 1 where there is none.
uint64_t batch_size_of(TRITONBACKEND_Request* request) {
  TRITONBACKEND_Input* input = nullptr;
  const int64_t* shape = nullptr;
  uint32_t dims = 0;
  if (!take_text(TRITONBACKEND_RequestInputByIndex(request, 0, &input)).empty()) return 1;
  log_if_error(TRITONBACKEND_InputProperties(input, nullptr, nullptr, &shape, &dims, nullptr, nullptr));
  return dims == 0 ? 1 : static_cast<uint64_t>(shape[0]);
}

}  // namespace

TRITONSERVER_Error* copy_inputs(TRITONBACKEND_Request* request, TRITONBACKEND_Response* response) {
  uint32_t inputs = 0;
  RETURN_IF_ERROR(TRITONBACKEND_RequestInputCount(request, &inputs));
  for (uint32_t index = 0; index < inputs; index++) {
    Tensor tensor;
    RETURN_IF_ERROR(read_input(request, index, &tensor));
    if (tensor.name.compare(0, 5, "INPUT") != 0) continue;
    tensor.name.replace(0, 5, "OUTPUT");
    if (is_requested(request, tensor.name)) RETURN_IF_ERROR(write_output(response, tensor));
  }
  return nullptr;
}

TRITONSERVER_Error* set_parameter(
    TRITONBACKEND_Response* response, const char* key, TRITONSERVER_ParameterType type, const void* value) {
  switch (type) {
    case TRITONSERVER_PARAMETER_STRING:
      return TRITONBACKEND_ResponseSetStringParameter(response, key, static_cast<const char*>(value));
    case TRITONSERVER_PARAMETER_INT:
      return TRITONBACKEND_ResponseSetIntParameter(response, key, *static_cast<const int64_t*>(value));
    case TRITONSERVER_PARAMETER_BOOL:
      return TRITONBACKEND_ResponseSetBoolParameter(response, key, *static_cast<const bool*>(value));
    case TRITONSERVER_PARAMETER_DOUBLE:
      return TRITONBACKEND_ResponseSetDoubleParameter(response, key, *static_cast<const double*>(value));
    case TRITONSERVER_PARAMETER_BYTES:
      break;
  }
  return nullptr;
}

bool is_requested(TRITONBACKEND_Request* request, const std::string& name) {
  uint32_t count = 0;
  log_if_error(TRITONBACKEND_RequestOutputCount(request, &count));
  for (uint32_t index = 0; index < count; index++) {
    const char* requested = nullptr;
    log_if_error(TRITONBACKEND_RequestOutputName(request, index, &requested));
    if (requested != nullptr && name == requested) return true;
  }
  return false;
}

void send(TRITONBACKEND_Response* response, uint32_t flags, TRITONSERVER_Error* error) {
  if (response != nullptr) log_if_error(TRITONBACKEND_ResponseSend(response, flags, error));
  TRITONSERVER_ErrorDelete(error);
}

void reject(TRITONBACKEND_Request* request, TRITONSERVER_Error* error) {
  TRITONBACKEND_Response* response = nullptr;
  log_if_error(TRITONBACKEND_ResponseNew(&response, request));
  send(response, TRITONSERVER_RESPONSE_COMPLETE_FINAL, error);
  log_if_error(TRITONBACKEND_RequestRelease(request, TRITONSERVER_REQUEST_RELEASE_ALL));
}

void answer_each(
    TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count,
    const AnswerFunction& answer, bool batching) {
  const uint64_t start = now_ns();
  uint64_t batch_size = 0;
  for (uint32_t index = 0; index < count; index++) {
    TRITONBACKEND_Request* request = requests[index];
    batch_size += batching ? batch_size_of(request) : 1;
    const uint64_t compute_start = now_ns();
    TRITONBACKEND_Response* response = nullptr;
    log_if_error(TRITONBACKEND_ResponseNew(&response, request));
    TRITONSERVER_Error* error = answer(request, response);
    const bool success = error == nullptr;
    const uint64_t compute_end = now_ns();
    send(response, TRITONSERVER_RESPONSE_COMPLETE_FINAL, error);
    log_if_error(TRITONBACKEND_ModelInstanceReportStatistics(
        instance, request, success, start, compute_start, compute_end, now_ns()));
    log_if_error(TRITONBACKEND_RequestRelease(request, TRITONSERVER_REQUEST_RELEASE_ALL));
  }
  const uint64_t end = now_ns();
  log_if_error(TRITONBACKEND_ModelInstanceReportBatchStatistics(instance, batch_size, start, start, end, end));
}

}  // namespace triton_ts
