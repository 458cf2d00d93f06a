// TRITONBACKEND_Input.
#include "boundary.h"
#include "request.h"

using triton_ts::set;

namespace {

/// An input without bytes has no buffer.
bool has_buffer(const TRITONBACKEND_Input& input, uint32_t index) {
  return index == 0 && input.attributes.byte_size > 0;
}

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONBACKEND_InputProperties(TRITONBACKEND_Input* input, const char** name,
                                                  TRITONSERVER_DataType* datatype, const int64_t** shape,
                                                  uint32_t* dims_count, uint64_t* byte_size, uint32_t* buffer_count) {
  set(name, input->name.c_str());
  set(datatype, input->datatype);
  set(shape, input->shape.data());
  set(dims_count, static_cast<uint32_t>(input->shape.size()));
  set(byte_size, input->attributes.byte_size);
  set(buffer_count, has_buffer(*input, 0) ? 1 : 0);
  return nullptr;
}

// An input has the same bytes for every host policy.
TRITONSERVER_Error* TRITONBACKEND_InputPropertiesForHostPolicy(TRITONBACKEND_Input* input, const char*,
                                                               const char** name, TRITONSERVER_DataType* datatype,
                                                               const int64_t** shape, uint32_t* dims_count,
                                                               uint64_t* byte_size, uint32_t* buffer_count) {
  return TRITONBACKEND_InputProperties(input, name, datatype, shape, dims_count, byte_size, buffer_count);
}

TRITONSERVER_Error* TRITONBACKEND_InputBuffer(TRITONBACKEND_Input* input, uint32_t index, const void** buffer,
                                              uint64_t* buffer_byte_size, TRITONSERVER_MemoryType* memory_type,
                                              int64_t* memory_type_id) {
  // Behind the last buffer are, as in Triton, no bytes and no error.
  const bool exists = has_buffer(*input, index);
  set(buffer, exists ? input->data : nullptr);
  set(buffer_byte_size, exists ? input->attributes.byte_size : 0);
  set(memory_type, input->attributes.memory_type);
  set(memory_type_id, input->attributes.memory_type_id);
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_InputBufferForHostPolicy(TRITONBACKEND_Input* input, const char*, uint32_t index,
                                                           const void** buffer, uint64_t* buffer_byte_size,
                                                           TRITONSERVER_MemoryType* memory_type,
                                                           int64_t* memory_type_id) {
  return TRITONBACKEND_InputBuffer(input, index, buffer, buffer_byte_size, memory_type, memory_type_id);
}

TRITONSERVER_Error* TRITONBACKEND_InputBufferAttributes(TRITONBACKEND_Input* input, uint32_t index,
                                                        const void** buffer,
                                                        TRITONSERVER_BufferAttributes** attributes) {
  const bool exists = has_buffer(*input, index);
  set(buffer, exists ? input->data : nullptr);
  set(attributes, exists ? &input->attributes : nullptr);
  return nullptr;
}

}  // extern "C"
