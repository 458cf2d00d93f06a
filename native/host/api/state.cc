// TRITONBACKEND_State: implicit state of sequences.
#include "boundary.h"
#include "model.h"
#include "model_config.h"
#include "request.h"
#include "response_events.h"

using triton_ts::at_boundary;
using triton_ts::invalid_argument;
using triton_ts::set;

namespace {

/// Null where the model has a state with that output.
TRITONSERVER_Error* check_state(TRITONBACKEND_Model& model, const std::string& name) {
  const std::lock_guard<std::mutex> lock(model.mutex);
  if (!triton_ts::config_has_states(model.config_json)) {
    return invalid_argument("unable to add state '" + name + "'. State configuration is missing for model '" +
                            model.name + "'.");
  }
  if (triton_ts::config_has_state(model.config_json, name) && model.names.find(name) >= 0) return nullptr;
  return invalid_argument("state '" + name + "' is not a valid state name.");
}

/// A request has each of its states once.
TRITONBACKEND_State& find_or_add(TRITONBACKEND_Request& request, const std::string& name) {
  for (TRITONBACKEND_State& state : request.states) {
    if (state.tensor.name == name) return state;
  }
  TRITONBACKEND_State& state = request.states.emplace_back();
  state.request = &request;
  state.tensor.name = name;
  state.tensor.name_index = request.channel->model()->names.find(name);
  return state;
}

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONBACKEND_StateNew(TRITONBACKEND_State** state, TRITONBACKEND_Request* request,
                                           const char* name, TRITONSERVER_DataType datatype, const int64_t* shape,
                                           uint32_t dims_count) {
  *state = nullptr;
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (auto* error = request->check_held()) return error;
    const std::string text(name);
    if (auto* error = check_state(*request->channel->model(), text)) return error;
    triton_ts::Shape dimensions(shape, shape + dims_count);
    TRITONBACKEND_State& found = find_or_add(*request, text);
    found.tensor.datatype = datatype;
    found.tensor.shape = std::move(dimensions);
    *state = &found;
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_StateBuffer(TRITONBACKEND_State* state, void** buffer, uint64_t buffer_byte_size,
                                              TRITONSERVER_MemoryType* memory_type, int64_t* memory_type_id) {
  *buffer = nullptr;
  return at_boundary([&] {
    TRITONBACKEND_Output& tensor = state->tensor;
    if (tensor.buffer.size() != buffer_byte_size) tensor.allocate(buffer_byte_size);
    *buffer = tensor.buffer.data();
    set(memory_type, tensor.attributes.memory_type);
    set(memory_type_id, tensor.attributes.memory_type_id);
  });
}

TRITONSERVER_Error* TRITONBACKEND_StateBufferAttributes(TRITONBACKEND_State* state,
                                                        TRITONSERVER_BufferAttributes** attributes) {
  *attributes = &state->tensor.attributes;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_StateUpdate(TRITONBACKEND_State* state) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (auto* error = state->request->check_held()) return error;
    const triton_ts::Channel& channel = *state->request->channel;
    channel.host()->post(std::make_unique<triton_ts::StateEvent>(channel.request_id(), state->tensor));
    return nullptr;
  });
}

}  // extern "C"
