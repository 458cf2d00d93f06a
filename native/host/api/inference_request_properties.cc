// TRITONSERVER_InferenceRequest*: properties and parameters.
#include <limits>

#include "boundary.h"
#include "inference_request.h"

using namespace triton_ts;

namespace {

/// Triton's rule for ids of sequences.
constexpr size_t kMaxCorrelationText = 128;

template <typename Stored, typename Value>
TRITONSERVER_Error* add_parameter(TRITONSERVER_InferenceRequest* request, const char* key,
                                  TRITONSERVER_ParameterType type, Value value) {
  return at_boundary([&] { request->parameters.push_back({key, type, Stored(value)}); });
}

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONSERVER_InferenceRequestId(TRITONSERVER_InferenceRequest* request, const char** out) {
  set(out, request->id.c_str());
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetId(TRITONSERVER_InferenceRequest* request, const char* id) {
  return at_boundary([&] { request->id = id; });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestFlags(TRITONSERVER_InferenceRequest* request, uint32_t* out) {
  set(out, request->flags);
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetFlags(TRITONSERVER_InferenceRequest* request, uint32_t flags) {
  request->flags = flags;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestCorrelationId(TRITONSERVER_InferenceRequest* request, uint64_t* out) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (request->has_correlation_text) {
      return invalid_argument("given request's correlation id is not an unsigned int");
    }
    set(out, request->correlation_id);
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetCorrelationId(TRITONSERVER_InferenceRequest* request, uint64_t id) {
  request->correlation_id = id;
  request->has_correlation_text = false;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestCorrelationIdString(TRITONSERVER_InferenceRequest* request,
                                                                     const char** out) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (!request->has_correlation_text) return invalid_argument("given request's correlation id is not a string");
    set(out, request->correlation_text.c_str());
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetCorrelationIdString(TRITONSERVER_InferenceRequest* request,
                                                                        const char* id) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    std::string text(id);
    if (text.size() > kMaxCorrelationText) {
      return make_error(TRITONSERVER_ERROR_UNSUPPORTED, "string correlation ID cannot be longer than 128 characters");
    }
    request->correlation_text = std::move(text);
    request->has_correlation_text = true;
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestPriority(TRITONSERVER_InferenceRequest* request, uint32_t* out) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (request->priority > std::numeric_limits<uint32_t>::max()) {
      return invalid_argument(
          "request priority overflows uint32_t, use TRITONSERVER_InferenceRequestPriorityUInt64, priority=" +
          std::to_string(request->priority));
    }
    set(out, static_cast<uint32_t>(request->priority));
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetPriority(TRITONSERVER_InferenceRequest* request,
                                                             uint32_t priority) {
  request->priority = priority;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestPriorityUInt64(TRITONSERVER_InferenceRequest* request, uint64_t* out) {
  set(out, request->priority);
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetPriorityUInt64(TRITONSERVER_InferenceRequest* request,
                                                                   uint64_t priority) {
  request->priority = priority;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestTimeoutMicroseconds(TRITONSERVER_InferenceRequest* request,
                                                                     uint64_t* out) {
  set(out, request->timeout_us);
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetTimeoutMicroseconds(TRITONSERVER_InferenceRequest* request,
                                                                        uint64_t timeout) {
  request->timeout_us = timeout;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetStringParameter(TRITONSERVER_InferenceRequest* request,
                                                                    const char* key, const char* value) {
  return add_parameter<std::string>(request, key, TRITONSERVER_PARAMETER_STRING, value);
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetIntParameter(TRITONSERVER_InferenceRequest* request,
                                                                 const char* key, int64_t value) {
  return add_parameter<int64_t>(request, key, TRITONSERVER_PARAMETER_INT, value);
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetBoolParameter(TRITONSERVER_InferenceRequest* request,
                                                                  const char* key, bool value) {
  return add_parameter<bool>(request, key, TRITONSERVER_PARAMETER_BOOL, value);
}

TRITONSERVER_Error* TRITONSERVER_InferenceRequestSetDoubleParameter(TRITONSERVER_InferenceRequest* request,
                                                                    const char* key, double value) {
  return add_parameter<double>(request, key, TRITONSERVER_PARAMETER_DOUBLE, value);
}

}  // extern "C"
