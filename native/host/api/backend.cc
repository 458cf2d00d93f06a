// TRITONBACKEND_Backend and its attributes.
#include "backend.h"

#include "boundary.h"

using triton_ts::at_boundary;
using triton_ts::set;

extern "C" {

TRITONSERVER_Error* TRITONBACKEND_BackendName(TRITONBACKEND_Backend* backend, const char** name) {
  *name = backend->name.c_str();
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_BackendConfig(TRITONBACKEND_Backend* backend, TRITONSERVER_Message** config) {
  *config = &backend->config;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_BackendExecutionPolicy(TRITONBACKEND_Backend* backend,
                                                         TRITONBACKEND_ExecutionPolicy* policy) {
  *policy = backend->policy;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_BackendSetExecutionPolicy(TRITONBACKEND_Backend* backend,
                                                            TRITONBACKEND_ExecutionPolicy policy) {
  backend->policy = policy;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_BackendArtifacts(TRITONBACKEND_Backend* backend, TRITONBACKEND_ArtifactType* type,
                                                   const char** location) {
  set(type, TRITONBACKEND_ARTIFACT_FILESYSTEM);
  set(location, backend->directory.c_str());
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_BackendMemoryManager(TRITONBACKEND_Backend* backend,
                                                       TRITONBACKEND_MemoryManager** manager) {
  *manager = &backend->memory_manager;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_BackendState(TRITONBACKEND_Backend* backend, void** state) {
  *state = backend->state;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_BackendSetState(TRITONBACKEND_Backend* backend, void* state) {
  backend->state = state;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_BackendAttributeAddPreferredInstanceGroup(TRITONBACKEND_BackendAttribute* attribute,
                                                                            TRITONSERVER_InstanceGroupKind kind,
                                                                            uint64_t count, const uint64_t* device_ids,
                                                                            uint64_t id_count) {
  return at_boundary([&] {
    std::vector<uint64_t> ids;
    if (device_ids != nullptr) ids.assign(device_ids, device_ids + id_count);
    attribute->preferred_groups.push_back({kind, count, std::move(ids)});
  });
}

TRITONSERVER_Error* TRITONBACKEND_BackendAttributeSetParallelModelInstanceLoading(
    TRITONBACKEND_BackendAttribute* attribute, bool enabled) {
  attribute->parallel_instance_loading = enabled;
  return nullptr;
}

}  // extern "C"
