#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "backend_state.h"
#include "session.h"

namespace triton_ts {

/** A model version: its configuration, and one session for each device, which all instances there share. */
class Model {
 public:
  /** Completes the configuration from the model file where the host asks for it. @throws Error */
  explicit Model(TRITONBACKEND_Model* model);

  BackendState& Backend() const { return *backend_; }
  /** As the host has it after auto-completion. */
  const ModelConfig& Config() const { return config_; }
  /** The session on a device, opened on first use. Safe to call from several threads. @throws Error */
  std::shared_ptr<const Session> SessionOn(Device device);

 private:
  Device FirstDevice() const;

  BackendState* backend_ = nullptr;
  ModelConfig config_;
  std::string version_directory_;
  std::mutex mutex_;
  std::map<Device, std::shared_ptr<const Session>> sessions_;
};

}  // namespace triton_ts
