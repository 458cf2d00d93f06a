#include "tensor.h"

#include <algorithm>

#include "support.h"

namespace triton_ts {
namespace {

TRITONSERVER_Error* read(TRITONBACKEND_Input* input, Tensor* tensor) {
  const char* name = nullptr;
  const int64_t* shape = nullptr;
  uint32_t dims = 0;
  uint64_t byte_size = 0;
  uint32_t buffers = 0;
  RETURN_IF_ERROR(
      TRITONBACKEND_InputProperties(input, &name, &tensor->datatype, &shape, &dims, &byte_size, &buffers));
  tensor->name = name;
  tensor->shape.assign(shape, shape + dims);
  tensor->data.clear();
  tensor->data.reserve(byte_size);
  for (uint32_t index = 0; index < buffers; index++) {
    const void* base = nullptr;
    uint64_t size = 0;
    TRITONSERVER_MemoryType memory_type = TRITONSERVER_MEMORY_CPU;
    int64_t memory_type_id = 0;
    RETURN_IF_ERROR(TRITONBACKEND_InputBuffer(input, index, &base, &size, &memory_type, &memory_type_id));
    if (memory_type == TRITONSERVER_MEMORY_GPU) {
      return new_error(TRITONSERVER_ERROR_UNSUPPORTED, "input '" + tensor->name + "' is in GPU memory");
    }
    const char* bytes = static_cast<const char*>(base);
    tensor->data.insert(tensor->data.end(), bytes, bytes + size);
  }
  if (tensor->data.size() == byte_size) return nullptr;
  return new_error(TRITONSERVER_ERROR_INTERNAL, "buffers of input '" + tensor->name + "' do not add up");
}

}  // namespace

Tensor int32_tensor(const std::string& name, int32_t value) {
  Tensor tensor{name, TRITONSERVER_TYPE_INT32, {1}, std::vector<char>(sizeof value)};
  std::memcpy(tensor.data.data(), &value, sizeof value);
  return tensor;
}

Tensor text_tensor(const std::string& name, const std::string& text) {
  // An element of BYTES is its length, 4 bytes little-endian, and its bytes.
  const auto length = static_cast<uint32_t>(text.size());
  Tensor tensor{name, TRITONSERVER_TYPE_BYTES, {1}, std::vector<char>(sizeof length + text.size())};
  std::memcpy(tensor.data.data(), &length, sizeof length);
  std::copy(text.begin(), text.end(), tensor.data.begin() + sizeof length);
  return tensor;
}

TRITONSERVER_Error* read_input(TRITONBACKEND_Request* request, uint32_t index, Tensor* tensor) {
  TRITONBACKEND_Input* input = nullptr;
  RETURN_IF_ERROR(TRITONBACKEND_RequestInputByIndex(request, index, &input));
  return read(input, tensor);
}

TRITONSERVER_Error* read_input(TRITONBACKEND_Request* request, const char* name, Tensor* tensor) {
  TRITONBACKEND_Input* input = nullptr;
  RETURN_IF_ERROR(TRITONBACKEND_RequestInput(request, name, &input));
  return read(input, tensor);
}

TRITONSERVER_Error* write_output(TRITONBACKEND_Response* response, const Tensor& tensor) {
  if (response == nullptr) return new_error(TRITONSERVER_ERROR_INTERNAL, "the host gave no response");
  TRITONBACKEND_Output* output = nullptr;
  RETURN_IF_ERROR(TRITONBACKEND_ResponseOutput(
      response, &output, tensor.name.c_str(), tensor.datatype, tensor.shape.data(),
      static_cast<uint32_t>(tensor.shape.size())));
  void* buffer = nullptr;
  TRITONSERVER_MemoryType memory_type = TRITONSERVER_MEMORY_CPU;
  int64_t memory_type_id = 0;
  RETURN_IF_ERROR(TRITONBACKEND_OutputBuffer(output, &buffer, tensor.data.size(), &memory_type, &memory_type_id));
  if (memory_type == TRITONSERVER_MEMORY_GPU) {
    return new_error(TRITONSERVER_ERROR_UNSUPPORTED, "output '" + tensor.name + "' is in GPU memory");
  }
  if (!tensor.data.empty()) std::memcpy(buffer, tensor.data.data(), tensor.data.size());
  return nullptr;
}

}  // namespace triton_ts
