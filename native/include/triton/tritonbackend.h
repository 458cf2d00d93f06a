/* The backend half of Triton's C ABI (backend API 1.19).
 * Written for triton-ts from the published ABI: names, numbers and signatures are Triton's,
 * the text is ours. The first part is what the host implements and a backend library imports;
 * the last part is what the backend library exports and the host looks up with dlsym.
 * The ownership rules at the top of tritonserver.h hold here too. */
#ifndef TRITON_TS_TRITONBACKEND_H
#define TRITON_TS_TRITONBACKEND_H

#include "tritonserver.h"

#define TRITONBACKEND_API_VERSION_MAJOR 1
#define TRITONBACKEND_API_VERSION_MINOR 19

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque objects. */
typedef struct TRITONBACKEND_Backend TRITONBACKEND_Backend;
typedef struct TRITONBACKEND_BackendAttribute TRITONBACKEND_BackendAttribute;
typedef struct TRITONBACKEND_MemoryManager TRITONBACKEND_MemoryManager;
typedef struct TRITONBACKEND_Model TRITONBACKEND_Model;
typedef struct TRITONBACKEND_ModelInstance TRITONBACKEND_ModelInstance;
typedef struct TRITONBACKEND_ModelInstanceResponseStatistics
    TRITONBACKEND_ModelInstanceResponseStatistics;
typedef struct TRITONBACKEND_Request TRITONBACKEND_Request;
typedef struct TRITONBACKEND_Input TRITONBACKEND_Input;
typedef struct TRITONBACKEND_Response TRITONBACKEND_Response;
typedef struct TRITONBACKEND_ResponseFactory TRITONBACKEND_ResponseFactory;
typedef struct TRITONBACKEND_Output TRITONBACKEND_Output;
typedef struct TRITONBACKEND_State TRITONBACKEND_State;
typedef struct TRITONBACKEND_Batcher TRITONBACKEND_Batcher;

typedef enum TRITONBACKEND_ArtifactType { TRITONBACKEND_ARTIFACT_FILESYSTEM = 0 } TRITONBACKEND_ArtifactType;
typedef enum TRITONBACKEND_ExecutionPolicy {
  TRITONBACKEND_EXECUTION_BLOCKING = 0, TRITONBACKEND_EXECUTION_DEVICE_BLOCKING = 1
} TRITONBACKEND_ExecutionPolicy;

/* ---- Implemented by the host ---- */

TRITON_API TRITONSERVER_Error* TRITONBACKEND_ApiVersion(uint32_t* major, uint32_t* minor);

/* Memory manager, borrowed from the backend. Free gets the type and id which Allocate was given. */
TRITON_API TRITONSERVER_Error* TRITONBACKEND_MemoryManagerAllocate(
    TRITONBACKEND_MemoryManager*, void** out, TRITONSERVER_MemoryType, int64_t mem_id, uint64_t n);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_MemoryManagerFree(
    TRITONBACKEND_MemoryManager*, void* buf, TRITONSERVER_MemoryType, int64_t mem_id);

/* Backend. All that it hands out is borrowed, the config message included. User state is the
 * library's own pointer (may be NULL): the host only keeps it. A new policy counts only if set in
 * TRITONBACKEND_Initialize. */
