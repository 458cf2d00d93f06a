// A CUDA driver with one GPU, whose memory is in this process. It has what the host calls, and is stricter than a real
// one: work without a current context, memory that nobody opened and copies beyond its end fail.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace {

using Result = int;
using DevicePointer = uintptr_t;

constexpr Result kSuccess = 0;
constexpr Result kInvalidValue = 1;
constexpr Result kInvalidDevice = 101;
constexpr Result kInvalidContext = 201;
constexpr Result kInvalidHandle = 400;

struct IpcHandle {
  char bytes[64];
};

/// What another process would have allocated: handles that begin with kExported open it, behind kBefore bytes.
constexpr char kExported = 42;
constexpr size_t kBefore = 16;
constexpr size_t kSize = 1024;
char exported[kBefore + kSize];

char context;
thread_local int contexts = 0;
std::mutex mutex;
/// How often each pointer is opened.
std::map<DevicePointer, int> opened;

const DevicePointer kStart = reinterpret_cast<DevicePointer>(exported) + kBefore;

Result check(DevicePointer pointer, size_t size) {
  if (contexts == 0) return kInvalidContext;
  const std::lock_guard<std::mutex> lock(mutex);
  if (opened[kStart] == 0) return kInvalidHandle;
  return pointer >= kStart && size <= kSize && pointer - kStart <= kSize - size ? kSuccess : kInvalidValue;
}

}  // namespace

extern "C" {

Result cuInit(unsigned) { return std::getenv("TEST_CUDA_NO_DEVICE") == nullptr ? kSuccess : 100; }

Result cuGetErrorString(Result result, const char** text) {
  *text = result == kInvalidValue     ? "invalid argument"
          : result == kInvalidContext ? "invalid device context"
          : result == kInvalidHandle  ? "invalid resource handle"
          : result == kInvalidDevice  ? "invalid device ordinal"
                                      : "no CUDA-capable device is detected";
  return kSuccess;
}

Result cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? kSuccess : kInvalidDevice;
}

Result cuDevicePrimaryCtxRetain(void** result, int) {
  *result = &context;
  return kSuccess;
}

Result cuCtxPushCurrent_v2(void* pushed) {
  if (pushed != &context) return kInvalidContext;
  contexts++;
  return kSuccess;
}

Result cuCtxPopCurrent_v2(void** popped) {
  *popped = &context;
  return contexts-- > 0 ? kSuccess : kInvalidContext;
}

Result cuMemHostAlloc(void** memory, size_t size, unsigned) {
  *memory = std::malloc(size);
  return kSuccess;
}

Result cuMemFreeHost(void* memory) {
  std::free(memory);
  return kSuccess;
}

Result cuMemAlloc_v2(DevicePointer* memory, size_t size) {
  *memory = reinterpret_cast<DevicePointer>(std::malloc(size));
  return kSuccess;
}

Result cuMemFree_v2(DevicePointer memory) {
  std::free(reinterpret_cast<void*>(memory));
  return kSuccess;
}

Result cuIpcOpenMemHandle_v2(DevicePointer* memory, IpcHandle handle, unsigned flags) {
  if (contexts == 0) return kInvalidContext;
  if (handle.bytes[0] != kExported || flags != 1) return kInvalidValue;
  const std::lock_guard<std::mutex> lock(mutex);
  opened[kStart]++;
  *memory = kStart;
  return kSuccess;
}

Result cuIpcCloseMemHandle(DevicePointer memory) {
  if (contexts == 0) return kInvalidContext;
  const std::lock_guard<std::mutex> lock(mutex);
  if (opened[memory] == 0) return kInvalidHandle;
  opened[memory]--;
  return kSuccess;
}

Result cuMemGetAddressRange_v2(DevicePointer* start, size_t* size, DevicePointer pointer) {
  if (const Result result = check(pointer, 0)) return result;
  *start = kStart - kBefore;
  *size = sizeof(exported);
  return kSuccess;
}

Result cuMemcpyDtoH_v2(void* to, DevicePointer from, size_t size) {
  if (const Result result = check(from, size)) return result;
  std::memcpy(to, reinterpret_cast<const void*>(from), size);
  return kSuccess;
}

Result cuMemcpyHtoD_v2(DevicePointer to, const void* from, size_t size) {
  if (const Result result = check(to, size)) return result;
  std::memcpy(reinterpret_cast<void*>(to), from, size);
  return kSuccess;
}

}  // extern "C"
