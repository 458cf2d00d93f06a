// TRITONBACKEND_MemoryManager.
#include "memory_manager.h"

#include <cstdlib>

#include "boundary.h"
#include "cuda.h"

using triton_ts::at_boundary;

extern "C" {

TRITONSERVER_Error* TRITONBACKEND_MemoryManagerAllocate(TRITONBACKEND_MemoryManager*, void** buffer,
                                                        TRITONSERVER_MemoryType memory_type, int64_t memory_type_id,
                                                        uint64_t byte_size) {
  *buffer = nullptr;
  return at_boundary([&]() -> TRITONSERVER_Error* {
    switch (memory_type) {
      case TRITONSERVER_MEMORY_GPU:
        return triton_ts::cuda::allocate(memory_type_id, byte_size, buffer).release();
      case TRITONSERVER_MEMORY_CPU_PINNED:
        return triton_ts::cuda::allocate_pinned(byte_size, buffer).release();
      case TRITONSERVER_MEMORY_CPU:
        *buffer = std::malloc(byte_size);
        if (*buffer != nullptr || byte_size == 0) return nullptr;
        return triton_ts::make_error(TRITONSERVER_ERROR_UNAVAILABLE, "CPU memory allocation failed");
    }
    return triton_ts::invalid_argument("unknown memory type " + std::to_string(memory_type));
  });
}

TRITONSERVER_Error* TRITONBACKEND_MemoryManagerFree(TRITONBACKEND_MemoryManager*, void* buffer,
                                                    TRITONSERVER_MemoryType memory_type, int64_t memory_type_id) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (buffer == nullptr) return nullptr;
    switch (memory_type) {
      case TRITONSERVER_MEMORY_GPU:
        return triton_ts::cuda::free(memory_type_id, buffer).release();
      case TRITONSERVER_MEMORY_CPU_PINNED:
        return triton_ts::cuda::free_pinned(buffer).release();
      case TRITONSERVER_MEMORY_CPU:
        std::free(buffer);
        return nullptr;
    }
    return triton_ts::invalid_argument("unknown memory type " + std::to_string(memory_type));
  });
}

}  // extern "C"
