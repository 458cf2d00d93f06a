/* The server half of Triton's C ABI (API 1.34), as a backend library sees it.
 * Written for triton-ts from the published ABI: names, numbers and signatures are Triton's,
 * the text is ours. Calls that only an embedding program makes (server options, start, stop,
 * repository registration) are left out.
 *
 * Rules that hold throughout, unless a group says otherwise:
 *  - A TRITONSERVER_Error* result is NULL on success; otherwise the caller deletes it.
 *  - What a ...New call hands out belongs to the caller, who passes it to the matching ...Delete.
 *  - Strings, shapes and buffers read out of an object are borrowed from it and die with it.
 *  - Strings passed in are copied by the callee before it returns. */
#ifndef TRITON_TS_TRITONSERVER_H
#define TRITON_TS_TRITONSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef TRITON_API
#if defined(__GNUC__)
#define TRITON_API __attribute__((visibility("default")))
#else
#define TRITON_API
#endif
#endif

#define TRITONSERVER_API_VERSION_MAJOR 1
#define TRITONSERVER_API_VERSION_MINOR 34

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque objects. */
typedef struct TRITONSERVER_Error TRITONSERVER_Error;
typedef struct TRITONSERVER_Server TRITONSERVER_Server;
typedef struct TRITONSERVER_Message TRITONSERVER_Message;
typedef struct TRITONSERVER_Parameter TRITONSERVER_Parameter;
typedef struct TRITONSERVER_BufferAttributes TRITONSERVER_BufferAttributes;
typedef struct TRITONSERVER_ResponseAllocator TRITONSERVER_ResponseAllocator;
typedef struct TRITONSERVER_InferenceRequest TRITONSERVER_InferenceRequest;
typedef struct TRITONSERVER_InferenceResponse TRITONSERVER_InferenceResponse;
typedef struct TRITONSERVER_InferenceTrace TRITONSERVER_InferenceTrace;
typedef struct TRITONSERVER_Metrics TRITONSERVER_Metrics;
typedef struct TRITONSERVER_MetricFamily TRITONSERVER_MetricFamily;
typedef struct TRITONSERVER_Metric TRITONSERVER_Metric;
typedef struct TRITONSERVER_MetricArgs TRITONSERVER_MetricArgs;

