// Answering requests: sending, statistics, releasing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "triton/tritonbackend.h"

namespace triton_ts {

/// Whether the caller asked for this output (a caller that names none asks for all).
bool is_requested(TRITONBACKEND_Request* request, const std::string& name);

/// Copies each input INPUT<x> to the output OUTPUT<x>, where that is requested.
TRITONSERVER_Error* copy_inputs(TRITONBACKEND_Request* request, TRITONBACKEND_Response* response);

/// Sets a parameter as it was read from a request or a response. Bytes are left out: a response cannot have them.
TRITONSERVER_Error* set_parameter(
    TRITONBACKEND_Response* response, const char* key, TRITONSERVER_ParameterType type, const void* value);

/// Sends and deletes `error` (null: success) with the response. A null response, which the host refused, is left out.
void send(TRITONBACKEND_Response* response, uint32_t flags, TRITONSERVER_Error* error);

/// Answers and releases a request with an error, which is deleted.
void reject(TRITONBACKEND_Request* request, TRITONSERVER_Error* error);

/// Fills the response of one request; an error becomes the answer.
using AnswerFunction = std::function<TRITONSERVER_Error*(TRITONBACKEND_Request*, TRITONBACKEND_Response*)>;

/// One response per request, with statistics: each request is answered, reported and released. `batching` is whether
/// the first dimension of the first input is a batch, for the batch statistics.
void answer_each(
    TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count,
    const AnswerFunction& answer, bool batching = false);

}  // namespace triton_ts
