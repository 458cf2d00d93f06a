#include "model_config.h"

#include <algorithm>
#include <memory>

#include "error.h"
#include "text.h"

namespace triton_ts {
namespace {

using Message = std::unique_ptr<TRITONSERVER_Message, TRITONSERVER_Error* (*)(TRITONSERVER_Message*)>;

TensorConfig ReadTensor(const Json& json) {
  const Json& reshape = json["reshape"];
  return {json["name"].AsString(), json["data_type"].AsString(),
          reshape.IsNull() ? json["dims"].AsInts() : reshape["shape"].AsInts(), json["optional"].AsBool(),
          json["allow_ragged_batch"].AsBool()};
}

/** CORRID names its type; the others imply it by the values they give. */
std::string ControlType(const Json& control) {
  if (control["kind"].AsString() == "CONTROL_SEQUENCE_CORRID") return control["data_type"].AsString();
  if (!control["int32_false_true"].Items().empty()) return "TYPE_INT32";
  return control["fp32_false_true"].Items().empty() ? "TYPE_BOOL" : "TYPE_FP32";
}

std::vector<Accelerator> ReadAccelerators(const Json& json) {
  std::vector<Accelerator> accelerators;
  for (const auto& item : json.Items()) {
    Accelerator accelerator{item["name"].AsString(), {}};
    for (const auto& [key, value] : item["parameters"].Members()) {
      accelerator.parameters.emplace_back(key, value.AsString());
    }
    accelerators.push_back(std::move(accelerator));
  }
  return accelerators;
}

void ReadSequence(const Json& json, ModelConfig& config) {
  for (const auto& input : json["control_input"].Items()) {
    for (const auto& control : input["control"].Items()) {
      config.controls.push_back({input["name"].AsString(), ControlType(control)});
    }
  }
  for (const auto& state : json["state"].Items()) {
    config.states.push_back(
        {state["output_name"].AsString(), state["data_type"].AsString(), state["dims"].AsInts()});
  }
}

void ReadInstanceGroups(const Json& json, ModelConfig& config) {
  int64_t count = 0;
  for (const auto& group : json.Items()) {
    const auto gpus = group["gpus"].AsInts();
    if (group["kind"].AsString() == "KIND_GPU" && !config.first_gpu) config.first_gpu = gpus.empty() ? 0 : gpus[0];
    count += std::max<int64_t>(1, group["count"].AsInt()) * static_cast<int64_t>(std::max<size_t>(1, gpus.size()));
  }
  config.instance_count = std::max<int64_t>(1, count);
}

}  // namespace

ModelConfig ModelConfig::FromJson(const Json& json) {
  ModelConfig config;
  config.name = json["name"].AsString();
  config.max_batch_size = json["max_batch_size"].AsInt();
  for (const auto& input : json["input"].Items()) config.inputs.push_back(ReadTensor(input));
  for (const auto& output : json["output"].Items()) config.outputs.push_back(ReadTensor(output));
  for (const auto& entry : json["batch_input"].Items()) {
    const auto sources = entry["source_input"].AsStrings();
    config.batch_inputs.push_back({entry["kind"].AsString(), entry["target_name"].AsStrings(),
                                   entry["data_type"].AsString(), sources.empty() ? "" : sources[0]});
  }
  for (const auto& entry : json["batch_output"].Items()) {
    const auto sources = entry["source_input"].AsStrings();
    for (const auto& target : entry["target_name"].AsStrings()) {
      config.batch_outputs[target] = sources.empty() ? "" : sources[0];
    }
  }
  ReadSequence(json["sequence_batching"], config);
  for (const auto& [key, value] : json["parameters"].Members()) {
    config.parameters[key] = value["string_value"].AsString();
  }
  config.default_model_filename = json["default_model_filename"].AsString();
  for (const auto& [capability, filename] : json["cc_model_filenames"].Members()) {
    config.cc_model_filenames[capability] = filename.AsString();
  }
  config.op_libraries = json["model_operations"]["op_library_filename"].AsStrings();
  const Json& optimization = json["optimization"];
  config.gpu_accelerators = ReadAccelerators(optimization["execution_accelerators"]["gpu_execution_accelerator"]);
  config.cpu_accelerators = ReadAccelerators(optimization["execution_accelerators"]["cpu_execution_accelerator"]);
  config.graph_level = optimization["graph"]["level"].AsInt();
  ReadInstanceGroups(json["instance_group"], config);
  return config;
}

const std::string* ModelConfig::Parameter(const std::string& key) const {
  const auto found = parameters.find(key);
  return found == parameters.end() ? nullptr : &found->second;
}

int ModelConfig::IntParameter(const std::string& key) const {
  const auto* text = Parameter(key);
  return text == nullptr ? 0 : ParseInt(*text);
}

Json ReadModelConfig(TRITONBACKEND_Model* model) {
  TRITONSERVER_Message* raw = nullptr;
  Check(TRITONBACKEND_ModelConfig(model, 1, &raw));
  const Message message(raw, TRITONSERVER_MessageDelete);
  const char* text = nullptr;
  size_t size = 0;
  Check(TRITONSERVER_MessageSerializeToJson(raw, &text, &size));
  return Json::Parse({text, size});
}

void WriteModelConfig(TRITONBACKEND_Model* model, const Json& config) {
  const std::string text = config.Write();
  TRITONSERVER_Message* raw = nullptr;
  Check(TRITONSERVER_MessageNewFromSerializedJson(&raw, text.data(), text.size()));
  const Message message(raw, TRITONSERVER_MessageDelete);
  Check(TRITONBACKEND_ModelSetConfig(model, 1, raw));
}

}  // namespace triton_ts
