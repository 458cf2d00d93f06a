// Decoupled: threads of its own log at every level and send IN (INT32) responses each, through one response factory and
// all at the same time. OUT (INT32) is a number no other response has. Parameter `threads`: how many, 8 by default.
#include <memory>
#include <thread>
#include <vector>

#include "answer.h"
#include "support.h"
#include "tensor.h"
#include "test_backend.h"
#include "workers.h"

namespace triton_ts {
namespace {

void log_at_every_level() {
  for (const TRITONSERVER_LogLevel level :
       {TRITONSERVER_LOG_INFO, TRITONSERVER_LOG_WARN, TRITONSERVER_LOG_ERROR, TRITONSERVER_LOG_VERBOSE}) {
    const std::string text = "threads: level " + std::to_string(level);
    log(level, text);
    if (TRITONSERVER_LogIsEnabled(level)) log(level, text + " is enabled");
  }
}

void send_all(TRITONBACKEND_ResponseFactory* factory, int32_t first, int32_t count) {
  for (int32_t number = first; number < first + count; number++) {
    TRITONBACKEND_Response* response = nullptr;
    log_if_error(TRITONBACKEND_ResponseNewFromFactory(&response, factory));
    send(response, 0, write_output(response, int32_tensor("OUT", number)));
  }
}

void serve(TRITONBACKEND_ResponseFactory* factory, int32_t threads, int32_t count) {
  log_at_every_level();
  std::vector<std::thread> senders;
  for (int32_t index = 0; index < threads; index++) senders.emplace_back(send_all, factory, index * count, count);
  for (std::thread& sender : senders) sender.join();
  log_if_error(TRITONBACKEND_ResponseFactorySendFlags(factory, TRITONSERVER_RESPONSE_COMPLETE_FINAL));
  log_if_error(TRITONBACKEND_ResponseFactoryDelete(factory));
}

class Threads : public TestBackend {
 public:
  TRITONSERVER_Error* instance_initialize(TRITONBACKEND_ModelInstance* instance) override {
    return TRITONBACKEND_ModelInstanceSetState(instance, std::make_unique<Workers>().release());
  }

  TRITONSERVER_Error* instance_finalize(TRITONBACKEND_ModelInstance* instance) override {
    void* pointer = nullptr;
    RETURN_IF_ERROR(TRITONBACKEND_ModelInstanceState(instance, &pointer));
    const std::unique_ptr<Workers> workers(static_cast<Workers*>(pointer));
    return nullptr;  // Its destruction waits for the responses.
  }

  TRITONSERVER_Error* execute(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count) override {
    void* pointer = nullptr;
    RETURN_IF_ERROR(TRITONBACKEND_ModelInstanceState(instance, &pointer));
    const auto senders = static_cast<int32_t>(std::stol(model_parameter(instance, "threads", "8")));
    for (uint32_t index = 0; index < count; index++) {
      Tensor in;
      if (TRITONSERVER_Error* error = read_input(requests[index], "IN", &in)) {
        reject(requests[index], error);
        continue;
      }
      TRITONBACKEND_ResponseFactory* factory = nullptr;
      log_if_error(TRITONBACKEND_ResponseFactoryNew(&factory, requests[index]));
      log_if_error(TRITONBACKEND_RequestRelease(requests[index], TRITONSERVER_REQUEST_RELEASE_ALL));
      static_cast<Workers*>(pointer)->run(
          [factory, senders, count_each = in.at<int32_t>(0)] { serve(factory, senders, count_each); });
    }
    return nullptr;
  }
};

}  // namespace

TestBackend& test_backend() {
  static Threads backend;
  return backend;
}

}  // namespace triton_ts
