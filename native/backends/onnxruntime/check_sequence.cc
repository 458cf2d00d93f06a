#include "check_config.h"
#include "data_type.h"
#include "error.h"
#include "text.h"

namespace triton_ts {
namespace {

void CheckControl(const ModelConfig& config, const SequenceControl& control, const Signature& signature) {
  const auto* info = FindTensor(signature.inputs, control.name);
  if (info == nullptr) {
    throw Error(TRITONSERVER_ERROR_INTERNAL, "configuration specified sequence control '" + control.name +
                                                 "', but model does not provide that input");
  }
  const std::string subject =
      "unable to load model '" + config.name + "', sequence control '" + control.name + "'";
  std::vector<int64_t> dims = info->dims;
  if (config.max_batch_size > 0 && !dims.empty()) dims.erase(dims.begin());
  if (dims != std::vector<int64_t>{1}) {
    throw Error(TRITONSERVER_ERROR_INVALID_ARG,
                subject + " in model has dims " + ShapeText(dims) + " but dims [1] is expected");
  }
  if (ConfigToOnnxType(control.data_type) != info->type) {
    throw Error(TRITONSERVER_ERROR_INVALID_ARG, subject + ", the model expects data-type " +
                                                    OnnxTypeName(info->type) +
                                                    " but the model configuration specifies data-type " +
                                                    control.data_type);
  }
}

}  // namespace

size_t CheckSequence(const ModelConfig& config, const Signature& signature) {
  for (const auto& control : config.controls) CheckControl(config, control, signature);
  const auto outputs = AllOf(signature.outputs);
  for (const auto& state : config.states) {
    CheckDataType(config, "output state", state.output_name, state.data_type,
                  RequireTensor(outputs, "output", state.output_name));
  }
  return config.controls.size() + config.states.size();
}

}  // namespace triton_ts
