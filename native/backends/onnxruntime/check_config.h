#pragma once

#include "model_config.h"
#include "signature.h"

namespace triton_ts {

/**
 * Compares a final configuration with what the model file says, in the order and with the texts of Triton's backend.
 * @throws Error where both do not fit.
 */
void CheckConfig(const ModelConfig& config, const Signature& signature);

/**
 * The part of it about what a sequence batcher adds to a model: control inputs and states.
 * @returns how many inputs these are.
 */
size_t CheckSequence(const ModelConfig& config, const Signature& signature);

/** @param role of the tensor in texts: `input`, `batch input`, `output` or `output state`. */
void CheckDataType(const ModelConfig& config, const char* role, const std::string& name,
                   const std::string& config_type, const TensorInfo& info);

/** The entry called `name`. @throws Error INVALID_ARG with the names there are, in order. */
const TensorInfo& RequireTensor(const std::vector<const TensorInfo*>& infos, const char* direction,
                                const std::string& name);

/** Pointers to all entries of both lists. */
std::vector<const TensorInfo*> AllOf(const std::vector<TensorInfo>& infos, const std::vector<TensorInfo>& more = {});

}  // namespace triton_ts
