// TRITONSERVER_InferenceResponse: the engine's answer to a library's request.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "buffer_attributes.h"
#include "error.h"
#include "live_objects.h"
#include "parameter.h"
#include "response_allocator.h"
#include "shape.h"

namespace triton_ts {

/// An output tensor in memory of the library's.
class NestedOutput {
 public:
  NestedOutput(TRITONSERVER_ResponseAllocator* allocator, std::string name, TRITONSERVER_DataType datatype, Shape shape)
      : name(std::move(name)), datatype(datatype), shape(std::move(shape)), allocator_(allocator) {}
  NestedOutput(NestedOutput&& other) noexcept;
  NestedOutput& operator=(NestedOutput&&) = delete;
  /// Gives the memory back.
  ~NestedOutput();

  /// Asks the library for memory and copies the bytes there. @param userp of the allocator.
  ErrorPtr fill(const void* data, size_t byte_size, void* userp);

  const std::string name;
  const TRITONSERVER_DataType datatype;
  const Shape shape;
  void* buffer = nullptr;
  /// What the library keeps with the memory.
  void* buffer_userp = nullptr;
  TRITONSERVER_BufferAttributes attributes;

 private:
  TRITONSERVER_ResponseAllocator* const allocator_;
};

}  // namespace triton_ts

struct TRITONSERVER_InferenceResponse {
  std::string model_name;
  int64_t model_version = -1;
  /// Of the request.
  std::string id;
  /// Empty for a success.
  triton_ts::ErrorPtr error;
  triton_ts::Parameters parameters;
  std::vector<triton_ts::NestedOutput> outputs;
  triton_ts::Counted<triton_ts::ObjectKind::kInferenceResponse> counted;
};
