#include "model.h"

#include <filesystem>

#include "auto_complete.h"
#include "error.h"
#include "model_file.h"

namespace triton_ts {
namespace {

BackendState* StateOfBackend(TRITONBACKEND_Model* model) {
  TRITONBACKEND_Backend* backend = nullptr;
  Check(TRITONBACKEND_ModelBackend(model, &backend));
  void* state = nullptr;
  Check(TRITONBACKEND_BackendState(backend, &state));
  return static_cast<BackendState*>(state);
}

std::string VersionDirectory(TRITONBACKEND_Model* model) {
  TRITONBACKEND_ArtifactType type = TRITONBACKEND_ARTIFACT_FILESYSTEM;
  const char* directory = nullptr;
  Check(TRITONBACKEND_ModelRepository(model, &type, &directory));
  if (type != TRITONBACKEND_ARTIFACT_FILESYSTEM) {
    const char* name = nullptr;
    Check(TRITONBACKEND_ModelName(model, &name));
    throw Error(TRITONSERVER_ERROR_UNSUPPORTED,
                std::string("unsupported repository artifact type for model '") + name + "'");
  }
  uint64_t version = 0;
  Check(TRITONBACKEND_ModelVersion(model, &version));
  return (std::filesystem::path(directory) / std::to_string(version)).string();
}

}  // namespace

Model::Model(TRITONBACKEND_Model* model)
    : backend_(StateOfBackend(model)), version_directory_(VersionDirectory(model)) {
  Json json = ReadModelConfig(model);
  config_ = ModelConfig::FromJson(json);
  bool auto_complete = false;
  Check(TRITONBACKEND_ModelAutoCompleteConfig(model, &auto_complete));
  if (!auto_complete || !NeedsAutoComplete(json)) return;
  AutoComplete(json, SessionOn(FirstDevice())->Tensors(), backend_->Settings().default_max_batch_size);
  WriteModelConfig(model, json);
  config_ = ModelConfig::FromJson(ReadModelConfig(model));
}

std::shared_ptr<const Session> Model::SessionOn(Device device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& session = sessions_[device];
  if (session == nullptr) {
    const auto path = FindModelFile(config_.name, version_directory_, config_.default_model_filename);
    session = std::make_shared<const Session>(*backend_, config_, version_directory_, path, device);
  }
  return session;
}

Device Model::FirstDevice() const {
  return config_.first_gpu ? Device{true, static_cast<int>(*config_.first_gpu)} : Device{};
}

}  // namespace triton_ts
