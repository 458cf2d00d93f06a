// TRITONBACKEND_ModelInstance.
#include "instance.h"

#include "boundary.h"
#include "memory_usage.h"

using triton_ts::at_boundary;
using triton_ts::set;

namespace {

TRITONSERVER_Error* out_of_bounds(uint32_t index, size_t count, const char* what) {
  return triton_ts::invalid_argument("out of bounds index " + std::to_string(index) +
                                     ": instance is configured with " + std::to_string(count) + " " + what);
}

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceName(TRITONBACKEND_ModelInstance* instance, const char** name) {
  *name = instance->name.c_str();
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceKind(TRITONBACKEND_ModelInstance* instance,
                                                    TRITONSERVER_InstanceGroupKind* kind) {
  *kind = instance->kind;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceDeviceId(TRITONBACKEND_ModelInstance* instance, int32_t* device_id) {
  *device_id = instance->device_id;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceHostPolicy(TRITONBACKEND_ModelInstance* instance,
                                                          TRITONSERVER_Message** host_policy) {
  *host_policy = &instance->host_policy;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceIsPassive(TRITONBACKEND_ModelInstance* instance, bool* is_passive) {
  *is_passive = instance->passive;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceProfileCount(TRITONBACKEND_ModelInstance* instance, uint32_t* count) {
  *count = static_cast<uint32_t>(instance->profiles.size());
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceProfileName(TRITONBACKEND_ModelInstance* instance, uint32_t index,
                                                           const char** profile_name) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    *profile_name = nullptr;
    const auto& profiles = instance->profiles;
    if (index >= profiles.size()) return out_of_bounds(index, profiles.size(), "profiles");
    *profile_name = profiles[index].c_str();
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceSecondaryDeviceCount(TRITONBACKEND_ModelInstance* instance,
                                                                    uint32_t* count) {
  *count = static_cast<uint32_t>(instance->secondary_devices.size());
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceSecondaryDeviceProperties(TRITONBACKEND_ModelInstance* instance,
                                                                         uint32_t index, const char** kind,
                                                                         int64_t* id) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    const auto& devices = instance->secondary_devices;
    if (index >= devices.size()) return out_of_bounds(index, devices.size(), "secondary devices");
    set(kind, devices[index].kind.c_str());
    set(id, devices[index].id);
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceModel(TRITONBACKEND_ModelInstance* instance,
                                                     TRITONBACKEND_Model** model) {
  *model = instance->model.get();
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceState(TRITONBACKEND_ModelInstance* instance, void** state) {
  *state = instance->state;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceSetState(TRITONBACKEND_ModelInstance* instance, void* state) {
  instance->state = state;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceReportMemoryUsage(TRITONBACKEND_ModelInstance* instance,
                                                                 TRITONSERVER_BufferAttributes** usage,
                                                                 uint32_t usage_size) {
  return at_boundary([&] {
    auto memory_use = triton_ts::memory_use_of(usage, usage_size);
    const std::lock_guard<std::mutex> lock(instance->mutex);
    instance->memory_use = std::move(memory_use);
  });
}

}  // extern "C"
