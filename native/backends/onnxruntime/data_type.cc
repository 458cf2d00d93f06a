#include "data_type.h"

namespace triton_ts {
namespace {

struct TypeNames {
  ONNXTensorElementDataType onnx;
  TRITONSERVER_DataType triton;
  const char* config;
  const char* onnx_name;
};

constexpr TypeNames kTypes[] = {
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, TRITONSERVER_TYPE_FP32, "TYPE_FP32", "FLOAT"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, TRITONSERVER_TYPE_UINT8, "TYPE_UINT8", "UINT8"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, TRITONSERVER_TYPE_INT8, "TYPE_INT8", "INT8"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, TRITONSERVER_TYPE_UINT16, "TYPE_UINT16", "UINT16"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, TRITONSERVER_TYPE_INT16, "TYPE_INT16", "INT16"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, TRITONSERVER_TYPE_INT32, "TYPE_INT32", "INT32"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, TRITONSERVER_TYPE_INT64, "TYPE_INT64", "INT64"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, TRITONSERVER_TYPE_BYTES, "TYPE_STRING", "STRING"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, TRITONSERVER_TYPE_BOOL, "TYPE_BOOL", "BOOL"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, TRITONSERVER_TYPE_FP16, "TYPE_FP16", "FLOAT16"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, TRITONSERVER_TYPE_FP64, "TYPE_FP64", "DOUBLE"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, TRITONSERVER_TYPE_UINT32, "TYPE_UINT32", "UINT32"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, TRITONSERVER_TYPE_UINT64, "TYPE_UINT64", "UINT64"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, TRITONSERVER_TYPE_BF16, "TYPE_BF16", "BFLOAT16"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64, TRITONSERVER_TYPE_INVALID, "TYPE_INVALID", "COMPLEX64"},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128, TRITONSERVER_TYPE_INVALID, "TYPE_INVALID", "COMPLEX128"},
};
constexpr TypeNames kUnknown{ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, TRITONSERVER_TYPE_INVALID, "TYPE_INVALID",
                             "UNDEFINED"};

const TypeNames& Find(ONNXTensorElementDataType type) {
  for (const auto& names : kTypes) {
    if (names.onnx == type) return names;
  }
  return kUnknown;
}

}  // namespace

TRITONSERVER_DataType ToTritonType(ONNXTensorElementDataType type) { return Find(type).triton; }

ONNXTensorElementDataType ToOnnxType(TRITONSERVER_DataType type) {
  for (const auto& names : kTypes) {
    if (names.triton == type && type != TRITONSERVER_TYPE_INVALID) return names.onnx;
  }
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

ONNXTensorElementDataType ConfigToOnnxType(const std::string& config_type) {
  for (const auto& names : kTypes) {
    if (names.triton != TRITONSERVER_TYPE_INVALID && config_type == names.config) return names.onnx;
  }
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

std::string ToConfigType(ONNXTensorElementDataType type) { return Find(type).config; }

const char* OnnxTypeName(ONNXTensorElementDataType type) { return Find(type).onnx_name; }

const char* OnnxKindName(ONNXType kind) {
  switch (kind) {
    case ONNX_TYPE_TENSOR:
      return "ONNX_TYPE_TENSOR";
    case ONNX_TYPE_SEQUENCE:
      return "ONNX_TYPE_SEQUENCE";
    case ONNX_TYPE_MAP:
      return "ONNX_TYPE_MAP";
    case ONNX_TYPE_OPAQUE:
      return "ONNX_TYPE_OPAQUE";
    case ONNX_TYPE_SPARSETENSOR:
      return "ONNX_TYPE_SPARSETENSOR";
    default:
      return "ONNX_TYPE_UNKNOWN";
  }
}

}  // namespace triton_ts
