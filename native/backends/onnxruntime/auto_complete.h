#pragma once

#include "json.h"
#include "signature.h"

namespace triton_ts {

/** Whether a configuration lacks inputs or outputs, which the model file can add. */
bool NeedsAutoComplete(const Json& config);

/**
 * Adds what the model file says. A model can batch when the first dimension of every input and output is variable.
 * Tensors come last first, the order in which Triton shows them.
 * @throws Error INVALID_ARG when it cannot batch, but the configuration sets `max_batch_size`.
 */
void AutoComplete(Json& config, const Signature& signature, int default_max_batch_size);

}  // namespace triton_ts
