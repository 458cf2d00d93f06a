#include "memory.h"

#include <cstring>

#include "cuda_driver.h"

namespace triton_ts {

void CopyMemory(void* to, MemoryPlace to_place, const void* from, MemoryPlace from_place, size_t size) {
  if (size == 0) return;
  if (to_place.OnGpu() || from_place.OnGpu()) {
    CudaDriver::Get().Copy(static_cast<int>(to_place.OnGpu() ? to_place.id : from_place.id), to, from, size);
  } else {
    std::memcpy(to, from, size);
  }
}

}  // namespace triton_ts
