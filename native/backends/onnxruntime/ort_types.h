#pragma once

#include <cstdint>

/*
 * Types of ONNX Runtime's C API, as far as they are used here. Names and numbers are those of the published API; they
 * never change within it.
 */
extern "C" {

struct OrtStatus;
struct OrtEnv;
struct OrtSession;
struct OrtSessionOptions;
struct OrtRunOptions;
struct OrtValue;
struct OrtIoBinding;
struct OrtMemoryInfo;
struct OrtAllocator;
struct OrtTypeInfo;
struct OrtTensorTypeAndShapeInfo;
struct OrtThreadingOptions;
struct OrtCUDAProviderOptionsV2;
struct OrtTensorRTProviderOptionsV2;
struct OrtCustomHandleType;

/** Threads of a session's pools, made and joined by whoever sets these functions; nullptr is a failure. */
using OrtCustomThreadHandle = const OrtCustomHandleType*;
using OrtThreadWorkerFn = void (*)(void* parameter);
using OrtCustomCreateThreadFn = OrtCustomThreadHandle (*)(void* options, OrtThreadWorkerFn, void* parameter);
using OrtCustomJoinThreadFn = void (*)(OrtCustomThreadHandle);

enum OrtErrorCode : int { ORT_OK = 0 };
enum OrtLoggingLevel : int { ORT_LOGGING_LEVEL_WARNING = 2, ORT_LOGGING_LEVEL_FATAL = 4 };
enum OrtAllocatorType : int { OrtDeviceAllocator = 0, OrtArenaAllocator = 1 };
enum OrtMemType : int { OrtMemTypeDefault = 0 };
enum ExecutionMode : int { ORT_SEQUENTIAL = 0, ORT_PARALLEL = 1 };

enum GraphOptimizationLevel : int {
  ORT_DISABLE_ALL = 0,
  ORT_ENABLE_BASIC = 1,
  ORT_ENABLE_EXTENDED = 2,
  ORT_ENABLE_ALL = 99,
};

enum ONNXType : int {
  ONNX_TYPE_UNKNOWN = 0,
  ONNX_TYPE_TENSOR = 1,
  ONNX_TYPE_SEQUENCE = 2,
  ONNX_TYPE_MAP = 3,
  ONNX_TYPE_OPAQUE = 4,
  ONNX_TYPE_SPARSETENSOR = 5,
  ONNX_TYPE_OPTIONAL = 6,
};

enum ONNXTensorElementDataType : int {
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED = 0,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT = 1,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 = 2,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8 = 3,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16 = 4,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16 = 5,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32 = 6,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 = 7,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING = 8,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL = 9,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 = 10,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE = 11,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32 = 12,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64 = 13,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64 = 14,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128 = 15,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16 = 16,
};

/** What the library's only exported function, `OrtGetApiBase`, returns. */
struct OrtApiBase {
  /** A table of functions; nullptr for a version that the library is too old for. */
  const void* const* (*GetApi)(uint32_t version) noexcept;
  const char* (*GetVersionString)() noexcept;
};

}  // extern "C"
