#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model_config.h"
#include "signature.h"
#include "triton/tritonserver.h"

namespace triton_ts {

/** Where the size of a dimension is known from before a run: a number, or a dimension of an input. */
struct KnownDim {
  int64_t size = -1;
  size_t input = 0;
  size_t dim = 0;
};

/** An output of the model that the configuration knows: for callers, as the state of a sequence, or both. */
struct OutputPlan {
  std::string name;
  ONNXTensorElementDataType type;
  TRITONSERVER_DataType datatype;
  bool for_callers = false;
  bool is_state = false;
  /** What callers see where the model has a scalar. */
  std::vector<int64_t> scalar_dims;
  /** Of the configuration, with the batch dimension; for `batch_output` only. */
  std::vector<int64_t> dims;
  /** The input by whose shape `batch_output` cuts it; empty: cut along the batch dimension. */
  std::string source_input;
  /** The shape, where it is known before the run. */
  std::optional<std::vector<KnownDim>> known_shape;
};

/** The plans of all outputs by name, the order in which Triton answers. */
std::vector<OutputPlan> PlanOutputs(const ModelConfig& config, const Signature& signature);

}  // namespace triton_ts
