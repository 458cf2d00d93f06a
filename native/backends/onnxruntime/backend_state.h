#pragma once

#include "json.h"
#include "ort_handles.h"
#include "run_watcher.h"

namespace triton_ts {

/** The `cmdline` settings of `--backend-config=onnxruntime,<key>=<value>`; backend.cc describes them. */
struct BackendSettings {
  int default_max_batch_size = 0;
  /** CPUs that the instances of one model share; 0: ONNX Runtime's own choice of threads. */
  int cpus = 0;
  std::string library;
  bool global_thread_pool = false;
  int global_intra_op_threads = 0;
  int global_inter_op_threads = 0;

  /** @throws Error INVALID_ARG for a value that is no number or no bool. */
  static BackendSettings FromJson(const Json& backend_config);
};

/** What all models of one backend of one server share. */
class BackendState {
 public:
  /** Opens ONNX Runtime. @throws Error */
  explicit BackendState(BackendSettings settings);

  const BackendSettings& Settings() const { return settings_; }
  const OrtEnv* Env() const { return env_.get(); }
  RunWatcher& Watcher() { return watcher_; }

 private:
  const BackendSettings settings_;
  OrtEnvHandle env_;
  RunWatcher watcher_;
};

/** What ONNX Runtime says on stderr: nothing, since its errors are in the answers; with verbose logging warnings. */
OrtLoggingLevel OrtLogLevel();

}  // namespace triton_ts
