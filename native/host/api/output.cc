// TRITONBACKEND_Output.
#include "boundary.h"
#include "response.h"

using triton_ts::at_boundary;
using triton_ts::set;

extern "C" {

TRITONSERVER_Error* TRITONBACKEND_OutputBuffer(TRITONBACKEND_Output* output, void** buffer, uint64_t buffer_byte_size,
                                               TRITONSERVER_MemoryType* memory_type, int64_t* memory_type_id) {
  *buffer = nullptr;
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (output->buffer.data() != nullptr) {
      return triton_ts::make_error(TRITONSERVER_ERROR_ALREADY_EXISTS,
                                   "allocated buffer for output '" + output->name + "' already exists");
    }
    output->allocate(buffer_byte_size);
    *buffer = output->buffer.data();
    set(memory_type, output->attributes.memory_type);
    set(memory_type_id, output->attributes.memory_type_id);
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_OutputBufferAttributes(TRITONBACKEND_Output* output,
                                                         TRITONSERVER_BufferAttributes** attributes) {
  *attributes = &output->attributes;
  return nullptr;
}

}  // extern "C"
