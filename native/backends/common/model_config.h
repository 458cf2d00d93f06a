#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "json.h"
#include "triton/tritonbackend.h"

namespace triton_ts {

/** An `input` or `output` entry. */
struct TensorConfig {
  std::string name;
  /** `TYPE_FP32`, for instance. */
  std::string data_type;
  /** What the model itself sees: `reshape` where there is one, else `dims`. Variable dimensions are -1. */
  std::vector<int64_t> dims;
  bool optional = false;
  bool ragged = false;
};

struct BatchInputConfig {
  std::string kind;
  std::vector<std::string> target_names;
  std::string data_type;
  std::string source_input;
};

/** A tensor that a sequence batcher adds. */
struct SequenceControl {
  std::string name;
  std::string data_type;
};

struct StateConfig {
  std::string output_name;
  std::string data_type;
  std::vector<int64_t> dims;
};

struct Accelerator {
  std::string name;
  std::vector<std::pair<std::string, std::string>> parameters;
};

/** What our backends read of a model configuration in JSON. */
struct ModelConfig {
  std::string name;
  int64_t max_batch_size = 0;
  std::vector<TensorConfig> inputs;
  std::vector<TensorConfig> outputs;
  std::vector<BatchInputConfig> batch_inputs;
  /** Output name to the input whose shape cuts it, from `batch_output`. */
  std::map<std::string, std::string> batch_outputs;
  std::vector<SequenceControl> controls;
  std::vector<StateConfig> states;
  std::map<std::string, std::string> parameters;
  std::string default_model_filename;
  /** Compute capability, such as `8.6`, to what takes the place of `default_model_filename` on such a GPU. */
  std::map<std::string, std::string> cc_model_filenames;
  std::vector<std::string> op_libraries;
  std::vector<Accelerator> gpu_accelerators;
  std::vector<Accelerator> cpu_accelerators;
  int64_t graph_level = 0;
  /** The first GPU that an instance group names; without one a model has no KIND_GPU group. */
  std::optional<int64_t> first_gpu;
  /** Of all groups and devices together, at least 1. */
  int64_t instance_count = 1;

  static ModelConfig FromJson(const Json& json);

  /** A parameter's text; nullptr without it. */
  const std::string* Parameter(const std::string& key) const;
  /** A parameter's whole number; 0 without it. @throws Error INVALID_ARG */
  int IntParameter(const std::string& key) const;
};

/** The configuration of a model as the host has it now. */
Json ReadModelConfig(TRITONBACKEND_Model* model);

/** Sets the configuration back, from TRITONBACKEND_ModelInitialize only. */
void WriteModelConfig(TRITONBACKEND_Model* model, const Json& config);

}  // namespace triton_ts