TRITON_API TRITONSERVER_Error* TRITONBACKEND_BackendName(TRITONBACKEND_Backend*, const char**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_BackendConfig(
    TRITONBACKEND_Backend*, TRITONSERVER_Message** borrowed);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_BackendExecutionPolicy(
    TRITONBACKEND_Backend*, TRITONBACKEND_ExecutionPolicy*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_BackendSetExecutionPolicy(
    TRITONBACKEND_Backend*, TRITONBACKEND_ExecutionPolicy);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_BackendArtifacts(
    TRITONBACKEND_Backend*, TRITONBACKEND_ArtifactType*, const char** dir);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_BackendMemoryManager(
    TRITONBACKEND_Backend*, TRITONBACKEND_MemoryManager**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_BackendState(TRITONBACKEND_Backend*, void**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_BackendSetState(TRITONBACKEND_Backend*, void*);

/* Backend attributes, filled in during GetBackendAttribute. Device ids may be NULL: host's choice. */
TRITON_API TRITONSERVER_Error* TRITONBACKEND_BackendAttributeAddPreferredInstanceGroup(
    TRITONBACKEND_BackendAttribute*, TRITONSERVER_InstanceGroupKind, uint64_t count,
    const uint64_t* ids, uint64_t id_count);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_BackendAttributeSetParallelModelInstanceLoading(
    TRITONBACKEND_BackendAttribute*, bool);

/* Model. ModelConfig gives the caller a message to delete; SetConfig leaves its message with the
 * caller, and works only inside ModelInitialize. Server and backend are borrowed. The usage
 * entries of ReportMemoryUsage stay the library's and may be freed right after the call. */
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelName(TRITONBACKEND_Model*, const char**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelVersion(TRITONBACKEND_Model*, uint64_t*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelRepository(
    TRITONBACKEND_Model*, TRITONBACKEND_ArtifactType*, const char** dir);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelConfig(
    TRITONBACKEND_Model*, uint32_t format, TRITONSERVER_Message** owned);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelAutoCompleteConfig(TRITONBACKEND_Model*, bool*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelSetConfig(
    TRITONBACKEND_Model*, uint32_t format, TRITONSERVER_Message*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelServer(TRITONBACKEND_Model*, TRITONSERVER_Server**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelBackend(
    TRITONBACKEND_Model*, TRITONBACKEND_Backend**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelState(TRITONBACKEND_Model*, void**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelSetState(TRITONBACKEND_Model*, void*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelReportMemoryUsage(
    TRITONBACKEND_Model*, TRITONSERVER_BufferAttributes** usage, uint32_t count);

/* Model instance. Everything is borrowed, the host policy message included. */
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceName(
    TRITONBACKEND_ModelInstance*, const char**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceKind(
    TRITONBACKEND_ModelInstance*, TRITONSERVER_InstanceGroupKind*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceDeviceId(
    TRITONBACKEND_ModelInstance*, int32_t*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceHostPolicy(
    TRITONBACKEND_ModelInstance*, TRITONSERVER_Message** borrowed);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceIsPassive(
    TRITONBACKEND_ModelInstance*, bool*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceProfileCount(
    TRITONBACKEND_ModelInstance*, uint32_t*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceProfileName(
    TRITONBACKEND_ModelInstance*, uint32_t i, const char**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceSecondaryDeviceCount(
    TRITONBACKEND_ModelInstance*, uint32_t*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceSecondaryDeviceProperties(
    TRITONBACKEND_ModelInstance*, uint32_t i, const char** kind, int64_t* id);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceModel(
    TRITONBACKEND_ModelInstance*, TRITONBACKEND_Model**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceState(TRITONBACKEND_ModelInstance*, void**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceSetState(
    TRITONBACKEND_ModelInstance*, void*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceReportMemoryUsage(
    TRITONBACKEND_ModelInstance*, TRITONSERVER_BufferAttributes** usage, uint32_t count);

/* Requests. What is read from a request dies with its release, and so do its inputs and trace
 * (NULL when it is not traced). The id may be NULL. A parameter's value points at the characters,
 * or at an int64_t, bool or double. Release passes the request to the host only when it succeeds.
 * OutputBufferProperties: name and size may be NULL; type and id are wish in, choice out;
 * TRITONSERVER_ERROR_UNAVAILABLE means that the host cannot tell. */
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestId(TRITONBACKEND_Request*, const char**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestCorrelationId(TRITONBACKEND_Request*, uint64_t*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestCorrelationIdString(
    TRITONBACKEND_Request*, const char**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestFlags(TRITONBACKEND_Request*, uint32_t*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_InferenceRequestTimeoutMicroseconds(
    TRITONBACKEND_Request*, uint64_t*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestIsCancelled(TRITONBACKEND_Request*, bool*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestTrace(
    TRITONBACKEND_Request*, TRITONSERVER_InferenceTrace** borrowed);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestParameterCount(TRITONBACKEND_Request*, uint32_t*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestParameter(
    TRITONBACKEND_Request*, uint32_t i, const char** key, TRITONSERVER_ParameterType*,
    const void** value);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestInputCount(TRITONBACKEND_Request*, uint32_t*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestInputName(
    TRITONBACKEND_Request*, uint32_t i, const char**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestInput(
    TRITONBACKEND_Request*, const char* name, TRITONBACKEND_Input**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestInputByIndex(
    TRITONBACKEND_Request*, uint32_t i, TRITONBACKEND_Input**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestOutputCount(TRITONBACKEND_Request*, uint32_t*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestOutputName(
    TRITONBACKEND_Request*, uint32_t i, const char**);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestOutputBufferProperties(
    TRITONBACKEND_Request*, const char* name, size_t* n, TRITONSERVER_MemoryType*, int64_t* mem_id);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_RequestRelease(TRITONBACKEND_Request*, uint32_t flags);

/* Inputs. Any out pointer of the Properties calls, and any policy name, may be NULL. Buffers and
 * attributes are borrowed, read-only; memory type and id of a Buffer call are wish in, fact out. */
TRITON_API TRITONSERVER_Error* TRITONBACKEND_InputProperties(
    TRITONBACKEND_Input*, const char** name, TRITONSERVER_DataType*, const int64_t** shape,
    uint32_t* rank, uint64_t* n, uint32_t* buffers);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_InputPropertiesForHostPolicy(
    TRITONBACKEND_Input*, const char* policy, const char** name, TRITONSERVER_DataType*,
    const int64_t** shape, uint32_t* rank, uint64_t* n, uint32_t* buffers);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_InputBuffer(
    TRITONBACKEND_Input*, uint32_t i, const void** buf, uint64_t* n, TRITONSERVER_MemoryType*,
    int64_t* mem_id);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_InputBufferForHostPolicy(
    TRITONBACKEND_Input*, const char* policy, uint32_t i, const void** buf, uint64_t* n,
    TRITONSERVER_MemoryType*, int64_t* mem_id);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_InputBufferAttributes(
    TRITONBACKEND_Input*, uint32_t i, const void** buf, TRITONSERVER_BufferAttributes** borrowed);

/* Response factories: made from a request, usable after its release, deleted by the library. */
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ResponseFactoryNew(
    TRITONBACKEND_ResponseFactory** out, TRITONBACKEND_Request*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ResponseFactoryDelete(TRITONBACKEND_ResponseFactory*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ResponseFactorySendFlags(
    TRITONBACKEND_ResponseFactory*, uint32_t flags);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ResponseFactoryIsCancelled(
    TRITONBACKEND_ResponseFactory*, bool*);

/* Responses. Send always takes the response but never its error, which the library deletes
 * (NULL: success). Delete is only for a response that is not sent. Outputs live in the response. */
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ResponseNew(
    TRITONBACKEND_Response** out, TRITONBACKEND_Request*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ResponseNewFromFactory(
    TRITONBACKEND_Response** out, TRITONBACKEND_ResponseFactory*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ResponseDelete(TRITONBACKEND_Response*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ResponseSend(
    TRITONBACKEND_Response*, uint32_t flags, TRITONSERVER_Error*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ResponseSetStringParameter(
    TRITONBACKEND_Response*, const char* key, const char*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ResponseSetIntParameter(
    TRITONBACKEND_Response*, const char* key, int64_t);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ResponseSetBoolParameter(
    TRITONBACKEND_Response*, const char* key, bool);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ResponseSetDoubleParameter(
    TRITONBACKEND_Response*, const char* key, double);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ResponseOutput(
    TRITONBACKEND_Response*, TRITONBACKEND_Output** out, const char* name, TRITONSERVER_DataType,
    const int64_t* shape, uint32_t rank);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_InferenceResponseOutput(
    TRITONBACKEND_Response*, uint32_t i, const char** name, TRITONSERVER_DataType*,
    const int64_t** shape, uint64_t* rank);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_InferenceResponseOutputByName(
    TRITONBACKEND_Response*, const char* name, TRITONSERVER_DataType*, const int64_t** shape,
    uint64_t* rank);

/* Output and state buffers: allocated and owned by the host, written by the library; memory type
 * and id are wish in, fact out. Attributes are borrowed; ask for the buffer first. */
TRITON_API TRITONSERVER_Error* TRITONBACKEND_OutputBuffer(
    TRITONBACKEND_Output*, void** buf, uint64_t n, TRITONSERVER_MemoryType*, int64_t* mem_id);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_OutputBufferAttributes(
    TRITONBACKEND_Output*, TRITONSERVER_BufferAttributes** borrowed);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_StateBuffer(
    TRITONBACKEND_State*, void** buf, uint64_t n, TRITONSERVER_MemoryType*, int64_t* mem_id);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_StateBufferAttributes(
    TRITONBACKEND_State*, TRITONSERVER_BufferAttributes** borrowed);

/* Sequence state. Despite its name StateNew hands out a borrowed object: valid until StateUpdate
 * or, without it, as long as the request. Fails for a model without that state in its config. */
TRITON_API TRITONSERVER_Error* TRITONBACKEND_StateNew(
    TRITONBACKEND_State** borrowed, TRITONBACKEND_Request*, const char* name, TRITONSERVER_DataType,
    const int64_t* shape, uint32_t rank);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_StateUpdate(TRITONBACKEND_State*);

/* Statistics, in nanoseconds; per request (before its release) and per executed batch. */
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceReportStatistics(
    TRITONBACKEND_ModelInstance*, TRITONBACKEND_Request*, bool ok, uint64_t exec_start,
    uint64_t compute_start, uint64_t compute_end, uint64_t exec_end);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceReportBatchStatistics(
    TRITONBACKEND_ModelInstance*, uint64_t batch, uint64_t exec_start, uint64_t compute_start,
    uint64_t compute_end, uint64_t exec_end);

/* Statistics per response. The record refers to what is set on it and owns none of it; reporting
 * only reads the record, which the library deletes. */
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsNew(
    TRITONBACKEND_ModelInstanceResponseStatistics** out);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsDelete(
    TRITONBACKEND_ModelInstanceResponseStatistics*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsSetModelInstance(
    TRITONBACKEND_ModelInstanceResponseStatistics*, TRITONBACKEND_ModelInstance*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsSetResponseFactory(
    TRITONBACKEND_ModelInstanceResponseStatistics*, TRITONBACKEND_ResponseFactory*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsSetResponseStart(
    TRITONBACKEND_ModelInstanceResponseStatistics*, uint64_t);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsSetComputeOutputStart(
    TRITONBACKEND_ModelInstanceResponseStatistics*, uint64_t);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsSetResponseEnd(
    TRITONBACKEND_ModelInstanceResponseStatistics*, uint64_t);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsSetError(
    TRITONBACKEND_ModelInstanceResponseStatistics*, TRITONSERVER_Error*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceReportResponseStatistics(
    TRITONBACKEND_ModelInstanceResponseStatistics*);

/* ---- Exported by the backend library: declared for their types, never defined by the host ---- */

/* Life cycle. Only Execute is required. When Execute succeeds the library owns the requests (it
 * answers and releases each), when it fails the host keeps them; the array is the host's either
 * way. The host never runs two Executes of one instance at a time. */
TRITON_API TRITONSERVER_Error* TRITONBACKEND_Initialize(TRITONBACKEND_Backend*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_Finalize(TRITONBACKEND_Backend*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_GetBackendAttribute(
    TRITONBACKEND_Backend*, TRITONBACKEND_BackendAttribute* fill);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelFinalize(TRITONBACKEND_Model*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceInitialize(TRITONBACKEND_ModelInstance*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceFinalize(TRITONBACKEND_ModelInstance*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceReady(TRITONBACKEND_ModelInstance*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(
    TRITONBACKEND_ModelInstance*, TRITONBACKEND_Request** requests, uint32_t count);

/* Custom batching: all five or none. The batcher is the library's own data, one per model, made at
 * load and freed at unload; `userp` is its note on the batch which is being formed. */
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelBatcherInitialize(
    TRITONBACKEND_Batcher** out, TRITONBACKEND_Model*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelBatcherFinalize(TRITONBACKEND_Batcher*);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelBatchInitialize(
    const TRITONBACKEND_Batcher*, void** userp);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelBatchIncludeRequest(
    TRITONBACKEND_Request*, void* userp, bool* include);
TRITON_API TRITONSERVER_Error* TRITONBACKEND_ModelBatchFinalize(void* userp);

#ifdef __cplusplus
}
#endif
#endif
