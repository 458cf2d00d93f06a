#include "inference_response.h"

#include <cstring>
#include <utility>

#include "cuda.h"
#include "log.h"

namespace triton_ts {

NestedOutput::NestedOutput(NestedOutput&& other) noexcept
    : name(other.name),
      datatype(other.datatype),
      shape(other.shape),
      buffer(std::exchange(other.buffer, nullptr)),
      buffer_userp(other.buffer_userp),
      attributes(other.attributes),
      allocator_(other.allocator_) {}

NestedOutput::~NestedOutput() {
  if (buffer == nullptr) return;
  const ErrorPtr error(allocator_->release(allocator_, buffer, buffer_userp, attributes.byte_size,
                                           attributes.memory_type, attributes.memory_type_id));
  if (!error) return;
  log(current_origin(reinterpret_cast<const void*>(allocator_->release)), TRITONSERVER_LOG_ERROR, __FILE__, __LINE__,
      "failed to release buffer for output '" + name + "': " + error->message);
}

ErrorPtr NestedOutput::fill(const void* data, size_t byte_size, void* userp) {
  auto type = TRITONSERVER_MEMORY_CPU;
  int64_t type_id = 0;
  if (allocator_->query != nullptr) {
    size_t wanted = byte_size;
    ErrorPtr error(allocator_->query(allocator_, userp, name.c_str(), &wanted, &type, &type_id));
    if (error) return error;
  }
  auto actual_type = type;
  int64_t actual_type_id = type_id;
  ErrorPtr error(allocator_->allocate(allocator_, name.c_str(), byte_size, type, type_id, userp, &buffer, &buffer_userp,
                                      &actual_type, &actual_type_id));
  if (error) {
    buffer = nullptr;
    return error;
  }
  if (allocator_->fill_attributes != nullptr) {
    error.reset(allocator_->fill_attributes(allocator_, name.c_str(), &attributes, userp, buffer_userp));
    if (error) return error;
  }
  attributes.byte_size = byte_size;
  attributes.memory_type = actual_type;
  attributes.memory_type_id = actual_type_id;
  if (byte_size == 0) return nullptr;
  if (buffer == nullptr) return ErrorPtr(internal_error("no memory was allocated for output '" + name + "'"));
  if (actual_type == TRITONSERVER_MEMORY_GPU) return cuda::copy_from_cpu(buffer, data, byte_size, actual_type_id);
  std::memcpy(buffer, data, byte_size);
  return nullptr;
}

}  // namespace triton_ts
