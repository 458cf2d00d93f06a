#pragma once

#include "backend_state.h"
#include "model_config.h"

namespace triton_ts {

/**
 * The session options of a configuration: `optimization`, `parameters` and `model_operations` as Triton's backend reads
 * them. Execution providers come afterwards.
 * @param version_directory in which relative paths of custom operator libraries are looked up first.
 * @throws Error INVALID_ARG for a value that Triton refuses too, INTERNAL for a library that cannot be registered.
 */
OrtSessionOptionsHandle MakeSessionOptions(const BackendSettings& settings, const ModelConfig& config,
                                           const std::string& version_directory);

}  // namespace triton_ts
