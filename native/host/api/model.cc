// TRITONBACKEND_Model.
#include "model.h"

#include "boundary.h"
#include "memory_usage.h"

using triton_ts::at_boundary;
using triton_ts::set;

namespace {

/// The one format: JSON of the protobuf message, whose 64-bit fields are numbers.
TRITONSERVER_Error* check_config_version(uint32_t version) {
  if (version == 1) return nullptr;
  return triton_ts::invalid_argument("model configuration version " + std::to_string(version) +
                                     " not supported, supported versions are: 1");
}

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONBACKEND_ModelName(TRITONBACKEND_Model* model, const char** name) {
  *name = model->name.c_str();
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelVersion(TRITONBACKEND_Model* model, uint64_t* version) {
  *version = model->version;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelRepository(TRITONBACKEND_Model* model, TRITONBACKEND_ArtifactType* type,
                                                  const char** location) {
  set(type, TRITONBACKEND_ARTIFACT_FILESYSTEM);
  set(location, model->directory.c_str());
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelConfig(TRITONBACKEND_Model* model, uint32_t config_version,
                                              TRITONSERVER_Message** config) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (auto* error = check_config_version(config_version)) return error;
    const std::lock_guard<std::mutex> lock(model->mutex);
    *config = new TRITONSERVER_Message{model->config_json, {}};
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_ModelAutoCompleteConfig(TRITONBACKEND_Model* model, bool* auto_complete_config) {
  *auto_complete_config = model->auto_complete;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelSetConfig(TRITONBACKEND_Model* model, uint32_t config_version,
                                                 TRITONSERVER_Message* config) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (auto* error = check_config_version(config_version)) return error;
    const std::lock_guard<std::mutex> lock(model->mutex);
    model->config_json = config->json;
    model->config_was_set = true;
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_ModelServer(TRITONBACKEND_Model* model, TRITONSERVER_Server** server) {
  *server = &model->server;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelBackend(TRITONBACKEND_Model* model, TRITONBACKEND_Backend** backend) {
  *backend = model->backend.get();
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelState(TRITONBACKEND_Model* model, void** state) {
  *state = model->state;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelSetState(TRITONBACKEND_Model* model, void* state) {
  model->state = state;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelReportMemoryUsage(TRITONBACKEND_Model* model,
                                                         TRITONSERVER_BufferAttributes** usage, uint32_t usage_size) {
  return at_boundary([&] {
    auto memory_use = triton_ts::memory_use_of(usage, usage_size);
    const std::lock_guard<std::mutex> lock(model->mutex);
    model->memory_use = std::move(memory_use);
  });
}

}  // extern "C"
