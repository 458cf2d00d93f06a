// A management library with two GPUs. The second knows neither its power nor its energy; the first uses five joules
// between two questions. With TEST_NVML_NO_DRIVER there is no driver.
#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace {

using Result = int;
constexpr Result kSuccess = 0;
constexpr Result kUninitialized = 1;
constexpr Result kInvalidArgument = 2;
constexpr Result kNotSupported = 3;
constexpr Result kNoDriver = 9;

struct Utilization {
  unsigned gpu;
  unsigned memory;
};

struct MemoryInfo {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct Gpu {
  const char* uuid;
  const char* name;
};

Gpu gpus[] = {{"GPU-11111111-1111-1111-1111-111111111111", "Test GPU A"},
              {"GPU-22222222-2222-2222-2222-222222222222", "Test GPU B"}};
bool initialized = false;
std::atomic<unsigned long long> millijoules{1000000};

Result text(const char* from, char* to, unsigned size) {
  return std::snprintf(to, size, "%s", from) < static_cast<int>(size) ? kSuccess : kInvalidArgument;
}

bool is_first(const Gpu* gpu) { return gpu == &gpus[0]; }

}  // namespace

extern "C" {

Result nvmlInit_v2() {
  if (std::getenv("TEST_NVML_NO_DRIVER") != nullptr) return kNoDriver;
  initialized = true;
  return kSuccess;
}

const char* nvmlErrorString(Result result) { return result == kNoDriver ? "Driver Not Loaded" : "Unknown Error"; }

Result nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return initialized ? kSuccess : kUninitialized;
}

Result nvmlDeviceGetHandleByIndex_v2(unsigned index, Gpu** gpu) {
  if (index > 1) return kInvalidArgument;
  *gpu = &gpus[index];
  return kSuccess;
}

Result nvmlDeviceGetUUID(const Gpu* gpu, char* uuid, unsigned size) { return text(gpu->uuid, uuid, size); }

Result nvmlDeviceGetName(const Gpu* gpu, char* name, unsigned size) { return text(gpu->name, name, size); }

Result nvmlDeviceGetUtilizationRates(const Gpu* gpu, Utilization* utilization) {
  *utilization = {is_first(gpu) ? 25u : 0u, 5};
  return kSuccess;
}

Result nvmlDeviceGetMemoryInfo(const Gpu*, MemoryInfo* memory) {
  *memory = {8ull << 30, 6ull << 30, 2ull << 30};
  return kSuccess;
}

Result nvmlDeviceGetPowerUsage(const Gpu* gpu, unsigned* milliwatts) {
  *milliwatts = 70500;
  return is_first(gpu) ? kSuccess : kNotSupported;
}

Result nvmlDeviceGetPowerManagementLimit(const Gpu* gpu, unsigned* milliwatts) {
  *milliwatts = 300000;
  return is_first(gpu) ? kSuccess : kNotSupported;
}

Result nvmlDeviceGetTotalEnergyConsumption(const Gpu* gpu, unsigned long long* energy) {
  if (!is_first(gpu)) return kNotSupported;
  *energy = millijoules += 5000;
  return kSuccess;
}

}  // extern "C"
