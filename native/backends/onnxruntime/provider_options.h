#pragma once

#include <map>
#include <string>
#include <vector>

#include "model_config.h"

namespace triton_ts {

/** Settings of an execution provider, in the form that ONNX Runtime takes. */
class ProviderOptions {
 public:
  void Set(const std::string& key, const std::string& value) {
    options_[key] = value;
    keys_.clear();
    values_.clear();
    for (const auto& [name, text] : options_) {
      keys_.push_back(name.c_str());
      values_.push_back(text.c_str());
    }
  }

  const char* const* Keys() const { return keys_.data(); }
  const char* const* Values() const { return values_.data(); }
  size_t Count() const { return keys_.size(); }

 private:
  /** A map, whose strings stay where they are. */
  std::map<std::string, std::string> options_;
  std::vector<const char*> keys_;
  std::vector<const char*> values_;
};

/** @throws Error INVALID_ARG with Triton's texts. */
ProviderOptions TensorRtOptions(const Accelerator& accelerator, int device);

/** From the model's `parameters` and, before them, the `cuda` accelerator. @throws Error INVALID_ARG */
ProviderOptions CudaOptions(const ModelConfig& config, int device);

}  // namespace triton_ts
