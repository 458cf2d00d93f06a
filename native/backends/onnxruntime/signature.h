#pragma once

#include <string>
#include <vector>

#include "ort_types.h"

namespace triton_ts {

/** What a model file says of a tensor. */
struct TensorInfo {
  std::string name;
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  /** Variable dimensions are -1. */
  std::vector<int64_t> dims;
  /** Names of variable dimensions; empty where a dimension has none. The same name means the same size. */
  std::vector<std::string> symbols;
};

struct Signature {
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  /** Graph inputs with a default. */
  std::vector<TensorInfo> initializers;
};

/** @throws Error UNSUPPORTED with Triton's text for an input or output that is no tensor. */
Signature ReadSignature(const OrtSession* session);

/** The entry called `name`; nullptr without one. */
const TensorInfo* FindTensor(const std::vector<TensorInfo>& infos, const std::string& name);

}  // namespace triton_ts
