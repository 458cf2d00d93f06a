#pragma once

#include <vector>

#include "batch.h"
#include "input_reader.h"
#include "model_config.h"

namespace triton_ts {

/** The shape that each request has for an input. @throws Error INVALID_ARG when one leaves it out. */
std::vector<std::vector<int64_t>> SourceShapes(const Batch& batch, const InputReader& reader,
                                               const std::string& input);

/**
 * The tensor that a `batch_input` entry asks for: it tells a model where in its ragged inputs each request lies. All
 * values are 32 bits wide.
 * @throws Error INVALID_ARG, INTERNAL for a kind that Triton does not know.
 */
void MakeBatchInput(const Batch& batch, const InputReader& reader, const BatchInputConfig& config, Buffer& buffer,
                    GatheredInput& out);

}  // namespace triton_ts
