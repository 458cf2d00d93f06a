#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <type_traits>

#include "error.h"
#include "ort_api.h"

namespace triton_ts {
namespace {

constexpr const char* kFileName = "libonnxruntime.so.1";

/**
 * The library that is open; the process has one ONNX Runtime, as its environment is a singleton too. The functions need
 * no destructor, so that a thread which still runs while the process exits can call them.
 */
std::optional<OrtApi> api;
std::string api_path;
std::mutex api_mutex;
static_assert(std::is_trivially_destructible_v<std::optional<OrtApi>>);

/** Where to look: an explicit path is the only place. */
std::string FindLibrary(const std::string& path) {
  if (!path.empty()) return path;
  if (const char* variable = std::getenv("TRITON_TS_ONNXRUNTIME"); variable != nullptr && *variable != '\0') {
    return variable;
  }
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&OpenOrtLibrary), &self) != 0 && self.dli_fname != nullptr) {
    const auto beside = std::filesystem::path(self.dli_fname).parent_path() / kFileName;
    std::error_code ignored;
    if (std::filesystem::exists(beside, ignored)) return beside.string();
  }
  return kFileName;
}

[[noreturn]] void FailOpen(const std::string& path, const std::string& why) {
  throw Error(TRITONSERVER_ERROR_UNAVAILABLE,
              "cannot use ONNX Runtime at '" + path + "': " + why +
                  "; install the npm package onnxruntime-node, or set TRITON_TS_ONNXRUNTIME or the backend config "
                  "'onnxruntime-library' to the path of " + kFileName);
}

}  // namespace

const OrtApi& Ort() { return *api; }

void OpenOrtLibrary(const std::string& requested) {
  const std::lock_guard<std::mutex> lock(api_mutex);
  const std::string path = FindLibrary(requested);
  if (api) {
    if (path == api_path) return;
    throw Error(TRITONSERVER_ERROR_INVALID_ARG,
                "cannot use ONNX Runtime at '" + path + "': the process already uses '" + api_path + "'");
  }
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) FailOpen(path, dlerror());
  using GetApiBase = const OrtApiBase* (*)();
  const auto get_base = reinterpret_cast<GetApiBase>(dlsym(handle, "OrtGetApiBase"));
  if (get_base == nullptr) FailOpen(path, "it has no function OrtGetApiBase");
  const OrtApiBase* base = get_base();
  const void* const* table = base->GetApi(kOrtApiVersion);
  if (table == nullptr) {
    FailOpen(path, std::string("its version ") + base->GetVersionString() + " is too old, 1." +
                       std::to_string(kOrtApiVersion) + " or later is needed");
  }
  api.emplace(table);
  api_path = path;
}

}  // namespace triton_ts
