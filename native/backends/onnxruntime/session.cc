#include "session.h"

#include <memory>
#include <mutex>

#include "execution_providers.h"
#include "low_priority_thread.h"
#include "session_options.h"

namespace triton_ts {
namespace {

/**
 * Whether opening a session starts no threads that stay but those of its pools, and none that has to be on certain CPUs.
 * Providers and custom operators may start others.
 */
bool StartsPoolsAlone(const BackendSettings& settings, const ModelConfig& config, Device device) {
  return settings.cpus > 0 && !device.gpu && config.cpu_accelerators.empty() && config.op_libraries.empty() &&
         config.Parameter("session.intra_op_thread_affinities") == nullptr;
}

OrtCustomThreadHandle MakePoolThread(void* maker, OrtThreadWorkerFn worker, void* parameter) noexcept {
  try {
    auto thread = std::make_unique<std::thread>();
    *thread = static_cast<LowPriorityThread*>(maker)->Make([worker, parameter] { worker(parameter); });
    // ONNX Runtime fails where it gets no handle.
    if (!thread->joinable()) return nullptr;
    return reinterpret_cast<OrtCustomThreadHandle>(thread.release());
  } catch (...) {
    return nullptr;
  }
}

void JoinPoolThread(OrtCustomThreadHandle handle) noexcept {
  const std::unique_ptr<std::thread> thread(reinterpret_cast<std::thread*>(const_cast<OrtCustomHandleType*>(handle)));
  thread->join();
}

}  // namespace

Session::Session(const BackendState& backend, const ModelConfig& config, const std::string& version_directory,
                 const std::string& path, Device device)
    : device_(device) {
  const auto options = MakeSessionOptions(backend.Settings(), config, version_directory);
  const bool one_at_a_time = AppendProviders(options.get(), config, device);
  static std::mutex creation;
  std::unique_lock<std::mutex> lock(creation, std::defer_lock);
  if (one_at_a_time) lock.lock();
  const auto open = [&] {
    session_ = MakeOrt<OrtSessionHandle>(Ort().CreateSession, backend.Env(), path.c_str(),
                                         static_cast<const OrtSessionOptions*>(options.get()));
  };
  if (StartsPoolsAlone(backend.Settings(), config, device)) {
    // Other models run meanwhile, or the version that this one is to replace.
    LowPriorityThread opener;
    CheckOrt(Ort().SessionOptionsSetCustomThreadCreationOptions(options.get(), &opener));
    CheckOrt(Ort().SessionOptionsSetCustomCreateThreadFn(options.get(), MakePoolThread));
    CheckOrt(Ort().SessionOptionsSetCustomJoinThreadFn(options.get(), JoinPoolThread));
    opener.Run(open);
  } else {
    open();
  }
  signature_ = ReadSignature(session_.get());
}

}  // namespace triton_ts
