#include "auto_complete.h"

#include <algorithm>

#include "data_type.h"
#include "error.h"

namespace triton_ts {
namespace {

bool HasInputs(const Json& config) {
  return !config["input"].Items().empty() || !config["batch_input"].Items().empty();
}

bool HasOutputs(const Json& config) { return !config["output"].Items().empty(); }

bool CanBatch(const Signature& signature) {
  const auto variable = [](const TensorInfo& info) { return !info.dims.empty() && info.dims[0] == -1; };
  return std::all_of(signature.inputs.begin(), signature.inputs.end(), variable) &&
         std::all_of(signature.outputs.begin(), signature.outputs.end(), variable);
}

int64_t MaxBatchSize(const Json& config, const Signature& signature, int default_max_batch_size) {
  const int64_t configured = config["max_batch_size"].AsInt();
  const std::string& model = config["name"].AsString();
  if (!CanBatch(signature)) {
    if (configured == 0) return 0;
    throw Error(TRITONSERVER_ERROR_INVALID_ARG,
                "autofill failed for model '" + model +
                    "': model does not support batching while non-zero max_batch_size is specified");
  }
  if (configured != 0) return configured;
  Log(TRITONSERVER_LOG_WARN, "max_batch_size of model '" + model + "' is not set, the default " +
                                 std::to_string(default_max_batch_size) + " is used");
  return default_max_batch_size;
}

Json Ints(const std::vector<int64_t>& values) {
  std::vector<Json> items;
  for (const auto value : values) items.push_back(Json::Int(value));
  return Json::Array(std::move(items));
}

/** A tensor without dimensions besides the batch appears as `[1]`, since `dims` must not be empty. */
Json TensorEntry(const TensorInfo& info, bool batching) {
  std::vector<int64_t> dims(info.dims.begin() + (batching ? 1 : 0), info.dims.end());
  Json entry = Json::Object({{"name", Json::String(info.name)}, {"data_type", Json::String(ToConfigType(info.type))}});
  if (dims.empty()) {
    dims = {1};
    if (batching) entry.Set("reshape", Json::Object({{"shape", Json::Array({})}}));
  }
  entry.Set("dims", Ints(dims));
  return entry;
}

Json TensorEntries(const std::vector<TensorInfo>& infos, bool batching) {
  std::vector<Json> entries;
  for (auto info = infos.rbegin(); info != infos.rend(); ++info) entries.push_back(TensorEntry(*info, batching));
  return Json::Array(std::move(entries));
}

}  // namespace

bool NeedsAutoComplete(const Json& config) { return !HasInputs(config) || !HasOutputs(config); }

void AutoComplete(Json& config, const Signature& signature, int default_max_batch_size) {
  const int64_t max_batch_size = MaxBatchSize(config, signature, default_max_batch_size);
  config.Set("max_batch_size", Json::Int(max_batch_size));
  if (max_batch_size > 1 && config["sequence_batching"].IsNull() && config["dynamic_batching"].IsNull()) {
    config.Set("dynamic_batching", Json::Object());
  }
  if (!HasInputs(config)) config.Set("input", TensorEntries(signature.inputs, max_batch_size > 0));
  if (!HasOutputs(config)) config.Set("output", TensorEntries(signature.outputs, max_batch_size > 0));
}

}  // namespace triton_ts
