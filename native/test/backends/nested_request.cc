#include "nested_request.h"

#include <cstdlib>
#include <utility>

#include "copy_request.h"
#include "support.h"

namespace triton_ts {

NestedRequest::NestedRequest(TRITONSERVER_Server* server, const std::string& model) : server_(server) {
  setup_error_ = setup(model);
}

NestedRequest::~NestedRequest() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return !started_ || (released_ && final_); });
  for (NestedResponse& response : responses_) TRITONSERVER_ErrorDelete(response.error);
  TRITONSERVER_ErrorDelete(setup_error_);
  if (request_ != nullptr) log_if_error(TRITONSERVER_InferenceRequestDelete(request_));
  if (allocator_ != nullptr) log_if_error(TRITONSERVER_ResponseAllocatorDelete(allocator_));
}

TRITONSERVER_Error* NestedRequest::setup(const std::string& model) {
  RETURN_IF_ERROR(TRITONSERVER_ResponseAllocatorNew(&allocator_, allocate, deallocate, nullptr));
  RETURN_IF_ERROR(TRITONSERVER_InferenceRequestNew(&request_, server_, model.c_str(), -1));
  RETURN_IF_ERROR(TRITONSERVER_InferenceRequestSetReleaseCallback(request_, on_release, this));
  return TRITONSERVER_InferenceRequestSetResponseCallback(request_, allocator_, this, on_response, this);
}

TRITONSERVER_Error* NestedRequest::take_from(TRITONBACKEND_Request* request) {
  if (setup_error_ != nullptr) return std::exchange(setup_error_, nullptr);
  return copy_request(request, request_, &inputs_);
}

TRITONSERVER_Error* NestedRequest::start() {
  started_ = true;
  TRITONSERVER_Error* error = TRITONSERVER_ServerInferAsync(server_, request_, nullptr);
  if (error != nullptr) started_ = false;  // The request is still ours, no callback comes.
  return error;
}

TRITONSERVER_Error* NestedRequest::cancel() { return TRITONSERVER_InferenceRequestCancel(request_); }

bool NestedRequest::next(NestedResponse* response) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return final_ || !responses_.empty(); });
  if (responses_.empty()) return false;
  *response = std::move(responses_.front());
  responses_.pop_front();
  return true;
}

TRITONSERVER_Error* NestedRequest::allocate(
    TRITONSERVER_ResponseAllocator*, const char*, size_t byte_size, TRITONSERVER_MemoryType, int64_t, void*,
    void** buffer, void** buffer_userp, TRITONSERVER_MemoryType* actual_type, int64_t* actual_type_id) {
  *buffer = byte_size == 0 ? nullptr : std::malloc(byte_size);
  *buffer_userp = nullptr;
  *actual_type = TRITONSERVER_MEMORY_CPU;
  *actual_type_id = 0;
  return nullptr;
}

TRITONSERVER_Error* NestedRequest::deallocate(
    TRITONSERVER_ResponseAllocator*, void* buffer, void*, size_t, TRITONSERVER_MemoryType, int64_t) {
  std::free(buffer);
  return nullptr;
}

void NestedRequest::on_release(TRITONSERVER_InferenceRequest*, uint32_t flags, void* self) {
  if ((flags & TRITONSERVER_REQUEST_RELEASE_ALL) == 0) return;
  auto* nested = static_cast<NestedRequest*>(self);
  const std::lock_guard<std::mutex> lock(nested->mutex_);
  nested->released_ = true;
  // Under the lock: the waiter may destroy the condition variable as soon as it has the lock.
  nested->changed_.notify_all();
}

void NestedRequest::on_response(TRITONSERVER_InferenceResponse* response, uint32_t flags, void* self) {
  auto* nested = static_cast<NestedRequest*>(self);
  NestedResponse copy;
  if (response != nullptr) copy = read(response);
  const std::lock_guard<std::mutex> lock(nested->mutex_);
  if (response != nullptr) nested->responses_.push_back(std::move(copy));
  nested->final_ = nested->final_ || (flags & TRITONSERVER_RESPONSE_COMPLETE_FINAL) != 0;
  nested->changed_.notify_all();
}

NestedResponse NestedRequest::read(TRITONSERVER_InferenceResponse* response) {
  NestedResponse copy;
  copy.error = TRITONSERVER_InferenceResponseError(response);
  uint32_t count = 0;
  if (copy.error == nullptr) copy.error = TRITONSERVER_InferenceResponseOutputCount(response, &count);
  for (uint32_t index = 0; copy.error == nullptr && index < count; index++) {
    const char* name = nullptr;
    const int64_t* shape = nullptr;
    uint64_t rank = 0;
    const void* base = nullptr;
    size_t byte_size = 0;
    TRITONSERVER_MemoryType type = TRITONSERVER_MEMORY_CPU;
    int64_t type_id = 0;
    void* userp = nullptr;
    Tensor& tensor = copy.outputs.emplace_back();
    copy.error = TRITONSERVER_InferenceResponseOutput(
        response, index, &name, &tensor.datatype, &shape, &rank, &base, &byte_size, &type, &type_id, &userp);
    if (copy.error != nullptr) break;
    tensor.name = name;
    tensor.shape.assign(shape, shape + rank);
    const char* bytes = static_cast<const char*>(base);
    tensor.data.assign(bytes, bytes + byte_size);
  }
  log_if_error(TRITONSERVER_InferenceResponseDelete(response));
  return copy;
}

}  // namespace triton_ts
