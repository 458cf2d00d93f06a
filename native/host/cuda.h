// Memory of GPUs and for them, by the CUDA driver, which is looked for when it is first needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "error.h"

namespace triton_ts::cuda {

/// A `CUipcMemHandle`, by which one process opens the memory of another.
struct IpcHandle {
  char bytes[64];
};

/// Why no GPU can be reached; empty: one can.
const std::string& problem();

/// Without a driver or a device all of these fail with UNAVAILABLE. Zero bytes need no memory: null.
/// @param device the ordinal of a GPU; its primary context is used, which libraries with the CUDA runtime share.
ErrorPtr allocate(int64_t device, size_t byte_size, void** memory);
ErrorPtr free(int64_t device, void* memory);

/// Memory of the CPU that every GPU reaches directly.
ErrorPtr allocate_pinned(size_t byte_size, void** memory);
ErrorPtr free_pinned(void* memory);

/// Memory of a GPU that another process shares; no one else frees it.
/// @param byte_size what there is from its start to the end of the allocation.
ErrorPtr open_shared(int64_t device, const IpcHandle& handle, void** memory, size_t* byte_size);
ErrorPtr close_shared(int64_t device, void* memory);

/// These wait until the bytes are there.
ErrorPtr copy_to_cpu(void* to, const void* from, size_t byte_size, int64_t device);
ErrorPtr copy_from_cpu(void* to, const void* from, size_t byte_size, int64_t device);

}  // namespace triton_ts::cuda
