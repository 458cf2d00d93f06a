#include "copy_request.h"

#include "support.h"

namespace triton_ts {
namespace {

TRITONSERVER_Error* copy_properties(TRITONBACKEND_Request* from, TRITONSERVER_InferenceRequest* to) {
  const char* id = nullptr;
  RETURN_IF_ERROR(TRITONBACKEND_RequestId(from, &id));
  if (id != nullptr) RETURN_IF_ERROR(TRITONSERVER_InferenceRequestSetId(to, id));
  uint32_t flags = 0;
  RETURN_IF_ERROR(TRITONBACKEND_RequestFlags(from, &flags));
  RETURN_IF_ERROR(TRITONSERVER_InferenceRequestSetFlags(to, flags));
  uint64_t timeout = 0;
  RETURN_IF_ERROR(TRITONBACKEND_InferenceRequestTimeoutMicroseconds(from, &timeout));
  RETURN_IF_ERROR(TRITONSERVER_InferenceRequestSetTimeoutMicroseconds(to, timeout));
  // A correlation id is a number or a text; asking for the other one is an error.
  uint64_t number = 0;
  if (take_text(TRITONBACKEND_RequestCorrelationId(from, &number)).empty()) {
    return TRITONSERVER_InferenceRequestSetCorrelationId(to, number);
  }
  const char* text = nullptr;
  RETURN_IF_ERROR(TRITONBACKEND_RequestCorrelationIdString(from, &text));
  return TRITONSERVER_InferenceRequestSetCorrelationIdString(to, text);
}

TRITONSERVER_Error* copy_parameters(TRITONBACKEND_Request* from, TRITONSERVER_InferenceRequest* to) {
  uint32_t count = 0;
  RETURN_IF_ERROR(TRITONBACKEND_RequestParameterCount(from, &count));
  for (uint32_t index = 0; index < count; index++) {
    const char* key = nullptr;
    TRITONSERVER_ParameterType type = TRITONSERVER_PARAMETER_STRING;
    const void* value = nullptr;
    RETURN_IF_ERROR(TRITONBACKEND_RequestParameter(from, index, &key, &type, &value));
    if (type == TRITONSERVER_PARAMETER_STRING) {
      RETURN_IF_ERROR(
          TRITONSERVER_InferenceRequestSetStringParameter(to, key, static_cast<const char*>(value)));
    } else if (type == TRITONSERVER_PARAMETER_INT) {
      RETURN_IF_ERROR(
          TRITONSERVER_InferenceRequestSetIntParameter(to, key, *static_cast<const int64_t*>(value)));
    } else if (type == TRITONSERVER_PARAMETER_BOOL) {
      RETURN_IF_ERROR(TRITONSERVER_InferenceRequestSetBoolParameter(to, key, *static_cast<const bool*>(value)));
    } else if (type == TRITONSERVER_PARAMETER_DOUBLE) {
      RETURN_IF_ERROR(
          TRITONSERVER_InferenceRequestSetDoubleParameter(to, key, *static_cast<const double*>(value)));
    }
  }
  return nullptr;
}

}  // namespace

TRITONSERVER_Error* copy_request(
    TRITONBACKEND_Request* from, TRITONSERVER_InferenceRequest* to, std::deque<Tensor>* inputs) {
  uint32_t count = 0;
  RETURN_IF_ERROR(TRITONBACKEND_RequestInputCount(from, &count));
  for (uint32_t index = 0; index < count; index++) {
    Tensor& input = inputs->emplace_back();
    RETURN_IF_ERROR(read_input(from, index, &input));
    const char* name = input.name.c_str();
    RETURN_IF_ERROR(TRITONSERVER_InferenceRequestAddInput(
        to, name, input.datatype, input.shape.data(), input.shape.size()));
    RETURN_IF_ERROR(TRITONSERVER_InferenceRequestAppendInputData(
        to, name, input.data.data(), input.data.size(), TRITONSERVER_MEMORY_CPU, 0));
  }
  RETURN_IF_ERROR(TRITONBACKEND_RequestOutputCount(from, &count));
  for (uint32_t index = 0; index < count; index++) {
    const char* name = nullptr;
    RETURN_IF_ERROR(TRITONBACKEND_RequestOutputName(from, index, &name));
    RETURN_IF_ERROR(TRITONSERVER_InferenceRequestAddRequestedOutput(to, name));
  }
  RETURN_IF_ERROR(copy_properties(from, to));
  return copy_parameters(from, to);
}

}  // namespace triton_ts
