#include "model_file.h"

#include <filesystem>

#include "error.h"

namespace triton_ts {
namespace fs = std::filesystem;

std::string FindModelFile(const std::string& model, const std::string& version_directory,
                          const std::string& filename) {
  constexpr const char* kDefaultName = "model.onnx";
  const fs::path name = filename.empty() ? kDefaultName : filename;
  const fs::path version = fs::path(version_directory).lexically_normal();
  const fs::path inside = (version / name).lexically_normal().lexically_relative(version);
  if (name.is_absolute() || inside.empty() || *inside.begin() == "..") {
    throw Error(TRITONSERVER_ERROR_INVALID_ARG,
                "model file '" + filename + "' of model '" + model + "' is outside its version directory");
  }
  const fs::path path = version / name;
  std::error_code missing;
  const auto status = fs::status(path, missing);
  if (!fs::exists(status)) throw Error(TRITONSERVER_ERROR_INTERNAL, "failed to stat file " + path.string());
  if (!fs::is_directory(status)) return path.string();
  const fs::path nested = path / kDefaultName;
  if (!fs::exists(nested, missing)) {
    throw Error(TRITONSERVER_ERROR_UNAVAILABLE,
                "unable to find '" + nested.string() + "' for model instance '" + model + "'");
  }
  return nested.string();
}

}  // namespace triton_ts
