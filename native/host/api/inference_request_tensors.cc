// TRITONSERVER_InferenceRequest*: inputs and requested outputs.
#include <algorithm>

#include "boundary.h"
#include "inference_request.h"

using namespace triton_ts;

namespace {

/// Runs `change` on an input, or complains that there is none.
template <typename Change>
TRITONSERVER_Error* with_input(TRITONSERVER_InferenceRequest* request, const char* name, Change&& change) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    NestedInput* input = request->find_input(name);
    if (input == nullptr) {
      return invalid_argument(request->prefix() + "input '" + name + "' does not exist in request");
    }
    change(*input);
    return nullptr;
  });
}

void append(NestedInput::Pieces& pieces, const void* data, const TRITONSERVER_BufferAttributes& attributes) {
  if (attributes.byte_size > 0) pieces.push_back({data, attributes});
}

TRITONSERVER_BufferAttributes attributes_of(size_t byte_size, TRITONSERVER_MemoryType type, int64_t type_id) {
  TRITONSERVER_BufferAttributes attributes;
  attributes.byte_size = byte_size;
  attributes.memory_type = type;
  attributes.memory_type_id = type_id;
  return attributes;
}

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONSERVER_InferenceRequestAddInput(TRITONSERVER_InferenceRequest* request, const char* name,
                                                          TRITONSERVER_DataType datatype, const int64_t* shape,
                                                          uint64_t rank) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (request->find_input(name) != nullptr) {
      return invalid_argument(request->prefix() + "input '" + name + "' already exists in request");
    }
    NestedInput& input = request->inputs.emplace_back();
    input.name = name;
    input.datatype = datatype;
    if (rank > 0) input.shape.assign(shape, shape + rank);
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestAddRawInput(TRITONSERVER_InferenceRequest* request, const char* name) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (!request->inputs.empty()) {
      return invalid_argument(request->prefix() + "raw input '" + name +
                              "' can't be added to request with other inputs");
    }
    request->inputs.emplace_back().name = name;
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestRemoveInput(TRITONSERVER_InferenceRequest* request, const char* name) {
  return with_input(request, name, [&](NestedInput& input) {
    request->inputs.erase(request->inputs.begin() + (&input - request->inputs.data()));
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestRemoveAllInputs(TRITONSERVER_InferenceRequest* request) {
  request->inputs.clear();
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestAppendInputData(TRITONSERVER_InferenceRequest* request,
                                                                 const char* name, const void* data, size_t byte_size,
                                                                 TRITONSERVER_MemoryType type, int64_t type_id) {
  return with_input(request, name, [&](NestedInput& input) {
    append(input.pieces, data, attributes_of(byte_size, type, type_id));
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestAppendInputDataWithHostPolicy(
    TRITONSERVER_InferenceRequest* request, const char* name, const void* data, size_t byte_size,
    TRITONSERVER_MemoryType type, int64_t type_id, const char* policy) {
  return with_input(request, name, [&](NestedInput& input) {
    append(input.policy_pieces[policy], data, attributes_of(byte_size, type, type_id));
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestAppendInputDataWithBufferAttributes(
    TRITONSERVER_InferenceRequest* request, const char* name, const void* data,
    TRITONSERVER_BufferAttributes* attributes) {
  return with_input(request, name, [&](NestedInput& input) { append(input.pieces, data, *attributes); });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestRemoveAllInputData(TRITONSERVER_InferenceRequest* request,
                                                                    const char* name) {
  return with_input(request, name, [&](NestedInput& input) {
    input.pieces.clear();
    input.policy_pieces.clear();
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestAddRequestedOutput(TRITONSERVER_InferenceRequest* request,
                                                                    const char* name) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    auto& outputs = request->outputs;
    if (std::find(outputs.begin(), outputs.end(), name) != outputs.end()) {
      return invalid_argument(request->prefix() + "output '" + name + "' already exists in request");
    }
    outputs.emplace_back(name);
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestRemoveRequestedOutput(TRITONSERVER_InferenceRequest* request,
                                                                       const char* name) {
  return at_boundary([&] {
    auto& outputs = request->outputs;
    outputs.erase(std::remove(outputs.begin(), outputs.end(), name), outputs.end());
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestRemoveAllRequestedOutputs(TRITONSERVER_InferenceRequest* request) {
  request->outputs.clear();
  return nullptr;
}

}  // extern "C"
