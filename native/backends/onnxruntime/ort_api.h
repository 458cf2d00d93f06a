#pragma once

#include <cstddef>
#include <string>

#include "ort_types.h"

/*
 * The functions of ONNX Runtime's C API that are used here: the place in the API's table, the result, the name, the
 * parameters. The table only grows, so a place holds for every later version too.
 */
#define TRITON_TS_ORT_FUNCTIONS(F)                                                                                    \
  F(1, OrtErrorCode, GetErrorCode, (const OrtStatus*))                                                                \
  F(2, const char*, GetErrorMessage, (const OrtStatus*))                                                              \
  F(3, OrtStatus*, CreateEnv, (OrtLoggingLevel, const char* id, OrtEnv**))                                            \
  F(7, OrtStatus*, CreateSession, (const OrtEnv*, const char* path, const OrtSessionOptions*, OrtSession**))          \
  F(10, OrtStatus*, CreateSessionOptions, (OrtSessionOptions**))                                                      \
  F(13, OrtStatus*, SetSessionExecutionMode, (OrtSessionOptions*, ExecutionMode))                                     \
  F(16, OrtStatus*, EnableMemPattern, (OrtSessionOptions*))                                                           \
  F(17, OrtStatus*, DisableMemPattern, (OrtSessionOptions*))                                                          \
  F(18, OrtStatus*, EnableCpuMemArena, (OrtSessionOptions*))                                                          \
  F(19, OrtStatus*, DisableCpuMemArena, (OrtSessionOptions*))                                                         \
  F(22, OrtStatus*, SetSessionLogSeverityLevel, (OrtSessionOptions*, int level))                                      \
  F(23, OrtStatus*, SetSessionGraphOptimizationLevel, (OrtSessionOptions*, GraphOptimizationLevel))                   \
  F(24, OrtStatus*, SetIntraOpNumThreads, (OrtSessionOptions*, int))                                                  \
  F(25, OrtStatus*, SetInterOpNumThreads, (OrtSessionOptions*, int))                                                  \
  F(30, OrtStatus*, SessionGetInputCount, (const OrtSession*, size_t*))                                               \
  F(31, OrtStatus*, SessionGetOutputCount, (const OrtSession*, size_t*))                                              \
  F(32, OrtStatus*, SessionGetOverridableInitializerCount, (const OrtSession*, size_t*))                              \
  F(33, OrtStatus*, SessionGetInputTypeInfo, (const OrtSession*, size_t, OrtTypeInfo**))                              \
  F(34, OrtStatus*, SessionGetOutputTypeInfo, (const OrtSession*, size_t, OrtTypeInfo**))                             \
  F(35, OrtStatus*, SessionGetOverridableInitializerTypeInfo, (const OrtSession*, size_t, OrtTypeInfo**))             \
  F(36, OrtStatus*, SessionGetInputName, (const OrtSession*, size_t, OrtAllocator*, char**))                          \
  F(37, OrtStatus*, SessionGetOutputName, (const OrtSession*, size_t, OrtAllocator*, char**))                         \
  F(38, OrtStatus*, SessionGetOverridableInitializerName, (const OrtSession*, size_t, OrtAllocator*, char**))         \
  F(39, OrtStatus*, CreateRunOptions, (OrtRunOptions**))                                                              \
  F(46, OrtStatus*, RunOptionsSetTerminate, (OrtRunOptions*))                                                         \
  F(47, OrtStatus*, RunOptionsUnsetTerminate, (OrtRunOptions*))                                                       \
  F(48, OrtStatus*, CreateTensorAsOrtValue,                                                                           \
    (OrtAllocator*, const int64_t* shape, size_t rank, ONNXTensorElementDataType, OrtValue**))                        \
  F(49, OrtStatus*, CreateTensorWithDataAsOrtValue,                                                                   \
    (const OrtMemoryInfo*, void* data, size_t size, const int64_t* shape, size_t rank, ONNXTensorElementDataType,     \
     OrtValue**))                                                                                                     \
  F(51, OrtStatus*, GetTensorMutableData, (OrtValue*, void**))                                                        \
  F(53, OrtStatus*, GetStringTensorDataLength, (const OrtValue*, size_t*))                                            \
  F(54, OrtStatus*, GetStringTensorContent, (const OrtValue*, void*, size_t size, size_t* offsets, size_t count))     \
  F(55, OrtStatus*, CastTypeInfoToTensorInfo, (const OrtTypeInfo*, const OrtTensorTypeAndShapeInfo**))                \
  F(56, OrtStatus*, GetOnnxTypeFromTypeInfo, (const OrtTypeInfo*, ONNXType*))                                         \
  F(60, OrtStatus*, GetTensorElementType, (const OrtTensorTypeAndShapeInfo*, ONNXTensorElementDataType*))             \
  F(61, OrtStatus*, GetDimensionsCount, (const OrtTensorTypeAndShapeInfo*, size_t*))                                  \
  F(62, OrtStatus*, GetDimensions, (const OrtTensorTypeAndShapeInfo*, int64_t*, size_t rank))                         \
  F(63, OrtStatus*, GetSymbolicDimensions, (const OrtTensorTypeAndShapeInfo*, const char**, size_t rank))             \
  F(65, OrtStatus*, GetTensorTypeAndShape, (const OrtValue*, OrtTensorTypeAndShapeInfo**))                            \
  F(68, OrtStatus*, CreateMemoryInfo, (const char*, OrtAllocatorType, int id, OrtMemType, OrtMemoryInfo**))           \
  F(69, OrtStatus*, CreateCpuMemoryInfo, (OrtAllocatorType, OrtMemType, OrtMemoryInfo**))                             \
  F(76, OrtStatus*, AllocatorFree, (OrtAllocator*, void*))                                                            \
  F(78, OrtStatus*, GetAllocatorWithDefaultOptions, (OrtAllocator**))                                                 \
  F(92, void, ReleaseEnv, (OrtEnv*))                                                                                  \
  F(93, void, ReleaseStatus, (OrtStatus*))                                                                            \
  F(94, void, ReleaseMemoryInfo, (OrtMemoryInfo*))                                                                    \
  F(95, void, ReleaseSession, (OrtSession*))                                                                          \
  F(96, void, ReleaseValue, (OrtValue*))                                                                              \
  F(97, void, ReleaseRunOptions, (OrtRunOptions*))                                                                    \
  F(98, void, ReleaseTypeInfo, (OrtTypeInfo*))                                                                        \
  F(99, void, ReleaseTensorTypeAndShapeInfo, (OrtTensorTypeAndShapeInfo*))                                            \
  F(100, void, ReleaseSessionOptions, (OrtSessionOptions*))                                                           \
  F(119, OrtStatus*, CreateEnvWithGlobalThreadPools,                                                                  \
    (OrtLoggingLevel, const char* id, const OrtThreadingOptions*, OrtEnv**))                                          \
  F(120, OrtStatus*, DisablePerSessionThreads, (OrtSessionOptions*))                                                  \
  F(121, OrtStatus*, CreateThreadingOptions, (OrtThreadingOptions**))                                                 \
  F(122, void, ReleaseThreadingOptions, (OrtThreadingOptions*))                                                       \
  F(125, OrtStatus*, GetAvailableProviders, (char***, int*))                                                          \
  F(126, OrtStatus*, ReleaseAvailableProviders, (char**, int))                                                        \
  F(130, OrtStatus*, AddSessionConfigEntry, (OrtSessionOptions*, const char* key, const char* value))                 \
  F(133, OrtStatus*, RunWithBinding, (OrtSession*, const OrtRunOptions*, const OrtIoBinding*))                        \
  F(134, OrtStatus*, CreateIoBinding, (OrtSession*, OrtIoBinding**))                                                  \
  F(135, void, ReleaseIoBinding, (OrtIoBinding*))                                                                     \
  F(136, OrtStatus*, BindInput, (OrtIoBinding*, const char*, const OrtValue*))                                        \
  F(137, OrtStatus*, BindOutput, (OrtIoBinding*, const char*, const OrtValue*))                                       \
  F(138, OrtStatus*, BindOutputToDevice, (OrtIoBinding*, const char*, const OrtMemoryInfo*))                          \
  F(140, OrtStatus*, GetBoundOutputValues, (const OrtIoBinding*, OrtAllocator*, OrtValue***, size_t* count))          \
  F(141, void, ClearBoundInputs, (OrtIoBinding*))                                                                     \
  F(142, void, ClearBoundOutputs, (OrtIoBinding*))                                                                    \
  F(147, OrtStatus*, SetGlobalIntraOpNumThreads, (OrtThreadingOptions*, int))                                         \
  F(148, OrtStatus*, SetGlobalInterOpNumThreads, (OrtThreadingOptions*, int))                                         \
  F(165, OrtStatus*, AddRunConfigEntry, (OrtRunOptions*, const char* key, const char* value))                         \
  F(170, OrtStatus*, SessionOptionsAppendExecutionProvider_TensorRT_V2,                                               \
    (OrtSessionOptions*, const OrtTensorRTProviderOptionsV2*))                                                        \
  F(171, OrtStatus*, CreateTensorRTProviderOptions, (OrtTensorRTProviderOptionsV2**))                                 \
  F(172, OrtStatus*, UpdateTensorRTProviderOptions,                                                                   \
    (OrtTensorRTProviderOptionsV2*, const char* const* keys, const char* const* values, size_t count))                \
  F(174, void, ReleaseTensorRTProviderOptions, (OrtTensorRTProviderOptionsV2*))                                       \
  F(196, OrtStatus*, SessionOptionsSetCustomCreateThreadFn, (OrtSessionOptions*, OrtCustomCreateThreadFn))            \
  F(197, OrtStatus*, SessionOptionsSetCustomThreadCreationOptions, (OrtSessionOptions*, void*))                       \
  F(198, OrtStatus*, SessionOptionsSetCustomJoinThreadFn, (OrtSessionOptions*, OrtCustomJoinThreadFn))                \
  F(204, OrtStatus*, SessionOptionsAppendExecutionProvider_CUDA_V2,                                                   \
    (OrtSessionOptions*, const OrtCUDAProviderOptionsV2*))                                                            \
  F(205, OrtStatus*, CreateCUDAProviderOptions, (OrtCUDAProviderOptionsV2**))                                         \
  F(206, OrtStatus*, UpdateCUDAProviderOptions,                                                                       \
    (OrtCUDAProviderOptionsV2*, const char* const* keys, const char* const* values, size_t count))                    \
  F(208, void, ReleaseCUDAProviderOptions, (OrtCUDAProviderOptionsV2*))                                               \
  F(216, OrtStatus*, SessionOptionsAppendExecutionProvider,                                                           \
    (OrtSessionOptions*, const char* provider, const char* const* keys, const char* const* values, size_t count))     \
  F(228, OrtStatus*, RegisterCustomOpsLibrary_V2, (OrtSessionOptions*, const char* path))                             \
  F(252, OrtStatus*, GetResizedStringTensorElementBuffer, (OrtValue*, size_t index, size_t length, char**))

