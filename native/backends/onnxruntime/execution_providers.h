#pragma once

#include "device.h"
#include "model_config.h"
#include "ort_types.h"

namespace triton_ts {

/**
 * Adds the execution providers that a configuration asks for, the preferred one first. Accelerators for the GPU count
 * for GPU instances alone, and such instances always have CUDA as a fallback, as in Triton.
 * @returns whether sessions with these providers must be made one at a time (OpenVINO).
 * @throws Error INVALID_ARG for a name or parameter that Triton does not know, or a provider that this ONNX Runtime was
 * built without; UNAVAILABLE where its libraries cannot be loaded.
 */
bool AppendProviders(OrtSessionOptions* options, const ModelConfig& config, Device device);

}  // namespace triton_ts
