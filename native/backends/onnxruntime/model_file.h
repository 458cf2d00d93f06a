#pragma once

#include <string>

namespace triton_ts {

/**
 * The path of a version's ONNX file: `filename` or `model.onnx`; inside it when that is a directory.
 * @throws Error INTERNAL or UNAVAILABLE when there is none, INVALID_ARG when it would be outside the version.
 */
std::string FindModelFile(const std::string& model, const std::string& version_directory, const std::string& filename);

}  // namespace triton_ts
