#include "provider_options.h"

#include "error.h"
#include "text.h"

namespace triton_ts {
namespace {

enum class Form { kText, kInt, kBool };

struct TensorRtParameter {
  const char* name;
  Form form;
  /** ONNX Runtime's name. */
  const char* option;
};

/** What Triton's backend takes for the accelerator `tensorrt`, beside `precision_mode`. */
constexpr TensorRtParameter kTensorRtParameters[] = {
    {"max_workspace_size_bytes", Form::kInt, "trt_max_workspace_size"},
    {"trt_max_partition_iterations", Form::kInt, "trt_max_partition_iterations"},
    {"trt_min_subgraph_size", Form::kInt, "trt_min_subgraph_size"},
    {"int8_calibration_table_name", Form::kText, "trt_int8_calibration_table_name"},
    {"int8_use_native_calibration_table", Form::kBool, "trt_int8_use_native_calibration_table"},
    {"trt_dla_enable", Form::kBool, "trt_dla_enable"},
    {"trt_dla_core", Form::kInt, "trt_dla_core"},
    {"trt_engine_cache_enable", Form::kBool, "trt_engine_cache_enable"},
    {"trt_engine_cache_path", Form::kText, "trt_engine_cache_path"},
    {"trt_engine_cache_prefix", Form::kText, "trt_engine_cache_prefix"},
    {"trt_dump_subgraphs", Form::kBool, "trt_dump_subgraphs"},
    {"trt_force_sequential_engine_build", Form::kBool, "trt_force_sequential_engine_build"},
    {"trt_context_memory_sharing_enable", Form::kBool, "trt_context_memory_sharing_enable"},
    {"trt_layer_norm_fp32_fallback", Form::kBool, "trt_layer_norm_fp32_fallback"},
    {"trt_timing_cache_enable", Form::kBool, "trt_timing_cache_enable"},
    {"trt_timing_cache_path", Form::kText, "trt_timing_cache_path"},
    {"trt_force_timing_cache", Form::kBool, "trt_force_timing_cache"},
    {"trt_detailed_build_log", Form::kBool, "trt_detailed_build_log"},
    {"trt_build_heuristics_enable", Form::kBool, "trt_build_heuristics_enable"},
    {"trt_sparsity_enable", Form::kBool, "trt_sparsity_enable"},
    {"trt_builder_optimization_level", Form::kInt, "trt_builder_optimization_level"},
    {"trt_auxiliary_streams", Form::kInt, "trt_auxiliary_streams"},
    {"trt_tactic_sources", Form::kText, "trt_tactic_sources"},
    {"trt_extra_plugin_lib_paths", Form::kText, "trt_extra_plugin_lib_paths"},
    {"trt_profile_min_shapes", Form::kText, "trt_profile_min_shapes"},
    {"trt_profile_max_shapes", Form::kText, "trt_profile_max_shapes"},
    {"trt_profile_opt_shapes", Form::kText, "trt_profile_opt_shapes"},
    {"trt_cuda_graph_enable", Form::kBool, "trt_cuda_graph_enable"},
    {"trt_dump_ep_context_model", Form::kBool, "trt_dump_ep_context_model"},
    {"trt_ep_context_file_path", Form::kText, "trt_ep_context_file_path"},
    {"trt_ep_context_embed_mode", Form::kInt, "trt_ep_context_embed_mode"},
};

void SetPrecision(const std::string& mode, ProviderOptions& options) {
  if (mode == "FP16") {
    options.Set("trt_fp16_enable", "1");
  } else if (mode == "BF16") {
    options.Set("trt_bf16_enable", "1");
  } else if (mode == "INT8") {
    options.Set("trt_int8_enable", "1");
  } else if (mode != "FP32") {
    throw Error(TRITONSERVER_ERROR_INVALID_ARG, "unsupported precision mode '" + mode + "' is requested");
  }
}

/** Whole numbers may be larger than an int here. */
void CheckInteger(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0) != std::string::npos) ParseInt(text);
}

/** A parameter that is a number in the configuration and a word for ONNX Runtime. */
void SetByNumber(const ModelConfig& config, const char* key, const std::vector<const char*>& words,
                 ProviderOptions& options) {
  if (config.Parameter(key) == nullptr) return;
  const int value = config.IntParameter(key);
  if (value < 0 || static_cast<size_t>(value) >= words.size()) {
    throw Error(TRITONSERVER_ERROR_INVALID_ARG,
                std::string("unsupported ") + key + " value '" + std::to_string(value) + "' is requested");
  }
  options.Set(key, words[value]);
}

}  // namespace

ProviderOptions TensorRtOptions(const Accelerator& accelerator, int device) {
  ProviderOptions options;
  for (const auto& [key, value] : accelerator.parameters) {
    if (key == "precision_mode") {
      SetPrecision(value, options);
      continue;
    }
    const TensorRtParameter* known = nullptr;
    for (const auto& parameter : kTensorRtParameters) {
      if (key == parameter.name) known = &parameter;
    }
    if (known == nullptr) {
      throw Error(TRITONSERVER_ERROR_INVALID_ARG,
                  "unknown parameter '" + key + "' is provided for TensorRT Execution Accelerator");
    }
    if (known->form == Form::kInt) CheckInteger(value);
    if (known->form == Form::kBool) ParseBool(value);
    if (!value.empty()) options.Set(known->option, value);
  }
  options.Set("device_id", std::to_string(device));
  return options;
}

ProviderOptions CudaOptions(const ModelConfig& config, int device) {
  ProviderOptions options;
  SetByNumber(config, "cudnn_conv_algo_search", {"EXHAUSTIVE", "HEURISTIC", "DEFAULT"}, options);
  SetByNumber(config, "arena_extend_strategy", {"kNextPowerOfTwo", "kSameAsRequested"}, options);
  for (const char* key : {"gpu_mem_limit", "do_copy_in_default_stream"}) {
    if (const auto* value = config.Parameter(key)) options.Set(key, *value);
  }
  for (const auto& accelerator : config.gpu_accelerators) {
    if (accelerator.name != "cuda") continue;
    for (const auto& [key, value] : accelerator.parameters) {
      if (key == "do_copy_in_default_stream" || key == "use_ep_level_unified_stream") ParseBool(value);
      if (!value.empty()) options.Set(key, value);
    }
  }
  options.Set("device_id", std::to_string(device));
  return options;
}

}  // namespace triton_ts
