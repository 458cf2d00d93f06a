// The inputs and requested outputs of a TRITONBACKEND_Request.
#include "boundary.h"
#include "request.h"

using triton_ts::at_boundary;
using triton_ts::invalid_argument;
using triton_ts::set;

namespace {

TRITONSERVER_Error* out_of_bounds(const TRITONBACKEND_Request& request, uint32_t index, size_t count,
                                  const char* what) {
  return invalid_argument(request.log_prefix() + "out of bounds index " + std::to_string(index) + ": request has " +
                          std::to_string(count) + " " + what);
}

/// Null where there is no such input; `error` tells why then.
TRITONBACKEND_Input* input_at(TRITONBACKEND_Request& request, uint32_t index, TRITONSERVER_Error*& error) {
  if (index < request.inputs.size()) return &request.inputs[index];
  error = out_of_bounds(request, index, request.inputs.size(), "inputs");
  return nullptr;
}

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONBACKEND_RequestInputCount(TRITONBACKEND_Request* request, uint32_t* count) {
  *count = static_cast<uint32_t>(request->inputs.size());
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_RequestInputName(TRITONBACKEND_Request* request, uint32_t index,
                                                   const char** input_name) {
  return at_boundary([&] {
    TRITONSERVER_Error* error = nullptr;
    const TRITONBACKEND_Input* input = input_at(*request, index, error);
    *input_name = input == nullptr ? nullptr : input->name.c_str();
    return error;
  });
}

TRITONSERVER_Error* TRITONBACKEND_RequestInput(TRITONBACKEND_Request* request, const char* name,
                                               TRITONBACKEND_Input** input) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    *input = nullptr;
    for (TRITONBACKEND_Input& candidate : request->inputs) {
      if (candidate.name != name) continue;
      *input = &candidate;
      return nullptr;
    }
    return invalid_argument(request->log_prefix() + "unknown request input name " + name);
  });
}

TRITONSERVER_Error* TRITONBACKEND_RequestInputByIndex(TRITONBACKEND_Request* request, uint32_t index,
                                                      TRITONBACKEND_Input** input) {
  return at_boundary([&] {
    TRITONSERVER_Error* error = nullptr;
    *input = input_at(*request, index, error);
    return error;
  });
}

TRITONSERVER_Error* TRITONBACKEND_RequestOutputCount(TRITONBACKEND_Request* request, uint32_t* count) {
  *count = static_cast<uint32_t>(request->requested_outputs.size());
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_RequestOutputName(TRITONBACKEND_Request* request, uint32_t index,
                                                    const char** output_name) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    *output_name = nullptr;
    const auto& outputs = request->requested_outputs;
    if (index >= outputs.size()) return out_of_bounds(*request, index, outputs.size(), "requested outputs");
    *output_name = outputs[index].c_str();
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_RequestOutputBufferProperties(TRITONBACKEND_Request*, const char*, size_t*,
                                                                TRITONSERVER_MemoryType* memory_type,
                                                                int64_t* memory_type_id) {
  // Whatever the output and its size.
  set(memory_type, TRITONSERVER_MEMORY_CPU);
  set(memory_type_id, 0);
  return nullptr;
}

}  // extern "C"
