#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace triton_ts {

/**
 * The CUDA driver, opened at run time: what a device can do, and copying, where the driver finds out by itself which
 * address is on which device (unified addressing). Sources: CUDA driver API, versioned names as exported by
 * libcuda.so.1.
 */
class CudaDriver {
 public:
  /** @throws Error UNAVAILABLE without a driver. */
  static CudaDriver& Get();

  /** Of a device, such as `8.6`. @throws Error INTERNAL with CUDA's error number. */
  std::string ComputeCapability(int device);

  /** Copies with `device`'s primary context current, and waits. @throws Error INTERNAL with CUDA's error number. */
  void Copy(int device, void* to, const void* from, size_t size);

 private:
  CudaDriver();

  int (*device_get_)(int* device, int ordinal) = nullptr;
  int (*device_get_attribute_)(int* value, int attribute, int device) = nullptr;
  int (*primary_context_retain_)(void** context, int device) = nullptr;
  int (*primary_context_release_)(int device) = nullptr;
  int (*context_push_)(void* context) = nullptr;
  int (*context_pop_)(void** context) = nullptr;
  int (*copy_)(uint64_t to, uint64_t from, size_t size) = nullptr;
  int (*stream_synchronize_)(void* stream) = nullptr;
};

}  // namespace triton_ts
