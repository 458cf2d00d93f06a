#pragma once

#include <cstddef>
#include <cstdint>

#include "triton/tritonserver.h"

namespace triton_ts {

/** Where a piece of memory is. */
struct MemoryPlace {
  TRITONSERVER_MemoryType type = TRITONSERVER_MEMORY_CPU;
  int64_t id = 0;

  bool OnGpu() const { return type == TRITONSERVER_MEMORY_GPU; }
};

/**
 * Copies bytes between any two places and waits until it is done. GPU memory goes through the CUDA driver.
 * @throws Error UNAVAILABLE where GPU memory is involved and there is no driver.
 */
void CopyMemory(void* to, MemoryPlace to_place, const void* from, MemoryPlace from_place, size_t size);

}  // namespace triton_ts
