#include "model.h"

#include <filesystem>

#include "auto_complete.h"
#include "cuda_driver.h"
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

/** What a configuration calls the model file on a device; empty where it does not. */
std::string FilenameOn(const ModelConfig& config, Device device) {
  if (device.gpu && !config.cc_model_filenames.empty()) {
    const auto found = config.cc_model_filenames.find(CudaDriver::Get().ComputeCapability(device.id));
    if (found != config.cc_model_filenames.end()) return found->second;
  }
  return config.default_model_filename;
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
    const auto path = FindModelFile(config_.name, version_directory_, FilenameOn(config_, device));
    session = std::make_shared<const Session>(*backend_, config_, version_directory_, path, device);
  }
  return session;
}

Device Model::FirstDevice() const {
  return config_.first_gpu ? Device{true, static_cast<int>(*config_.first_gpu)} : Device{};
}

}  // namespace triton_ts
