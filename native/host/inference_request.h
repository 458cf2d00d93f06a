// TRITONSERVER_InferenceRequest: a request that a library makes of the engine.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "buffer.h"
#include "buffer_attributes.h"
#include "error.h"
#include "live_objects.h"
#include "parameter.h"
#include "response_allocator.h"
#include "server.h"
#include "shape.h"

namespace triton_ts {

/// An input tensor whose bytes are the library's and may come in pieces.
struct NestedInput {
  struct Piece {
    const void* data;
    TRITONSERVER_BufferAttributes attributes;
  };
  using Pieces = std::vector<Piece>;

  std::string name;
  /// INVALID, without a shape, for a raw input: the model knows what it is.
  TRITONSERVER_DataType datatype = TRITONSERVER_TYPE_INVALID;
  Shape shape;
  Pieces pieces;
  /// Copies of the data in places that suit a host policy.
  std::map<std::string, Pieces> policy_pieces;

  /// The bytes in one piece on the CPU. Throws std::bad_alloc.
  ErrorPtr gather(Buffer& bytes) const;
};

/// Whom a request calls back.
struct NestedCallbacks {
  TRITONSERVER_InferenceRequestReleaseFn_t release_fn = nullptr;
  void* release_userp = nullptr;
  TRITONSERVER_ResponseAllocator* allocator = nullptr;
  void* allocator_userp = nullptr;
  TRITONSERVER_InferenceResponseCompleteFn_t response_fn = nullptr;
  void* response_userp = nullptr;
};

}  // namespace triton_ts

/// One thread at a time, as in Triton, except for cancelling.
struct TRITONSERVER_InferenceRequest {
  TRITONSERVER_Server server;
  std::string model_name;
  /// -1: as the model's version policy has it.
  int64_t model_version = -1;
  std::string id;
  uint32_t flags = 0;
  uint64_t correlation_id = 0;
  /// Set where the correlation id is a text.
  std::string correlation_text;
  bool has_correlation_text = false;
  uint64_t priority = 0;
  uint64_t timeout_us = 0;
  triton_ts::Parameters parameters;
  std::vector<triton_ts::NestedInput> inputs;
  std::vector<std::string> outputs;
  triton_ts::NestedCallbacks callbacks;
  /// The number of the inference that runs or ran last; 0 before the first.
  std::atomic<uint32_t> infer_id{0};
  std::atomic<bool> in_flight{false};
  std::atomic<bool> cancelled{false};
  triton_ts::Counted<triton_ts::ObjectKind::kInferenceRequest> counted;

  /// Null where there is none.
  triton_ts::NestedInput* find_input(const std::string& name);
  /// How errors begin.
  std::string prefix() const { return "[request id: " + (id.empty() ? "<id_unknown>" : id) + "] "; }
};
