// TRITONBACKEND_Response, its outputs, and the states of sequences.
#pragma once

#include <list>
#include <string>

#include "buffer.h"
#include "buffer_attributes.h"
#include "channel.h"
#include "live_objects.h"
#include "parameter.h"
#include "shape.h"
#include "triton/tritonbackend.h"

/// An output tensor; its buffer is made when the library asks for it.
struct TRITONBACKEND_Output {
  std::string name;
  /// Its place in the model's name table.
  int name_index = -1;
  TRITONSERVER_DataType datatype = TRITONSERVER_TYPE_INVALID;
  triton_ts::Shape shape;
  triton_ts::Buffer buffer;
  TRITONSERVER_BufferAttributes attributes;

  /// A new buffer instead of what is there. Throws std::bad_alloc.
  void allocate(size_t byte_size) {
    buffer = triton_ts::Buffer(byte_size);
    attributes.byte_size = byte_size;
  }
};

struct TRITONBACKEND_Response {
  triton_ts::ChannelPtr channel;
  /// A list, since libraries keep pointers to the outputs while they add more.
  std::list<TRITONBACKEND_Output> outputs;
  triton_ts::Parameters parameters;
  triton_ts::Counted<triton_ts::ObjectKind::kResponse> counted;
};

/// A new state of a sequence: an output that goes to the engine instead of the caller.
struct TRITONBACKEND_State {
  /// Owns the state.
  TRITONBACKEND_Request* request = nullptr;
  TRITONBACKEND_Output tensor;
  triton_ts::Counted<triton_ts::ObjectKind::kState> counted;
};
