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
                "a tensor is in GPU memory, but the CUDA driver (libcuda.so.1) is missing");
  }
  int (*init)(unsigned flags) = nullptr;
  Find(library, "cuInit", init);
  Find(library, "cuDeviceGet", device_get_);
  Find(library, "cuDevicePrimaryCtxRetain", primary_context_retain_);
  Find(library, "cuDevicePrimaryCtxRelease_v2", primary_context_release_);
  Find(library, "cuCtxPushCurrent_v2", context_push_);
  Find(library, "cuCtxPopCurrent_v2", context_pop_);
  Find(library, "cuMemcpy", copy_);
  CheckCuda(init(0), "starting the driver");
}

void CudaDriver::Copy(int device, void* to, const void* from, size_t size) {
  int handle = 0;
  CheckCuda(device_get_(&handle, device), "looking for the device of a tensor");
  void* context = nullptr;
  CheckCuda(primary_context_retain_(&context, handle), "opening the device of a tensor");
  int status = context_push_(context);
  if (status == 0) {
    status = copy_(reinterpret_cast<uint64_t>(to), reinterpret_cast<uint64_t>(from), size);
    context_pop_(&context);
  }
  primary_context_release_(handle);
  CheckCuda(status, "copying a tensor");
}

}  // namespace triton_ts
