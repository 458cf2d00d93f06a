// Iterative sequences: releases each request INPUT (INT32) times to be executed again, then answers OUTPUT (INT32) with
// the number of executes. With the parameter `stream` = "true" (decoupled) each execute sends a response.
#include <map>
#include <mutex>

#include "answer.h"
#include "support.h"
#include "tensor.h"
#include "test_backend.h"

namespace triton_ts {
namespace {

class Reschedule : public TestBackend {
 public:
  TRITONSERVER_Error* execute(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count) override {
    const bool stream = model_parameter(instance, "stream") == "true";
    const uint64_t start = now_ns();
    for (uint32_t index = 0; index < count; index++) {
      if (TRITONSERVER_Error* error = execute_one(instance, requests[index], stream, start)) {
        reject(requests[index], error);
      }
    }
    return TRITONBACKEND_ModelInstanceReportBatchStatistics(instance, count, start, start, now_ns(), now_ns());
  }

 private:
  /// On an error the request is still ours.
  TRITONSERVER_Error* execute_one(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request* request, bool stream, uint64_t start) {
    Tensor input;
    RETURN_IF_ERROR(read_input(request, "INPUT", &input));
    uint64_t sequence = 0;
    RETURN_IF_ERROR(TRITONBACKEND_RequestCorrelationId(request, &sequence));
    const int32_t executes = next_execute(sequence);
    const bool last = executes > input.at<int32_t>(0);
    if (last || stream) {
      TRITONBACKEND_Response* response = nullptr;
      RETURN_IF_ERROR(TRITONBACKEND_ResponseNew(&response, request));
      TRITONSERVER_Error* error = write_output(response, int32_tensor("OUTPUT", executes));
      send(response, last ? TRITONSERVER_RESPONSE_COMPLETE_FINAL : 0, error);
    }
    log_if_error(TRITONBACKEND_ModelInstanceReportStatistics(
        instance, request, true, start, start, now_ns(), now_ns()));
    if (last) {
      forget(sequence);
      log_if_error(TRITONBACKEND_RequestRelease(request, TRITONSERVER_REQUEST_RELEASE_ALL));
      return nullptr;
    }
    return TRITONBACKEND_RequestRelease(request, TRITONSERVER_REQUEST_RELEASE_RESCHEDULE);
  }

  int32_t next_execute(uint64_t sequence) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ++executes_[sequence];
  }

  void forget(uint64_t sequence) {
    const std::lock_guard<std::mutex> lock(mutex_);
    executes_.erase(sequence);
  }

  std::mutex mutex_;
  std::map<uint64_t, int32_t> executes_;
};

}  // namespace

TestBackend& test_backend() {
  static Reschedule backend;
  return backend;
}

}  // namespace triton_ts
