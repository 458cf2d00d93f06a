// What a library says that a model or an instance occupies.
#pragma once

#include <cstdint>
#include <vector>

#include "buffer_attributes.h"
#include "model.h"

namespace triton_ts {

/// One entry for each memory type and id; where the library names one twice its last word counts, as in Triton.
inline std::vector<MemoryUse> memory_use_of(TRITONSERVER_BufferAttributes* const* usage, uint32_t count) {
  std::vector<MemoryUse> result;
  for (uint32_t i = 0; i < count; i++) {
    const TRITONSERVER_BufferAttributes& entry = *usage[i];
    MemoryUse* known = nullptr;
    for (MemoryUse& use : result) {
      if (use.type == entry.memory_type && use.id == entry.memory_type_id) known = &use;
    }
    if (known != nullptr) {
      known->byte_size = entry.byte_size;
    } else {
      result.push_back({entry.memory_type, entry.memory_type_id, entry.byte_size});
    }
  }
  return result;
}

}  // namespace triton_ts
