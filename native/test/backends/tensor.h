// Tensors of requests and responses.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "triton/tritonbackend.h"

namespace triton_ts {

/// A tensor in memory of our own.
struct Tensor {
  std::string name;
  TRITONSERVER_DataType datatype = TRITONSERVER_TYPE_INVALID;
  std::vector<int64_t> shape;
  std::vector<char> data;

  /// Element `index` of a tensor of fixed-size elements; T{} beyond its end.
  template <typename T>
  T at(size_t index) const {
    T value{};
    if ((index + 1) * sizeof(T) <= data.size()) std::memcpy(&value, data.data() + index * sizeof(T), sizeof(T));
    return value;
  }
};

/// A tensor of one INT32, shape [1].
Tensor int32_tensor(const std::string& name, int32_t value);
/// A tensor of one BYTES element, shape [1].
Tensor text_tensor(const std::string& name, const std::string& text);

/// Copies a whole input, of however many buffers. Only CPU memory is read.
TRITONSERVER_Error* read_input(TRITONBACKEND_Request* request, uint32_t index, Tensor* tensor);
TRITONSERVER_Error* read_input(TRITONBACKEND_Request* request, const char* name, Tensor* tensor);

/// Adds an output to the response and copies the tensor into its buffer.
TRITONSERVER_Error* write_output(TRITONBACKEND_Response* response, const Tensor& tensor);

}  // namespace triton_ts
