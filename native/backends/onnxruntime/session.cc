#include "session.h"

#include <mutex>

#include "execution_providers.h"
#include "session_options.h"

namespace triton_ts {

Session::Session(const BackendState& backend, const ModelConfig& config, const std::string& version_directory,
                 const std::string& path, Device device)
    : device_(device) {
  const auto options = MakeSessionOptions(backend.Settings(), config, version_directory);
  const bool one_at_a_time = AppendProviders(options.get(), config, device);
  static std::mutex creation;
  std::unique_lock<std::mutex> lock(creation, std::defer_lock);
  if (one_at_a_time) lock.lock();
  session_ = MakeOrt<OrtSessionHandle>(Ort().CreateSession, backend.Env(), path.c_str(),
                                       static_cast<const OrtSessionOptions*>(options.get()));
  signature_ = ReadSignature(session_.get());
}

}  // namespace triton_ts
