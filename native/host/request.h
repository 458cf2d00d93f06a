// TRITONBACKEND_Request and its inputs.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "buffer_attributes.h"
#include "channel.h"
#include "lent_memory.h"
#include "live_objects.h"
#include "parameter.h"
#include "response.h"
#include "shape.h"
#include "trace.h"
#include "triton/tritonbackend.h"

/// An input tensor. JavaScript owns the bytes and keeps them until the request is released.
struct TRITONBACKEND_Input {
  std::string name;
  TRITONSERVER_DataType datatype = TRITONSERVER_TYPE_INVALID;
  triton_ts::Shape shape;
  const void* data = nullptr;
  triton_ts::LentMemory memory;
  TRITONSERVER_BufferAttributes attributes;
};

namespace triton_ts {
class Execution;
}

/// A request as a library sees it; it is the library's from Execute until RequestRelease, and lives on, empty, until
/// the whole execution is over, so that a library that releases it twice or fails half-way does no harm.
struct TRITONBACKEND_Request {
  /// An error where the library has released the request, else null.
  TRITONSERVER_Error* check_held() const;
  /// What Triton puts before its words about a request.
  std::string log_prefix() const;

  /// Owns the request.
  triton_ts::Execution* execution = nullptr;
  /// Null once the library has released it.
  triton_ts::ChannelPtr channel;
  std::string id;
  uint64_t correlation_id = 0;
  /// Set where the correlation id is a text.
  std::string correlation_text;
  bool has_correlation_text = false;
  uint32_t flags = 0;
  uint32_t priority = 0;
  uint64_t timeout_us = 0;
  triton_ts::Parameters parameters;
  std::vector<TRITONBACKEND_Input> inputs;
  std::vector<std::string> requested_outputs;
  /// The states that the library made; they are the request's and end with it.
  std::list<TRITONBACKEND_State> states;
  /// Null unless the engine traces the request.
  std::unique_ptr<TRITONSERVER_InferenceTrace> trace;
  triton_ts::Counted<triton_ts::ObjectKind::kRequest> counted;
};

struct TRITONBACKEND_ResponseFactory {
  triton_ts::ChannelPtr channel;
  triton_ts::Counted<triton_ts::ObjectKind::kResponseFactory> counted;
};