/* Plain enumerations. */
typedef enum TRITONSERVER_Error_Code {
  TRITONSERVER_ERROR_UNKNOWN = 0, TRITONSERVER_ERROR_INTERNAL = 1,
  TRITONSERVER_ERROR_NOT_FOUND = 2, TRITONSERVER_ERROR_INVALID_ARG = 3,
  TRITONSERVER_ERROR_UNAVAILABLE = 4, TRITONSERVER_ERROR_UNSUPPORTED = 5,
  TRITONSERVER_ERROR_ALREADY_EXISTS = 6, TRITONSERVER_ERROR_CANCELLED = 7
} TRITONSERVER_Error_Code;
typedef enum TRITONSERVER_DataType {
  TRITONSERVER_TYPE_INVALID = 0, TRITONSERVER_TYPE_BOOL = 1,
  TRITONSERVER_TYPE_UINT8 = 2, TRITONSERVER_TYPE_UINT16 = 3,
  TRITONSERVER_TYPE_UINT32 = 4, TRITONSERVER_TYPE_UINT64 = 5,
  TRITONSERVER_TYPE_INT8 = 6, TRITONSERVER_TYPE_INT16 = 7,
  TRITONSERVER_TYPE_INT32 = 8, TRITONSERVER_TYPE_INT64 = 9,
  TRITONSERVER_TYPE_FP16 = 10, TRITONSERVER_TYPE_FP32 = 11, TRITONSERVER_TYPE_FP64 = 12,
  TRITONSERVER_TYPE_BYTES = 13, TRITONSERVER_TYPE_BF16 = 14
} TRITONSERVER_DataType;
typedef enum TRITONSERVER_MemoryType {
  TRITONSERVER_MEMORY_CPU = 0, TRITONSERVER_MEMORY_CPU_PINNED = 1, TRITONSERVER_MEMORY_GPU = 2
} TRITONSERVER_MemoryType;
typedef enum TRITONSERVER_ParameterType {
  TRITONSERVER_PARAMETER_STRING = 0, TRITONSERVER_PARAMETER_INT = 1,
  TRITONSERVER_PARAMETER_BOOL = 2, TRITONSERVER_PARAMETER_DOUBLE = 3,
  TRITONSERVER_PARAMETER_BYTES = 4
} TRITONSERVER_ParameterType;
typedef enum TRITONSERVER_InstanceGroupKind {
  TRITONSERVER_INSTANCEGROUPKIND_AUTO = 0, TRITONSERVER_INSTANCEGROUPKIND_CPU = 1,
  TRITONSERVER_INSTANCEGROUPKIND_GPU = 2, TRITONSERVER_INSTANCEGROUPKIND_MODEL = 3
} TRITONSERVER_InstanceGroupKind;
typedef enum TRITONSERVER_LogLevel {
  TRITONSERVER_LOG_INFO = 0, TRITONSERVER_LOG_WARN = 1,
  TRITONSERVER_LOG_ERROR = 2, TRITONSERVER_LOG_VERBOSE = 3
} TRITONSERVER_LogLevel;
typedef enum TRITONSERVER_LogFormat {
  TRITONSERVER_LOG_DEFAULT = 0, TRITONSERVER_LOG_ISO8601 = 1
} TRITONSERVER_LogFormat;
typedef enum TRITONSERVER_MetricFormat { TRITONSERVER_METRIC_PROMETHEUS = 0 } TRITONSERVER_MetricFormat;
typedef enum TRITONSERVER_MetricKind {
  TRITONSERVER_METRIC_KIND_COUNTER = 0, TRITONSERVER_METRIC_KIND_GAUGE = 1,
  TRITONSERVER_METRIC_KIND_HISTOGRAM = 2
} TRITONSERVER_MetricKind;
typedef enum TRITONSERVER_InferenceTraceActivity {
  TRITONSERVER_TRACE_REQUEST_START = 0, TRITONSERVER_TRACE_QUEUE_START = 1,
  TRITONSERVER_TRACE_COMPUTE_START = 2, TRITONSERVER_TRACE_COMPUTE_INPUT_END = 3,
  TRITONSERVER_TRACE_COMPUTE_OUTPUT_START = 4, TRITONSERVER_TRACE_COMPUTE_END = 5,
  TRITONSERVER_TRACE_REQUEST_END = 6, TRITONSERVER_TRACE_TENSOR_QUEUE_INPUT = 7,
  TRITONSERVER_TRACE_TENSOR_BACKEND_INPUT = 8, TRITONSERVER_TRACE_TENSOR_BACKEND_OUTPUT = 9,
  TRITONSERVER_TRACE_CUSTOM_ACTIVITY = 10
} TRITONSERVER_InferenceTraceActivity;
typedef enum TRITONSERVER_ModelControlMode {
  TRITONSERVER_MODEL_CONTROL_NONE = 0, TRITONSERVER_MODEL_CONTROL_POLL = 1,
  TRITONSERVER_MODEL_CONTROL_EXPLICIT = 2
} TRITONSERVER_ModelControlMode;
typedef enum TRITONSERVER_RateLimitMode {
  TRITONSERVER_RATE_LIMIT_OFF = 0, TRITONSERVER_RATE_LIMIT_EXEC_COUNT = 1
} TRITONSERVER_RateLimitMode;

