#include "cuda.h"

#include <dlfcn.h>

#include <limits>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace triton_ts::cuda {
namespace {

// The driver's own types: a result is an enumeration with 0 for success, a device pointer has the size of a pointer.
using Result = int;
using Context = void*;
using DevicePointer = uintptr_t;
constexpr unsigned kPortable = 1;
constexpr unsigned kLazyPeerAccess = 1;

/// The functions of libcuda.so.1 that are used here, under the names that the library exports.
struct Driver {
  Result (*init)(unsigned flags) = nullptr;
  Result (*get_error_string)(Result, const char** text) = nullptr;
  Result (*device_get)(int* device, int ordinal) = nullptr;
  Result (*retain_primary_context)(Context*, int device) = nullptr;
  Result (*push_context)(Context) = nullptr;
  Result (*pop_context)(Context*) = nullptr;
  Result (*host_alloc)(void** memory, size_t, unsigned flags) = nullptr;
  Result (*host_free)(void* memory) = nullptr;
  Result (*mem_alloc)(DevicePointer*, size_t) = nullptr;
  Result (*mem_free)(DevicePointer) = nullptr;
  Result (*copy_to_host)(void* to, DevicePointer from, size_t) = nullptr;
  Result (*copy_from_host)(DevicePointer to, const void* from, size_t) = nullptr;
  Result (*ipc_open)(DevicePointer*, IpcHandle, unsigned flags) = nullptr;
  Result (*ipc_close)(DevicePointer) = nullptr;
  Result (*address_range)(DevicePointer* start, size_t* size, DevicePointer) = nullptr;
  /// Why there is none; empty for a driver that works.
  std::string problem;
  std::mutex mutex;
  /// By ordinal. Kept for good: other libraries of the process use the same contexts.
  std::unordered_map<int, Context> contexts;

  Driver() {
    // Stays open: the driver must not go before the process does.
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      problem = "this machine has no CUDA driver (libcuda.so.1)";
      return;
    }
    find(library, "cuInit", init);
    find(library, "cuGetErrorString", get_error_string);
    find(library, "cuDeviceGet", device_get);
    find(library, "cuDevicePrimaryCtxRetain", retain_primary_context);
    find(library, "cuCtxPushCurrent_v2", push_context);
    find(library, "cuCtxPopCurrent_v2", pop_context);
    find(library, "cuMemHostAlloc", host_alloc);
    find(library, "cuMemFreeHost", host_free);
    find(library, "cuMemAlloc_v2", mem_alloc);
    find(library, "cuMemFree_v2", mem_free);
    find(library, "cuMemcpyDtoH_v2", copy_to_host);
    find(library, "cuMemcpyHtoD_v2", copy_from_host);
    find(library, "cuIpcOpenMemHandle_v2", ipc_open);
    find(library, "cuIpcCloseMemHandle", ipc_close);
    find(library, "cuMemGetAddressRange_v2", address_range);
    if (!problem.empty()) return;
    if (const Result result = init(0)) problem = "the CUDA driver does not start: " + text(result);
  }

  template <typename Function>
  void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) problem = std::string("the CUDA driver (libcuda.so.1) has no function ") + name;
  }

  std::string text(Result result) const {
    const char* text = nullptr;
    get_error_string(result, &text);
    return text == nullptr ? "error " + std::to_string(result) : text;
  }
};

Driver& driver() {
  // Never destroyed: threads of libraries may outlast static objects.
  static Driver& instance = *std::make_unique<Driver>().release();
  return instance;
}

ErrorPtr unavailable(const std::string& text) { return ErrorPtr(make_error(TRITONSERVER_ERROR_UNAVAILABLE, text)); }

