// A request to another model of the same server (business logic).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "tensor.h"
#include "triton/tritonbackend.h"

namespace triton_ts {

/// One response of the other model: an error, or its tensors.
struct NestedResponse {
  TRITONSERVER_Error* error = nullptr;  ///< Belongs to who takes the response.
  std::vector<Tensor> outputs;
};

/// Sends the inputs, parameters and properties of a backend's request to another model, and collects the responses.
class NestedRequest {
 public:
  NestedRequest(TRITONSERVER_Server* server, const std::string& model);
  /// Waits until the server has given the request back and sent the final flag.
  ~NestedRequest();
  NestedRequest(const NestedRequest&) = delete;
  NestedRequest& operator=(const NestedRequest&) = delete;

  /// Copies what the caller sent.
  TRITONSERVER_Error* take_from(TRITONBACKEND_Request* request);
  TRITONSERVER_Error* start();
  TRITONSERVER_Error* cancel();
  /// Waits for the next response; false when the final flag came and no response is left.
  bool next(NestedResponse* response);

 private:
  static TRITONSERVER_Error* allocate(
      TRITONSERVER_ResponseAllocator*, const char*, size_t byte_size, TRITONSERVER_MemoryType, int64_t, void*,
      void** buffer, void** buffer_userp, TRITONSERVER_MemoryType* actual_type, int64_t* actual_type_id);
  static TRITONSERVER_Error* deallocate(
      TRITONSERVER_ResponseAllocator*, void* buffer, void* buffer_userp, size_t, TRITONSERVER_MemoryType, int64_t);
  static void on_release(TRITONSERVER_InferenceRequest*, uint32_t flags, void* self);
  static void on_response(TRITONSERVER_InferenceResponse* response, uint32_t flags, void* self);
  static NestedResponse read(TRITONSERVER_InferenceResponse* response);

  TRITONSERVER_Error* setup(const std::string& model);

  TRITONSERVER_Server* server_;
  TRITONSERVER_ResponseAllocator* allocator_ = nullptr;
  TRITONSERVER_InferenceRequest* request_ = nullptr;
  TRITONSERVER_Error* setup_error_ = nullptr;
  std::deque<Tensor> inputs_;  // The server reads them in place.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<NestedResponse> responses_;
  bool started_ = false;
  bool released_ = false;
  bool final_ = false;
};

}  // namespace triton_ts
