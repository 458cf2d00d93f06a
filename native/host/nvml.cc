#include "nvml.h"

#include <dlfcn.h>

#include <memory>

namespace triton_ts::nvml {
namespace {

// The library's own types: a result is an enumeration with 0 for success.
using Result = int;
using Device = void*;

struct Utilization {
  unsigned gpu;
  unsigned memory;
};

struct MemoryInfo {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

constexpr unsigned kTextSize = 96;

/// The functions of libnvidia-ml.so.1 that are used here, under the names that the library exports.
struct Library {
  Result (*init)() = nullptr;
  const char* (*error_string)(Result) = nullptr;
  Result (*device_count)(unsigned* count) = nullptr;
  Result (*device_by_index)(unsigned index, Device*) = nullptr;
  Result (*device_uuid)(Device, char* text, unsigned size) = nullptr;
  Result (*device_name)(Device, char* text, unsigned size) = nullptr;
  Result (*utilization)(Device, Utilization*) = nullptr;
  Result (*memory_info)(Device, MemoryInfo*) = nullptr;
  Result (*power_usage)(Device, unsigned* milliwatts) = nullptr;
  Result (*power_limit)(Device, unsigned* milliwatts) = nullptr;
  Result (*energy)(Device, unsigned long long* millijoules) = nullptr;
  /// Why there is none; empty for a library that works.
  std::string problem;
  std::vector<Device> devices;
  std::vector<Gpu> gpus;

  Library() {
    // Stays open: other parts of the process may use it, too.
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      problem = "this machine has no NVIDIA driver (libnvidia-ml.so.1)";
      return;
    }
    find(library, "nvmlInit_v2", init);
    find(library, "nvmlErrorString", error_string);
    find(library, "nvmlDeviceGetCount_v2", device_count);
    find(library, "nvmlDeviceGetHandleByIndex_v2", device_by_index);
    find(library, "nvmlDeviceGetUUID", device_uuid);
    find(library, "nvmlDeviceGetName", device_name);
    find(library, "nvmlDeviceGetUtilizationRates", utilization);
    find(library, "nvmlDeviceGetMemoryInfo", memory_info);
    find(library, "nvmlDeviceGetPowerUsage", power_usage);
    find(library, "nvmlDeviceGetPowerManagementLimit", power_limit);
    find(library, "nvmlDeviceGetTotalEnergyConsumption", energy);
    if (!problem.empty()) return;
    unsigned count = 0;
    if (!works(init()) || !works(device_count(&count))) return;
    for (unsigned index = 0; index < count && problem.empty(); index++) add(index);
  }

  template <typename Function>
  void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) problem = std::string("the NVIDIA driver (libnvidia-ml.so.1) has no function ") + name;
  }

  bool works(Result result) {
    if (result != 0) problem = std::string("the NVIDIA driver cannot be asked: ") + error_string(result);
    return result == 0;
  }

  void add(unsigned index) {
    Device device = nullptr;
    char uuid[kTextSize] = "";
    char name[kTextSize] = "";
    if (!works(device_by_index(index, &device)) || !works(device_uuid(device, uuid, kTextSize))) return;
    device_name(device, name, kTextSize);
    devices.push_back(device);
    gpus.push_back({uuid, name});
  }
};

Library& library() {
  // Never destroyed: a thread may still ask it when the process ends.
  static Library& instance = *std::make_unique<Library>().release();
  return instance;
}

Reading read(const Library& nvml, Device device) {
  Reading reading;
  Utilization utilization{};
  MemoryInfo memory{};
  unsigned milliwatts = 0;
  unsigned long long millijoules = 0;
  if (nvml.utilization(device, &utilization) == 0) reading.utilization = utilization.gpu;
  if (nvml.memory_info(device, &memory) == 0) {
    reading.memory_total = static_cast<double>(memory.total);
    reading.memory_used = static_cast<double>(memory.used);
  }
  if (nvml.power_usage(device, &milliwatts) == 0) reading.power_usage = milliwatts;
  if (nvml.power_limit(device, &milliwatts) == 0) reading.power_limit = milliwatts;
  if (nvml.energy(device, &millijoules) == 0) reading.energy = static_cast<double>(millijoules);
  return reading;
}

}  // namespace

ErrorPtr find(std::vector<Gpu>* gpus) {
  const Library& nvml = library();
  if (!nvml.problem.empty()) return ErrorPtr(make_error(TRITONSERVER_ERROR_UNAVAILABLE, nvml.problem));
  *gpus = nvml.gpus;
  return nullptr;
}

std::vector<Reading> read() {
  const Library& nvml = library();
  std::vector<Reading> readings;
  for (Device device : nvml.devices) readings.push_back(read(nvml, device));
  return readings;
}

}  // namespace triton_ts::nvml