/// Runs a call with the device's context as the thread's current one. @param what the call does, for its error.
template <typename Call>
ErrorPtr with_context(int64_t device, const std::string& what, Call call) {
  Driver& cuda = driver();
  if (!cuda.problem.empty()) return unavailable("failed to " + what + ": " + cuda.problem);
  const auto fail = [&](Result result) { return unavailable("failed to " + what + ": " + cuda.text(result)); };
  if (device < 0 || device > std::numeric_limits<int>::max()) {
    return unavailable("failed to " + what + ": there is no GPU " + std::to_string(device));
  }
  Context context = nullptr;
  {
    const std::lock_guard<std::mutex> lock(cuda.mutex);
    Context& known = cuda.contexts[static_cast<int>(device)];
    if (known == nullptr) {
      int handle = 0;
      if (const Result result = cuda.device_get(&handle, static_cast<int>(device))) return fail(result);
      if (const Result result = cuda.retain_primary_context(&known, handle)) return fail(result);
    }
    context = known;
  }
  if (const Result result = cuda.push_context(context)) return fail(result);
  const Result result = call(cuda);
  Context popped = nullptr;
  cuda.pop_context(&popped);
  return result == 0 ? nullptr : fail(result);
}

}  // namespace

const std::string& problem() { return driver().problem; }

ErrorPtr allocate(int64_t device, size_t byte_size, void** memory) {
  *memory = nullptr;
  return with_context(device, "allocate memory of GPU " + std::to_string(device), [&](Driver& cuda) {
    DevicePointer pointer = 0;
    const Result result = byte_size == 0 ? 0 : cuda.mem_alloc(&pointer, byte_size);
    *memory = reinterpret_cast<void*>(pointer);
    return result;
  });
}

ErrorPtr free(int64_t device, void* memory) {
  return with_context(device, "free memory of GPU " + std::to_string(device),
                      [&](Driver& cuda) { return cuda.mem_free(reinterpret_cast<DevicePointer>(memory)); });
}

// Pinned memory is portable, so that any device's context will do.

ErrorPtr allocate_pinned(size_t byte_size, void** memory) {
  *memory = nullptr;
  return with_context(0, "allocate pinned system memory", [&](Driver& cuda) {
    return byte_size == 0 ? 0 : cuda.host_alloc(memory, byte_size, kPortable);
  });
}

ErrorPtr free_pinned(void* memory) {
  return with_context(0, "free pinned system memory", [&](Driver& cuda) { return cuda.host_free(memory); });
}

ErrorPtr open_shared(int64_t device, const IpcHandle& handle, void** memory, size_t* byte_size) {
  return with_context(device, "open shared memory of GPU " + std::to_string(device), [&](Driver& cuda) {
    DevicePointer pointer = 0;
    if (const Result result = cuda.ipc_open(&pointer, handle, kLazyPeerAccess)) return result;
    DevicePointer start = 0;
    size_t size = 0;
    const Result result = cuda.address_range(&start, &size, pointer);
    if (result != 0) cuda.ipc_close(pointer);
    *memory = reinterpret_cast<void*>(pointer);
    *byte_size = size - (pointer - start);
    return result;
  });
}

ErrorPtr close_shared(int64_t device, void* memory) {
  return with_context(device, "close shared memory of GPU " + std::to_string(device),
                      [&](Driver& cuda) { return cuda.ipc_close(reinterpret_cast<DevicePointer>(memory)); });
}

ErrorPtr copy_to_cpu(void* to, const void* from, size_t byte_size, int64_t device) {
  return with_context(device, "copy from GPU " + std::to_string(device), [&](Driver& cuda) {
    return byte_size == 0 ? 0 : cuda.copy_to_host(to, reinterpret_cast<DevicePointer>(from), byte_size);
  });
}

ErrorPtr copy_from_cpu(void* to, const void* from, size_t byte_size, int64_t device) {
  return with_context(device, "copy to GPU " + std::to_string(device), [&](Driver& cuda) {
    return byte_size == 0 ? 0 : cuda.copy_from_host(reinterpret_cast<DevicePointer>(to), from, byte_size);
  });
}

}  // namespace triton_ts::cuda