/* Bit sets; they travel as uint32_t, except the trace level. */
typedef enum TRITONSERVER_InferenceTraceLevel {
  TRITONSERVER_TRACE_LEVEL_DISABLED = 0,
  TRITONSERVER_TRACE_LEVEL_MIN = 1, TRITONSERVER_TRACE_LEVEL_MAX = 2, /* both outdated */
  TRITONSERVER_TRACE_LEVEL_TIMESTAMPS = 4, TRITONSERVER_TRACE_LEVEL_TENSORS = 8
} TRITONSERVER_InferenceTraceLevel;
typedef enum TRITONSERVER_RequestFlag {
  TRITONSERVER_REQUEST_FLAG_SEQUENCE_START = 1, TRITONSERVER_REQUEST_FLAG_SEQUENCE_END = 2
} TRITONSERVER_RequestFlag;
typedef enum TRITONSERVER_RequestReleaseFlag {
  TRITONSERVER_REQUEST_RELEASE_ALL = 1, TRITONSERVER_REQUEST_RELEASE_RESCHEDULE = 2
} TRITONSERVER_RequestReleaseFlag;
typedef enum TRITONSERVER_ResponseCompleteFlag {
  TRITONSERVER_RESPONSE_COMPLETE_FINAL = 1
} TRITONSERVER_ResponseCompleteFlag;
typedef enum TRITONSERVER_ModelBatchFlag {
  TRITONSERVER_BATCH_UNKNOWN = 1, TRITONSERVER_BATCH_FIRST_DIM = 2
} TRITONSERVER_ModelBatchFlag;
typedef enum TRITONSERVER_ModelIndexFlag { TRITONSERVER_INDEX_FLAG_READY = 1 } TRITONSERVER_ModelIndexFlag;
typedef enum TRITONSERVER_ModelTxnPropertyFlag {
  TRITONSERVER_TXN_ONE_TO_ONE = 1, TRITONSERVER_TXN_DECOUPLED = 2
} TRITONSERVER_ModelTxnPropertyFlag;

/* Version, and names of enumerators: the strings are static. BYTES has byte size 0. */
TRITON_API TRITONSERVER_Error* TRITONSERVER_ApiVersion(uint32_t* major, uint32_t* minor);
TRITON_API const char* TRITONSERVER_DataTypeString(TRITONSERVER_DataType);
TRITON_API TRITONSERVER_DataType TRITONSERVER_StringToDataType(const char*);
TRITON_API uint32_t TRITONSERVER_DataTypeByteSize(TRITONSERVER_DataType);
TRITON_API const char* TRITONSERVER_MemoryTypeString(TRITONSERVER_MemoryType);
TRITON_API const char* TRITONSERVER_ParameterTypeString(TRITONSERVER_ParameterType);
TRITON_API const char* TRITONSERVER_InstanceGroupKindString(TRITONSERVER_InstanceGroupKind);
TRITON_API const char* TRITONSERVER_InferenceTraceLevelString(TRITONSERVER_InferenceTraceLevel);
TRITON_API const char* TRITONSERVER_InferenceTraceActivityString(TRITONSERVER_InferenceTraceActivity);

/* Errors and logging. Message and code string live as long as the error. */
TRITON_API TRITONSERVER_Error* TRITONSERVER_ErrorNew(TRITONSERVER_Error_Code, const char* msg);
TRITON_API void TRITONSERVER_ErrorDelete(TRITONSERVER_Error*);
TRITON_API TRITONSERVER_Error_Code TRITONSERVER_ErrorCode(TRITONSERVER_Error*);
TRITON_API const char* TRITONSERVER_ErrorCodeString(TRITONSERVER_Error*);
TRITON_API const char* TRITONSERVER_ErrorMessage(TRITONSERVER_Error*);
TRITON_API bool TRITONSERVER_LogIsEnabled(TRITONSERVER_LogLevel);
TRITON_API TRITONSERVER_Error* TRITONSERVER_LogMessage(
    TRITONSERVER_LogLevel, const char* file, int line, const char* msg);

/* Parameters. New copies the value (a char*, or a pointer to int64_t, bool or double) and gives
 * NULL for type BYTES; BytesNew keeps the pointer, so the bytes must outlive the parameter. */
TRITON_API TRITONSERVER_Parameter* TRITONSERVER_ParameterNew(
    const char* name, TRITONSERVER_ParameterType, const void* value);
TRITON_API TRITONSERVER_Parameter* TRITONSERVER_ParameterBytesNew(
    const char* name, const void* bytes, uint64_t n);
TRITON_API void TRITONSERVER_ParameterDelete(TRITONSERVER_Parameter*);

/* JSON messages. The text has a length and need not end in NUL; the serialised form is borrowed. */
TRITON_API TRITONSERVER_Error* TRITONSERVER_MessageNewFromSerializedJson(
    TRITONSERVER_Message** out, const char* json, size_t n);
