#include "check_config.h"

#include <algorithm>

#include "check_dims.h"
#include "data_type.h"
#include "error.h"
#include "text.h"

namespace triton_ts {
namespace {

struct BatchTarget {
  std::string name;
  std::string data_type;
};

std::vector<BatchTarget> BatchTargets(const ModelConfig& config) {
  std::vector<BatchTarget> targets;
  for (const auto& entry : config.batch_inputs) {
    for (const auto& name : entry.target_names) targets.push_back({name, entry.data_type});
  }
  return targets;
}

void CheckInput(const ModelConfig& config, const TensorConfig& input, const std::vector<const TensorInfo*>& infos) {
  if (input.optional && config.max_batch_size != 0) {
    throw Error(TRITONSERVER_ERROR_INVALID_ARG, "unable to load model '" + config.name + "', optional input '" +
                                                    input.name + "' is not supported for models that support batching");
  }
  const auto& info = RequireTensor(infos, "input", input.name);
  CheckDataType(config, "input", input.name, input.data_type, info);
  if (input.ragged) {
    CheckRagged(config, input, info);
  } else {
    CheckDims(config, input, info, DimsMatch::kAccepting);
  }
}

void CheckInputs(const ModelConfig& config, const Signature& signature, size_t sequence_inputs) {
  const auto targets = BatchTargets(config);
  const auto required = std::count_if(config.inputs.begin(), config.inputs.end(),
                                      [](const TensorConfig& input) { return !input.optional; });
  const size_t expected = required + targets.size() + sequence_inputs;
  if (signature.inputs.size() != expected) {
    throw Error(TRITONSERVER_ERROR_INVALID_ARG, "unable to load model '" + config.name + "', configuration expects " +
                                                    std::to_string(expected) + " inputs, model provides " +
                                                    std::to_string(signature.inputs.size()));
  }
  const auto infos = AllOf(signature.inputs, signature.initializers);
  for (const auto& input : config.inputs) CheckInput(config, input, infos);
  for (const auto& [name, data_type] : targets) {
    CheckDataType(config, "batch input", name, data_type, RequireTensor(infos, "input", name));
  }
}

void CheckOutputs(const ModelConfig& config, const Signature& signature) {
  const auto infos = AllOf(signature.outputs);
  for (const auto& output : config.outputs) {
    const auto& info = RequireTensor(infos, "output", output.name);
    CheckDataType(config, "output", output.name, output.data_type, info);
    // What `batch_output` cuts need not have the shape of the model's output.
    if (config.batch_outputs.count(output.name) == 0) CheckDims(config, output, info, DimsMatch::kExact);
  }
}

}  // namespace

void CheckConfig(const ModelConfig& config, const Signature& signature) {
  const size_t sequence_inputs = CheckSequence(config, signature);
  CheckInputs(config, signature, sequence_inputs);
  CheckOutputs(config, signature);
}

void CheckDataType(const ModelConfig& config, const char* role, const std::string& name,
                   const std::string& config_type, const TensorInfo& info) {
  const auto expected = ConfigToOnnxType(config_type);
  if (expected == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED) {
    throw Error(TRITONSERVER_ERROR_INTERNAL, "unsupported datatype " + config_type + " for " + role + " '" + name +
                                                 "' for model '" + config.name + "'");
  }
  if (expected != info.type) {
    throw Error(TRITONSERVER_ERROR_INVALID_ARG,
                "unable to load model '" + config.name + "', configuration expects datatype " + config_type + " for " +
                    role + " '" + name + "', model provides TYPE_" +
                    TRITONSERVER_DataTypeString(ToTritonType(info.type)));
  }
}

const TensorInfo& RequireTensor(const std::vector<const TensorInfo*>& infos, const char* direction,
                                const std::string& name) {
  std::vector<std::string> names;
  for (const auto* info : infos) {
    if (info->name == name) return *info;
    names.push_back(info->name);
  }
  std::sort(names.begin(), names.end());
  throw Error(TRITONSERVER_ERROR_INVALID_ARG, std::string("unexpected inference ") + direction + " '" + name +
                                                  "', allowed " + direction + "s are: " + Join(names));
}

std::vector<const TensorInfo*> AllOf(const std::vector<TensorInfo>& infos, const std::vector<TensorInfo>& more) {
  std::vector<const TensorInfo*> all;
  for (const auto& info : infos) all.push_back(&info);
  for (const auto& info : more) all.push_back(&info);
  return all;
}

}  // namespace triton_ts
