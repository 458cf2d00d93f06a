// TRITONSERVER_BufferAttributes.
#include "buffer_attributes.h"

#include "boundary.h"

using triton_ts::at_boundary;

namespace {

constexpr size_t kCudaIpcHandleSize = 64;

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONSERVER_BufferAttributesNew(TRITONSERVER_BufferAttributes** attributes) {
  return at_boundary([&] { *attributes = new TRITONSERVER_BufferAttributes(); });
}

TRITONSERVER_Error* TRITONSERVER_BufferAttributesDelete(TRITONSERVER_BufferAttributes* attributes) {
  delete attributes;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_BufferAttributesMemoryType(TRITONSERVER_BufferAttributes* attributes,
                                                            TRITONSERVER_MemoryType* memory_type) {
  *memory_type = attributes->memory_type;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_BufferAttributesSetMemoryType(TRITONSERVER_BufferAttributes* attributes,
                                                               TRITONSERVER_MemoryType memory_type) {
  attributes->memory_type = memory_type;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_BufferAttributesMemoryTypeId(TRITONSERVER_BufferAttributes* attributes,
                                                              int64_t* memory_type_id) {
  *memory_type_id = attributes->memory_type_id;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_BufferAttributesSetMemoryTypeId(TRITONSERVER_BufferAttributes* attributes,
                                                                 int64_t memory_type_id) {
  attributes->memory_type_id = memory_type_id;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_BufferAttributesByteSize(TRITONSERVER_BufferAttributes* attributes,
                                                          size_t* byte_size) {
  *byte_size = attributes->byte_size;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_BufferAttributesSetByteSize(TRITONSERVER_BufferAttributes* attributes,
                                                             size_t byte_size) {
  attributes->byte_size = byte_size;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_BufferAttributesCudaIpcHandle(TRITONSERVER_BufferAttributes* attributes,
                                                               void** handle) {
  auto& bytes = attributes->cuda_ipc_handle;
  *handle = bytes.empty() ? nullptr : bytes.data();
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_BufferAttributesSetCudaIpcHandle(TRITONSERVER_BufferAttributes* attributes,
                                                                  void* handle) {
  return at_boundary([&] {
    auto& bytes = attributes->cuda_ipc_handle;
    if (handle == nullptr) {
      bytes.clear();
    } else {
      const char* first = static_cast<const char*>(handle);
      bytes.assign(first, first + kCudaIpcHandleSize);
    }
  });
}

}  // extern "C"
