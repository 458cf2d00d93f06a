#include "session_options.h"

#include <algorithm>
#include <filesystem>

#include "error.h"
#include "text.h"

namespace triton_ts {
namespace {

GraphOptimizationLevel GraphLevel(int64_t level) {
  if (level == -1) return ORT_ENABLE_BASIC;
  if (level == 1) return ORT_ENABLE_EXTENDED;
  return level == 2 ? ORT_DISABLE_ALL : ORT_ENABLE_ALL;
}

ExecutionMode Mode(const ModelConfig& config) {
  const int mode = config.IntParameter("execution_mode");
  if (mode == 0) return ORT_SEQUENTIAL;
  if (mode == 1) return ORT_PARALLEL;
  throw Error(TRITONSERVER_ERROR_INVALID_ARG,
              "Invalid configuration value provided. Expected values for  execution_mode are 0 or 1 but got " +
                  std::to_string(mode) + " .");
}

/** Idle threads of a pool would otherwise take the CPU from the model's other runs. */
constexpr const char* kAllowSpinning = "session.intra_op.allow_spinning";

void SetThreads(OrtSessionOptions* options, const BackendSettings& settings, const ModelConfig& config) {
  const auto& ort = Ort();
  if (settings.global_thread_pool) {
    CheckOrt(ort.DisablePerSessionThreads(options));
    return;
  }
  int intra_op = config.IntParameter("intra_op_thread_count");
  if (intra_op <= 0 && settings.cpus > 0) {
    // Runs of all instances share the threads of the pool, and each has its own one beside.
    intra_op = static_cast<int>(std::max<int64_t>(1, settings.cpus - config.instance_count + 1));
    if (config.Parameter(kAllowSpinning) == nullptr) {
      CheckOrt(ort.AddSessionConfigEntry(options, kAllowSpinning, "0"));
    }
  }
  if (intra_op > 0) CheckOrt(ort.SetIntraOpNumThreads(options, intra_op));
  const int inter_op = config.IntParameter("inter_op_thread_count");
  if (inter_op > 0) CheckOrt(ort.SetInterOpNumThreads(options, inter_op));
}

void SetMemory(OrtSessionOptions* options, const ModelConfig& config) {
  const auto& ort = Ort();
  if (const auto* text = config.Parameter("enable_mem_arena")) {
    CheckOrt(ParseBool(*text) ? ort.EnableCpuMemArena(options) : ort.DisableCpuMemArena(options));
  }
  if (const auto* text = config.Parameter("enable_mem_pattern")) {
    CheckOrt(ParseBool(*text) ? ort.EnableMemPattern(options) : ort.DisableMemPattern(options));
  }
}

void RegisterOperators(OrtSessionOptions* options, const ModelConfig& config, const std::string& version_directory) {
  const std::filesystem::path version = version_directory;
  for (const auto& name : config.op_libraries) {
    std::string path = name;
    for (const auto& directory : {version, version.parent_path()}) {
      std::error_code ignored;
      if (path == name && std::filesystem::exists(directory / name, ignored)) path = (directory / name).string();
    }
    CheckOrt(Ort().RegisterCustomOpsLibrary_V2(options, path.c_str()));
  }
}

}  // namespace

OrtSessionOptionsHandle MakeSessionOptions(const BackendSettings& settings, const ModelConfig& config,
                                           const std::string& version_directory) {
  const auto& ort = Ort();
  auto handle = MakeOrt<OrtSessionOptionsHandle>(ort.CreateSessionOptions);
  auto* options = handle.get();
  CheckOrt(ort.SetSessionLogSeverityLevel(options, OrtLogLevel()));
  CheckOrt(ort.SetSessionGraphOptimizationLevel(options, GraphLevel(config.graph_level)));
  CheckOrt(ort.SetSessionExecutionMode(options, Mode(config)));
  SetThreads(options, settings, config);
  SetMemory(options, config);
  for (const auto& [key, value] : config.parameters) {
    if (key.rfind("session.", 0) == 0) CheckOrt(ort.AddSessionConfigEntry(options, key.c_str(), value.c_str()));
  }
  RegisterOperators(options, config, version_directory);
  return handle;
}

}  // namespace triton_ts
