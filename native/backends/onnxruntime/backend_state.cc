#include "backend_state.h"

#include <algorithm>

#include "error.h"
#include "text.h"

namespace triton_ts {
namespace {

int IntSetting(const Json& settings, const char* key) {
  const Json& value = settings[key];
  return value.IsNull() ? 0 : std::max(0, ParseInt(value.AsString()));
}

/** ONNX Runtime has one environment for the process, which further handles share. */
OrtEnvHandle MakeEnv(const BackendSettings& settings) {
  const auto& ort = Ort();
  constexpr const char* kId = "triton-ts";
  if (!settings.global_thread_pool) return MakeOrt<OrtEnvHandle>(ort.CreateEnv, OrtLogLevel(), kId);
  const auto threading = MakeOrt<OrtThreadingOptionsHandle>(ort.CreateThreadingOptions);
  if (settings.global_intra_op_threads > 0) {
    CheckOrt(ort.SetGlobalIntraOpNumThreads(threading.get(), settings.global_intra_op_threads));
  }
  if (settings.global_inter_op_threads > 0) {
    CheckOrt(ort.SetGlobalInterOpNumThreads(threading.get(), settings.global_inter_op_threads));
  }
  return MakeOrt<OrtEnvHandle>(ort.CreateEnvWithGlobalThreadPools, OrtLogLevel(), kId, threading.get());
}

}  // namespace

BackendSettings BackendSettings::FromJson(const Json& backend_config) {
  const Json& cmdline = backend_config["cmdline"];
  BackendSettings settings;
  settings.default_max_batch_size = IntSetting(cmdline, "default-max-batch-size");
  settings.cpus = IntSetting(cmdline, "cpus");
  settings.library = cmdline["onnxruntime-library"].AsString();
  const Json& global = cmdline["enable-global-threadpool"];
  settings.global_thread_pool = !global.IsNull() && ParseBool(global.AsString());
  settings.global_intra_op_threads = IntSetting(cmdline, "intra_op_thread_count");
  settings.global_inter_op_threads = IntSetting(cmdline, "inter_op_thread_count");
  return settings;
}

BackendState::BackendState(BackendSettings settings) : settings_(std::move(settings)) {
  OpenOrtLibrary(settings_.library);
  env_ = MakeEnv(settings_);
}

OrtLoggingLevel OrtLogLevel() {
  return TRITONSERVER_LogIsEnabled(TRITONSERVER_LOG_VERBOSE) ? ORT_LOGGING_LEVEL_WARNING : ORT_LOGGING_LEVEL_FATAL;
}

}  // namespace triton_ts
