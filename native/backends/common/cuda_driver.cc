#include "cuda_driver.h"

#include <dlfcn.h>

#include "error.h"

namespace triton_ts {
namespace {

template <typename Function>
void Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    throw Error(TRITONSERVER_ERROR_UNAVAILABLE, std::string("libcuda.so.1 has no function ") + name);
  }
}

void CheckCuda(int status, const char* what) {
  if (status == 0) return;
  throw Error(TRITONSERVER_ERROR_INTERNAL,
              std::string("CUDA driver error ") + std::to_string(status) + " while " + what);
}

}  // namespace

CudaDriver& CudaDriver::Get() {
  static CudaDriver driver;
  return driver;
}

CudaDriver::CudaDriver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Error(TRITONSERVER_ERROR_UNAVAILABLE,
                "GPU memory and GPU instances need the CUDA driver, whose libcuda.so.1 is missing");
  }
  int (*init)(unsigned flags) = nullptr;
  Find(library, "cuInit", init);
  Find(library, "cuDeviceGet", device_get_);
  Find(library, "cuDeviceGetAttribute", device_get_attribute_);
  Find(library, "cuDevicePrimaryCtxRetain", primary_context_retain_);
  Find(library, "cuDevicePrimaryCtxRelease_v2", primary_context_release_);
  Find(library, "cuCtxPushCurrent_v2", context_push_);
  Find(library, "cuCtxPopCurrent_v2", context_pop_);
  Find(library, "cuMemcpy", copy_);
  Find(library, "cuStreamSynchronize", stream_synchronize_);
  CheckCuda(init(0), "starting the driver");
}

std::string CudaDriver::ComputeCapability(int device) {
  constexpr int kMajor = 75;
  constexpr int kMinor = 76;
  int handle = 0;
  int major = 0;
  int minor = 0;
  CheckCuda(device_get_(&handle, device), "looking for a device");
  CheckCuda(device_get_attribute_(&major, kMajor, handle), "asking for a compute capability");
  CheckCuda(device_get_attribute_(&minor, kMinor, handle), "asking for a compute capability");
  return std::to_string(major) + "." + std::to_string(minor);
}

void CudaDriver::Copy(int device, void* to, const void* from, size_t size) {
  int handle = 0;
  CheckCuda(device_get_(&handle, device), "looking for the device of a tensor");
  void* context = nullptr;
  CheckCuda(primary_context_retain_(&context, handle), "opening the device of a tensor");
  int status = context_push_(context);
  if (status == 0) {
    status = copy_(reinterpret_cast<uint64_t>(to), reinterpret_cast<uint64_t>(from), size);
    // A copy within GPU memory returns before it is done.
    if (status == 0) status = stream_synchronize_(nullptr);
    context_pop_(&context);
  }
  primary_context_release_(handle);
  CheckCuda(status, "copying a tensor");
}

}  // namespace triton_ts