namespace triton_ts {

/** The version of the API that is asked for: the oldest one with every function above, of ONNX Runtime 1.15. */
inline constexpr uint32_t kOrtApiVersion = 15;
/** How many functions the table of that version has at least. */
inline constexpr size_t kOrtTableSize = 253;

/** ONNX Runtime's functions by name, out of its table. */
struct OrtApi {
  explicit OrtApi(const void* const* table);

#define TRITON_TS_DECLARE(place, result, name, parameters) \
  using name##Function = result(*) parameters;             \
  name##Function name = nullptr;
  TRITON_TS_ORT_FUNCTIONS(TRITON_TS_DECLARE)
#undef TRITON_TS_DECLARE
};

/** The opened library's functions. Valid once `OpenOrtLibrary` has returned. */
const OrtApi& Ort();

/** @throws Error INTERNAL `onnx runtime error <code>: <text>`; nullptr is success. Takes `status` over. */
void CheckOrt(OrtStatus* status);

/**
 * Opens libonnxruntime, once for the process; it stays open, since its threads may outlive every session.
 * @param path of the library; empty: TRITON_TS_ONNXRUNTIME in the environment, the folder of this library, then what
 * the system finds under its usual name.
 * @throws Error UNAVAILABLE with what to do, INVALID_ARG when another one is open already.
 */
void OpenOrtLibrary(const std::string& path);

}  // namespace triton_ts
