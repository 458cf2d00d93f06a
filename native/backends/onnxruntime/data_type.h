#pragma once

#include <string>

#include "ort_types.h"
#include "triton/tritonserver.h"

namespace triton_ts {

/** INVALID for an element type that Triton does not know. */
TRITONSERVER_DataType ToTritonType(ONNXTensorElementDataType type);

/** UNDEFINED for INVALID. */
ONNXTensorElementDataType ToOnnxType(TRITONSERVER_DataType type);

/** Of a type in a configuration, such as TYPE_FP32; UNDEFINED where there is no such type. */
ONNXTensorElementDataType ConfigToOnnxType(const std::string& config_type);

/** The type as a configuration names it; TYPE_INVALID where Triton has none. */
std::string ToConfigType(ONNXTensorElementDataType type);

/** ONNX's own name, as Triton's texts have it. */
const char* OnnxTypeName(ONNXTensorElementDataType type);

/** `ONNX_TYPE_TENSOR` and so on. */
const char* OnnxKindName(ONNXType kind);

}  // namespace triton_ts
