// TRITONSERVER_InferenceResponse*.
#include "inference_response.h"

#include "boundary.h"

using namespace triton_ts;

namespace {

TRITONSERVER_Error* out_of_bounds(uint32_t index, size_t size, const char* what) {
  return invalid_argument("out of bounds index " + std::to_string(index) + ": response has " + std::to_string(size) +
                          " " + what);
}

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONSERVER_InferenceResponseDelete(TRITONSERVER_InferenceResponse* response) {
  const std::unique_ptr<TRITONSERVER_InferenceResponse> owned(response);
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceResponseError(TRITONSERVER_InferenceResponse* response) {
  // Triton makes a new one for each call, and libraries delete it.
  return at_boundary([&]() -> TRITONSERVER_Error* {
    return response->error ? make_error(response->error->code, response->error->message) : nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceResponseModel(TRITONSERVER_InferenceResponse* response, const char** name,
                                                        int64_t* version) {
  set(name, response->model_name.c_str());
  set(version, response->model_version);
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceResponseId(TRITONSERVER_InferenceResponse* response, const char** out) {
  set(out, response->id.c_str());
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceResponseParameterCount(TRITONSERVER_InferenceResponse* response,
                                                                 uint32_t* out) {
  set(out, static_cast<uint32_t>(response->parameters.size()));
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceResponseParameter(TRITONSERVER_InferenceResponse* response, uint32_t index,
                                                            const char** name, TRITONSERVER_ParameterType* type,
                                                            const void** value) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    const Parameters& parameters = response->parameters;
    if (index >= parameters.size()) return out_of_bounds(index, parameters.size(), "parameters");
    set(name, parameters[index].name.c_str());
    set(type, parameters[index].type);
    set(value, parameters[index].pointer());
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceResponseOutputCount(TRITONSERVER_InferenceResponse* response, uint32_t* out) {
  set(out, static_cast<uint32_t>(response->outputs.size()));
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceResponseOutput(TRITONSERVER_InferenceResponse* response, uint32_t index,
                                                         const char** name, TRITONSERVER_DataType* datatype,
                                                         const int64_t** shape, uint64_t* rank, const void** data,
                                                         size_t* byte_size, TRITONSERVER_MemoryType* type,
                                                         int64_t* type_id, void** userp) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (index >= response->outputs.size()) return out_of_bounds(index, response->outputs.size(), "outputs");
    const NestedOutput& output = response->outputs[index];
    set(name, output.name.c_str());
    set(datatype, output.datatype);
    set(shape, output.shape.data());
    set(rank, output.shape.size());
    set(data, output.buffer);
    set(byte_size, output.attributes.byte_size);
    set(type, output.attributes.memory_type);
    set(type_id, output.attributes.memory_type_id);
    set(userp, output.buffer_userp);
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceResponseOutputClassificationLabel(TRITONSERVER_InferenceResponse* response,
                                                                            uint32_t index, size_t,
                                                                            const char** label) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (index >= response->outputs.size()) return out_of_bounds(index, response->outputs.size(), "outputs");
    set(label, nullptr);
    return nullptr;
  });
}

}  // extern "C"
