#pragma once

#include <string>

#include "backend_state.h"
#include "device.h"
#include "model_config.h"
#include "signature.h"

namespace triton_ts {

/** An opened model file. Any number of threads may run it at the same time. */
class Session {
 public:
  /** @throws Error for settings that Triton refuses too, or `onnx runtime error <code>: <text>`. */
  Session(const BackendState& backend, const ModelConfig& config, const std::string& version_directory,
          const std::string& path, Device device);

  OrtSession* Get() const { return session_.get(); }
  const Signature& Tensors() const { return signature_; }
  Device Where() const { return device_; }

 private:
  const Device device_;
  OrtSessionHandle session_;
  Signature signature_;
};

}  // namespace triton_ts
