// Decoupled: answers each request from a thread of its own, after the request was released.
// IN (INT32): how many responses; OUT (INT32): the response's number. Parameter `mode`:
//   (none)     the responses, then the final flag by itself
//   last       the last response carries the final flag
//   empty      no response, only the final flag
//   endless    responses until the request is cancelled, then the error of the cancellation
#include <chrono>
#include <memory>
#include <thread>

#include "answer.h"
#include "support.h"
#include "tensor.h"
#include "test_backend.h"
#include "workers.h"

namespace triton_ts {
namespace {

struct InstanceState {
  std::string mode;
  Workers workers;
};

/// A response factory, deleted with its last user.
using Factory = std::shared_ptr<TRITONBACKEND_ResponseFactory>;

Factory new_factory(TRITONBACKEND_Request* request) {
  TRITONBACKEND_ResponseFactory* factory = nullptr;
  log_if_error(TRITONBACKEND_ResponseFactoryNew(&factory, request));
  return Factory(factory, [](TRITONBACKEND_ResponseFactory* owned) {
    log_if_error(TRITONBACKEND_ResponseFactoryDelete(owned));
  });
}

void report_response(
    TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_ResponseFactory* factory, uint64_t start, uint64_t output,
    TRITONSERVER_Error* error) {
  TRITONBACKEND_ModelInstanceResponseStatistics* statistics = nullptr;
  log_if_error(TRITONBACKEND_ModelInstanceResponseStatisticsNew(&statistics));
  log_if_error(TRITONBACKEND_ModelInstanceResponseStatisticsSetModelInstance(statistics, instance));
  log_if_error(TRITONBACKEND_ModelInstanceResponseStatisticsSetResponseFactory(statistics, factory));
  log_if_error(TRITONBACKEND_ModelInstanceResponseStatisticsSetResponseStart(statistics, start));
  if (output != 0) {
    log_if_error(TRITONBACKEND_ModelInstanceResponseStatisticsSetComputeOutputStart(statistics, output));
  }
  log_if_error(TRITONBACKEND_ModelInstanceResponseStatisticsSetResponseEnd(statistics, now_ns()));
  if (error != nullptr) log_if_error(TRITONBACKEND_ModelInstanceResponseStatisticsSetError(statistics, error));
  log_if_error(TRITONBACKEND_ModelInstanceReportResponseStatistics(statistics));
  log_if_error(TRITONBACKEND_ModelInstanceResponseStatisticsDelete(statistics));
}

void send_number(
    TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_ResponseFactory* factory, int32_t number, uint32_t flags) {
  const uint64_t start = now_ns();
  TRITONBACKEND_Response* response = nullptr;
  log_if_error(TRITONBACKEND_ResponseNewFromFactory(&response, factory));
  const uint64_t output = now_ns();
  TRITONSERVER_Error* error = write_output(response, int32_tensor("OUT", number));
  report_response(instance, factory, start, output, error);
  send(response, flags, error);
}

void send_last_error(
    TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_ResponseFactory* factory, TRITONSERVER_Error* error) {
  TRITONBACKEND_Response* response = nullptr;
  log_if_error(TRITONBACKEND_ResponseNewFromFactory(&response, factory));
  report_response(instance, factory, now_ns(), 0, error);
  send(response, TRITONSERVER_RESPONSE_COMPLETE_FINAL, error);
}

bool is_cancelled(TRITONBACKEND_ResponseFactory* factory) {
  bool cancelled = false;
  log_if_error(TRITONBACKEND_ResponseFactoryIsCancelled(factory, &cancelled));
  return cancelled;
}

void answer(
    TRITONBACKEND_ModelInstance* instance, const std::string& mode, TRITONBACKEND_ResponseFactory* factory,
    int32_t count) {
  if (mode == "endless") {
    for (int32_t number = 0; !is_cancelled(factory); number++) {
      send_number(instance, factory, number, 0);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return send_last_error(instance, factory, new_error(TRITONSERVER_ERROR_CANCELLED, "repeat was cancelled"));
  }
  if (count < 0) {
    return send_last_error(instance, factory, new_error(TRITONSERVER_ERROR_INVALID_ARG, "IN must not be negative"));
  }
  const bool with_last = mode == "last" && count > 0;
  for (int32_t number = 0; mode != "empty" && number < count; number++) {
    const bool last = with_last && number == count - 1;
    send_number(instance, factory, number, last ? TRITONSERVER_RESPONSE_COMPLETE_FINAL : 0);
  }
  if (!with_last) {
    log_if_error(TRITONBACKEND_ResponseFactorySendFlags(factory, TRITONSERVER_RESPONSE_COMPLETE_FINAL));
  }
}

class Repeat : public TestBackend {
 public:
  TRITONSERVER_Error* instance_initialize(TRITONBACKEND_ModelInstance* instance) override {
    auto state = std::make_unique<InstanceState>();
    state->mode = model_parameter(instance, "mode");
    return TRITONBACKEND_ModelInstanceSetState(instance, state.release());
  }

  TRITONSERVER_Error* instance_finalize(TRITONBACKEND_ModelInstance* instance) override {
    void* pointer = nullptr;
    RETURN_IF_ERROR(TRITONBACKEND_ModelInstanceState(instance, &pointer));
    const std::unique_ptr<InstanceState> state(static_cast<InstanceState*>(pointer));
    return nullptr;  // Its destruction waits for the responses.
  }

  TRITONSERVER_Error* execute(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count) override {
    void* pointer = nullptr;
    RETURN_IF_ERROR(TRITONBACKEND_ModelInstanceState(instance, &pointer));
    auto* state = static_cast<InstanceState*>(pointer);
    const uint64_t start = now_ns();
    for (uint32_t index = 0; index < count; index++) {
      Tensor in;
      if (TRITONSERVER_Error* error = read_input(requests[index], "IN", &in)) {
        reject(requests[index], error);
        continue;
      }
      const Factory factory = new_factory(requests[index]);
      log_if_error(TRITONBACKEND_ModelInstanceReportStatistics(
          instance, requests[index], true, start, start, now_ns(), now_ns()));
      log_if_error(TRITONBACKEND_RequestRelease(requests[index], TRITONSERVER_REQUEST_RELEASE_ALL));
      const auto responses = in.at<int32_t>(0);
      state->workers.run([instance, mode = state->mode, factory, responses] {
        answer(instance, mode, factory.get(), responses);
      });
    }
    return TRITONBACKEND_ModelInstanceReportBatchStatistics(instance, count, start, start, now_ns(), now_ns());
  }
};

}  // namespace

TestBackend& test_backend() {
  static Repeat backend;
  return backend;
}

}  // namespace triton_ts
