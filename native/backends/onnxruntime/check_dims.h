#pragma once

#include "model_config.h"
#include "signature.h"

namespace triton_ts {

/** Whether a variable dimension of the model accepts any in the configuration, or has to be variable there too. */
enum class DimsMatch { kAccepting, kExact };

/** @throws Error INVALID_ARG with Triton's text where the configuration does not fit the shape in the model. */
void CheckDims(const ModelConfig& config, const TensorConfig& tensor, const TensorInfo& info, DimsMatch match);

/** The same for an input with `allow_ragged_batch`, which the model has to take as one row of elements. */
void CheckRagged(const ModelConfig& config, const TensorConfig& tensor, const TensorInfo& info);

}  // namespace triton_ts
