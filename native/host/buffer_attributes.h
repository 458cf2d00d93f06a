// TRITONSERVER_BufferAttributes: where a buffer lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "triton/tritonserver.h"

struct TRITONSERVER_BufferAttributes {
  TRITONSERVER_MemoryType memory_type = TRITONSERVER_MEMORY_CPU;
  int64_t memory_type_id = 0;
  size_t byte_size = 0;
  /// The 64 bytes of a `cudaIpcMemHandle_t`; empty without one.
  std::vector<char> cuda_ipc_handle;
};