TRITON_API TRITONSERVER_Error* TRITONSERVER_MessageDelete(TRITONSERVER_Message*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_MessageSerializeToJson(
    TRITONSERVER_Message*, const char** json, size_t* n);

/* Buffer attributes. Set copies the 64 bytes of the IPC handle; the getter lends them (NULL: none). */
TRITON_API TRITONSERVER_Error* TRITONSERVER_BufferAttributesNew(TRITONSERVER_BufferAttributes** out);
TRITON_API TRITONSERVER_Error* TRITONSERVER_BufferAttributesDelete(TRITONSERVER_BufferAttributes*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_BufferAttributesMemoryType(
    TRITONSERVER_BufferAttributes*, TRITONSERVER_MemoryType* out);
TRITON_API TRITONSERVER_Error* TRITONSERVER_BufferAttributesSetMemoryType(
    TRITONSERVER_BufferAttributes*, TRITONSERVER_MemoryType);
TRITON_API TRITONSERVER_Error* TRITONSERVER_BufferAttributesMemoryTypeId(
    TRITONSERVER_BufferAttributes*, int64_t* out);
TRITON_API TRITONSERVER_Error* TRITONSERVER_BufferAttributesSetMemoryTypeId(
    TRITONSERVER_BufferAttributes*, int64_t id);
TRITON_API TRITONSERVER_Error* TRITONSERVER_BufferAttributesByteSize(
    TRITONSERVER_BufferAttributes*, size_t* out);
TRITON_API TRITONSERVER_Error* TRITONSERVER_BufferAttributesSetByteSize(
    TRITONSERVER_BufferAttributes*, size_t n);
TRITON_API TRITONSERVER_Error* TRITONSERVER_BufferAttributesCudaIpcHandle(
    TRITONSERVER_BufferAttributes*, void** out);
TRITON_API TRITONSERVER_Error* TRITONSERVER_BufferAttributesSetCudaIpcHandle(
    TRITONSERVER_BufferAttributes*, void* handle);

/* Response allocator. `userp` is the pointer given with SetResponseCallback; `bufp` is what Alloc
 * chose to keep with its buffer (may be NULL) and comes back at Release, which runs when the
 * response is deleted. In Query, name and size may be NULL (unknown), and memory type and id go in
 * as the wish and come out as the choice. Start, Query and BufferAttributes are optional. A
 * non-NULL error returned by a callback passes to the host. The allocator outlives its requests. */
typedef TRITONSERVER_Error* (*TRITONSERVER_ResponseAllocatorAllocFn_t)(
    TRITONSERVER_ResponseAllocator*, const char* tensor, size_t n, TRITONSERVER_MemoryType wish,
    int64_t wish_id, void* userp, void** buf, void** bufp, TRITONSERVER_MemoryType* got,
    int64_t* got_id);
typedef TRITONSERVER_Error* (*TRITONSERVER_ResponseAllocatorReleaseFn_t)(
    TRITONSERVER_ResponseAllocator*, void* buf, void* bufp, size_t n, TRITONSERVER_MemoryType,
    int64_t mem_id);
typedef TRITONSERVER_Error* (*TRITONSERVER_ResponseAllocatorStartFn_t)(
    TRITONSERVER_ResponseAllocator*, void* userp);
typedef TRITONSERVER_Error* (*TRITONSERVER_ResponseAllocatorQueryFn_t)(
    TRITONSERVER_ResponseAllocator*, void* userp, const char* tensor, size_t* n,
    TRITONSERVER_MemoryType* mem, int64_t* mem_id);
typedef TRITONSERVER_Error* (*TRITONSERVER_ResponseAllocatorBufferAttributesFn_t)(
    TRITONSERVER_ResponseAllocator*, const char* tensor, TRITONSERVER_BufferAttributes* fill,
    void* userp, void* bufp);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ResponseAllocatorNew(
    TRITONSERVER_ResponseAllocator** out, TRITONSERVER_ResponseAllocatorAllocFn_t,
    TRITONSERVER_ResponseAllocatorReleaseFn_t, TRITONSERVER_ResponseAllocatorStartFn_t);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ResponseAllocatorSetBufferAttributesFunction(
    TRITONSERVER_ResponseAllocator*, TRITONSERVER_ResponseAllocatorBufferAttributesFn_t);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ResponseAllocatorSetQueryFunction(
    TRITONSERVER_ResponseAllocator*, TRITONSERVER_ResponseAllocatorQueryFn_t);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ResponseAllocatorDelete(TRITONSERVER_ResponseAllocator*);

/* Traces. Activity callbacks only look at the trace; the release callback receives ownership and
 * deletes it. A child belongs to the caller until it is passed to ServerInferAsync. */
typedef void (*TRITONSERVER_InferenceTraceActivityFn_t)(
    TRITONSERVER_InferenceTrace*, TRITONSERVER_InferenceTraceActivity, uint64_t ns, void* userp);
typedef void (*TRITONSERVER_InferenceTraceTensorActivityFn_t)(
    TRITONSERVER_InferenceTrace*, TRITONSERVER_InferenceTraceActivity, const char* tensor,
    TRITONSERVER_DataType, const void* data, size_t n, const int64_t* shape, uint64_t rank,
    TRITONSERVER_MemoryType, int64_t mem_id, void* userp);
typedef void (*TRITONSERVER_InferenceTraceReleaseFn_t)(TRITONSERVER_InferenceTrace*, void* userp);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceTraceNew(
    TRITONSERVER_InferenceTrace** out, TRITONSERVER_InferenceTraceLevel, uint64_t parent,
    TRITONSERVER_InferenceTraceActivityFn_t, TRITONSERVER_InferenceTraceReleaseFn_t, void* userp);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceTraceTensorNew(
    TRITONSERVER_InferenceTrace** out, TRITONSERVER_InferenceTraceLevel, uint64_t parent,
    TRITONSERVER_InferenceTraceActivityFn_t, TRITONSERVER_InferenceTraceTensorActivityFn_t,
    TRITONSERVER_InferenceTraceReleaseFn_t, void* userp);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceTraceDelete(TRITONSERVER_InferenceTrace*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceTraceSpawnChildTrace(
    TRITONSERVER_InferenceTrace*, TRITONSERVER_InferenceTrace** child);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceTraceReportActivity(
    TRITONSERVER_InferenceTrace*, uint64_t ns, const char* activity);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceTraceId(TRITONSERVER_InferenceTrace*, uint64_t*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceTraceParentId(
    TRITONSERVER_InferenceTrace*, uint64_t*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceTraceModelName(
    TRITONSERVER_InferenceTrace*, const char**);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceTraceModelVersion(
    TRITONSERVER_InferenceTrace*, int64_t*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceTraceRequestId(
    TRITONSERVER_InferenceTrace*, const char**);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceTraceContext(
    TRITONSERVER_InferenceTrace*, const char**);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceTraceSetContext(
    TRITONSERVER_InferenceTrace*, const char*);

/* Requests: life. Version -1 lets the model's policy choose. The release callback gives the
 * request back to its maker (check for RELEASE_ALL); the complete callback owns each response,
 * which is NULL when only the FINAL flag arrives. Not to be deleted while in flight. */
typedef void (*TRITONSERVER_InferenceRequestReleaseFn_t)(
    TRITONSERVER_InferenceRequest*, uint32_t flags, void* userp);
typedef void (*TRITONSERVER_InferenceResponseCompleteFn_t)(
    TRITONSERVER_InferenceResponse*, uint32_t flags, void* userp);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestNew(
    TRITONSERVER_InferenceRequest** out, TRITONSERVER_Server*, const char* model, int64_t version);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestDelete(TRITONSERVER_InferenceRequest*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetReleaseCallback(
    TRITONSERVER_InferenceRequest*, TRITONSERVER_InferenceRequestReleaseFn_t, void* userp);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetResponseCallback(
    TRITONSERVER_InferenceRequest*, TRITONSERVER_ResponseAllocator*, void* alloc_userp,
    TRITONSERVER_InferenceResponseCompleteFn_t, void* complete_userp);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestCancel(TRITONSERVER_InferenceRequest*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestIsCancelled(
    TRITONSERVER_InferenceRequest*, bool*);

/* Requests: properties. A correlation id is a number or a string; reading the other kind fails. */
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestId(
    TRITONSERVER_InferenceRequest*, const char**);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetId(
    TRITONSERVER_InferenceRequest*, const char*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestFlags(
    TRITONSERVER_InferenceRequest*, uint32_t*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetFlags(
    TRITONSERVER_InferenceRequest*, uint32_t);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestCorrelationId(
    TRITONSERVER_InferenceRequest*, uint64_t*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetCorrelationId(
    TRITONSERVER_InferenceRequest*, uint64_t);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestCorrelationIdString(
    TRITONSERVER_InferenceRequest*, const char**);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetCorrelationIdString(
    TRITONSERVER_InferenceRequest*, const char*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestPriority(
    TRITONSERVER_InferenceRequest*, uint32_t*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetPriority(
    TRITONSERVER_InferenceRequest*, uint32_t);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestPriorityUInt64(
    TRITONSERVER_InferenceRequest*, uint64_t*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetPriorityUInt64(
    TRITONSERVER_InferenceRequest*, uint64_t);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestTimeoutMicroseconds(
    TRITONSERVER_InferenceRequest*, uint64_t*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetTimeoutMicroseconds(
    TRITONSERVER_InferenceRequest*, uint64_t);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetStringParameter(
    TRITONSERVER_InferenceRequest*, const char* key, const char*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetIntParameter(
    TRITONSERVER_InferenceRequest*, const char* key, int64_t);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetBoolParameter(
    TRITONSERVER_InferenceRequest*, const char* key, bool);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetDoubleParameter(
    TRITONSERVER_InferenceRequest*, const char* key, double);

/* Requests: tensors. Input data is referenced, not copied: it stays untouched until the request is
 * deleted or the input (or its data) is removed. The shape is copied; attributes are only read. */
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestAddInput(
    TRITONSERVER_InferenceRequest*, const char* name, TRITONSERVER_DataType, const int64_t* shape,
    uint64_t rank);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestAddRawInput(
    TRITONSERVER_InferenceRequest*, const char* name);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestRemoveInput(
    TRITONSERVER_InferenceRequest*, const char* name);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestRemoveAllInputs(
    TRITONSERVER_InferenceRequest*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestAppendInputData(
    TRITONSERVER_InferenceRequest*, const char* name, const void* data, size_t n,
    TRITONSERVER_MemoryType, int64_t mem_id);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestAppendInputDataWithHostPolicy(
    TRITONSERVER_InferenceRequest*, const char* name, const void* data, size_t n,
    TRITONSERVER_MemoryType, int64_t mem_id, const char* policy);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestAppendInputDataWithBufferAttributes(
    TRITONSERVER_InferenceRequest*, const char* name, const void* data,
    TRITONSERVER_BufferAttributes*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestRemoveAllInputData(
    TRITONSERVER_InferenceRequest*, const char* name);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestAddRequestedOutput(
    TRITONSERVER_InferenceRequest*, const char* name);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestRemoveRequestedOutput(
    TRITONSERVER_InferenceRequest*, const char* name);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceRequestRemoveAllRequestedOutputs(
    TRITONSERVER_InferenceRequest*);

/* Responses. The result of ...Error is the response's own outcome (NULL: it succeeded), made anew for each call
 * and deleted by the caller, whatever upstream's comment says. A label is NULL where there is none. */
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceResponseDelete(TRITONSERVER_InferenceResponse*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceResponseError(TRITONSERVER_InferenceResponse*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceResponseModel(
    TRITONSERVER_InferenceResponse*, const char** name, int64_t* version);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceResponseId(
    TRITONSERVER_InferenceResponse*, const char**);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceResponseParameterCount(
    TRITONSERVER_InferenceResponse*, uint32_t*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceResponseParameter(
    TRITONSERVER_InferenceResponse*, uint32_t i, const char** name, TRITONSERVER_ParameterType*,
    const void** value);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceResponseOutputCount(
    TRITONSERVER_InferenceResponse*, uint32_t*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceResponseOutput(
    TRITONSERVER_InferenceResponse*, uint32_t i, const char** name, TRITONSERVER_DataType*,
    const int64_t** shape, uint64_t* rank, const void** data, size_t* n, TRITONSERVER_MemoryType*,
    int64_t* mem_id, void** bufp);
TRITON_API TRITONSERVER_Error* TRITONSERVER_InferenceResponseOutputClassificationLabel(
    TRITONSERVER_InferenceResponse*, uint32_t i, size_t cls, const char** label);

/* The server, borrowed from the model. Messages and metrics handed out belong to the caller.
 * InferAsync always takes the trace (may be NULL), but the request only when it succeeds. */
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerIsLive(TRITONSERVER_Server*, bool*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerIsReady(TRITONSERVER_Server*, bool*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerMetadata(
    TRITONSERVER_Server*, TRITONSERVER_Message** out);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerMetrics(
    TRITONSERVER_Server*, TRITONSERVER_Metrics** out);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerModelIndex(
    TRITONSERVER_Server*, uint32_t flags, TRITONSERVER_Message** out);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerModelIsReady(
    TRITONSERVER_Server*, const char* model, int64_t version, bool*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerModelBatchProperties(
    TRITONSERVER_Server*, const char* model, int64_t version, uint32_t* flags, void** extra);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerModelTransactionProperties(
    TRITONSERVER_Server*, const char* model, int64_t version, uint32_t* flags, void** extra);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerModelMetadata(
    TRITONSERVER_Server*, const char* model, int64_t version, TRITONSERVER_Message** out);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerModelStatistics(
    TRITONSERVER_Server*, const char* model, int64_t version, TRITONSERVER_Message** out);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerModelConfig(
    TRITONSERVER_Server*, const char* model, int64_t version, uint32_t format,
    TRITONSERVER_Message** out);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerLoadModel(TRITONSERVER_Server*, const char* model);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerLoadModelWithParameters(
    TRITONSERVER_Server*, const char* model, const TRITONSERVER_Parameter** params, uint64_t count);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerUnloadModel(TRITONSERVER_Server*, const char* model);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerUnloadModelAndDependents(
    TRITONSERVER_Server*, const char* model);
TRITON_API TRITONSERVER_Error* TRITONSERVER_ServerInferAsync(
    TRITONSERVER_Server*, TRITONSERVER_InferenceRequest*, TRITONSERVER_InferenceTrace*);

/* Metrics. The formatted text is borrowed. Labels and args may go once the metric exists; deleting
 * a family which still has metrics is an error. Observe is for histograms only. */
TRITON_API TRITONSERVER_Error* TRITONSERVER_MetricsDelete(TRITONSERVER_Metrics*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_MetricsFormatted(
    TRITONSERVER_Metrics*, TRITONSERVER_MetricFormat, const char** text, size_t* n);
TRITON_API TRITONSERVER_Error* TRITONSERVER_MetricFamilyNew(
    TRITONSERVER_MetricFamily** out, TRITONSERVER_MetricKind, const char* name, const char* help);
TRITON_API TRITONSERVER_Error* TRITONSERVER_MetricFamilyDelete(TRITONSERVER_MetricFamily*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_GetMetricFamilyKind(
    TRITONSERVER_MetricFamily*, TRITONSERVER_MetricKind*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_MetricArgsNew(TRITONSERVER_MetricArgs** out);
TRITON_API TRITONSERVER_Error* TRITONSERVER_MetricArgsSetHistogram(
    TRITONSERVER_MetricArgs*, const double* bounds, uint64_t count);
TRITON_API TRITONSERVER_Error* TRITONSERVER_MetricArgsDelete(TRITONSERVER_MetricArgs*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_MetricNew(
    TRITONSERVER_Metric** out, TRITONSERVER_MetricFamily*, const TRITONSERVER_Parameter** labels,
    uint64_t count);
TRITON_API TRITONSERVER_Error* TRITONSERVER_MetricNewWithArgs(
    TRITONSERVER_Metric** out, TRITONSERVER_MetricFamily*, const TRITONSERVER_Parameter** labels,
    uint64_t count, const TRITONSERVER_MetricArgs*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_MetricDelete(TRITONSERVER_Metric*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_MetricValue(TRITONSERVER_Metric*, double*);
TRITON_API TRITONSERVER_Error* TRITONSERVER_MetricIncrement(TRITONSERVER_Metric*, double);
TRITON_API TRITONSERVER_Error* TRITONSERVER_MetricSet(TRITONSERVER_Metric*, double);
TRITON_API TRITONSERVER_Error* TRITONSERVER_MetricObserve(TRITONSERVER_Metric*, double);
TRITON_API TRITONSERVER_Error* TRITONSERVER_GetMetricKind(
    TRITONSERVER_Metric*, TRITONSERVER_MetricKind*);

#ifdef __cplusplus
}
#endif
#endif
