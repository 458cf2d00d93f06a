// TRITONBACKEND_Request.
#include "request.h"

#include "boundary.h"
#include "execution.h"
#include "model.h"
#include "model_config.h"

using triton_ts::at_boundary;
using triton_ts::invalid_argument;
using triton_ts::set;

extern "C" {

TRITONSERVER_Error* TRITONBACKEND_RequestId(TRITONBACKEND_Request* request, const char** id) {
  *id = request->id.c_str();
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_RequestCorrelationId(TRITONBACKEND_Request* request, uint64_t* id) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (request->has_correlation_text) {
      return invalid_argument(request->log_prefix() + "correlation ID in request is not an unsigned int");
    }
    *id = request->correlation_id;
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_RequestCorrelationIdString(TRITONBACKEND_Request* request, const char** id) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (!request->has_correlation_text) {
      return invalid_argument(request->log_prefix() + "correlation ID in request is not a string");
    }
    *id = request->correlation_text.c_str();
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_RequestFlags(TRITONBACKEND_Request* request, uint32_t* flags) {
  *flags = request->flags;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_InferenceRequestTimeoutMicroseconds(TRITONBACKEND_Request* request,
                                                                      uint64_t* timeout) {
  *timeout = request->timeout_us;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_RequestIsCancelled(TRITONBACKEND_Request* request, bool* is_cancelled) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (auto* error = request->check_held()) return error;
    *is_cancelled = request->channel->is_cancelled();
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_RequestTrace(TRITONBACKEND_Request* request, TRITONSERVER_InferenceTrace** trace) {
  *trace = request->trace.get();
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_RequestParameterCount(TRITONBACKEND_Request* request, uint32_t* count) {
  *count = static_cast<uint32_t>(request->parameters.size());
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_RequestParameter(TRITONBACKEND_Request* request, uint32_t index, const char** key,
                                                   TRITONSERVER_ParameterType* type, const void** value) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    const auto& parameters = request->parameters;
    if (index >= parameters.size()) {
      return invalid_argument("out of bounds index " + std::to_string(index) + ": request has " +
                              std::to_string(parameters.size()) + " parameters");
    }
    set(key, parameters[index].name.c_str());
    set(type, parameters[index].type);
    set(value, parameters[index].pointer());
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_RequestRelease(TRITONBACKEND_Request* request, uint32_t release_flags) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (auto* error = request->check_held()) return error;
    const bool reschedule = (release_flags & TRITONSERVER_REQUEST_RELEASE_RESCHEDULE) != 0;
    if (reschedule) {
      TRITONBACKEND_Model& model = *request->channel->model();
      const std::lock_guard<std::mutex> lock(model.mutex);
      if (!triton_ts::config_is_iterative(model.config_json)) {
        return invalid_argument(
            "Request is released with TRITONSERVER_REQUEST_RELEASE_RESCHEDULE, while the model is not configured to "
            "handle such a flag.");
      }
    }
    return request->execution->release(*request, reschedule).release();
  });
}

}  // extern "C"
