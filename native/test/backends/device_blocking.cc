// Its instances on one GPU share a thread, those on the CPU have one each all the same. Answers OUTPUT (BYTES) with the
// thread, the instance and how many executes of this library ran at once at most. The backend config `policy` =
// "blocking" leaves the policy at its default.
#include <atomic>
#include <chrono>
#include <sstream>
#include <thread>

#include "answer.h"
#include "support.h"
#include "tensor.h"
#include "test_backend.h"

namespace triton_ts {
namespace {

class DeviceBlocking : public TestBackend {
 public:
  TRITONSERVER_Error* initialize(TRITONBACKEND_Backend* backend) override {
    TRITONSERVER_Message* config = nullptr;
    RETURN_IF_ERROR(TRITONBACKEND_BackendConfig(backend, &config));
    if (json_string(message_text(config), "cmdline", "policy", "") == "blocking") return nullptr;
    return TRITONBACKEND_BackendSetExecutionPolicy(backend, TRITONBACKEND_EXECUTION_DEVICE_BLOCKING);
  }

  TRITONSERVER_Error* execute(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count) override {
    const uint32_t now = ++executing_;
    for (uint32_t most = most_; most < now && !most_.compare_exchange_weak(most, now);) {
    }
    // Long enough for another instance to begin, if it may.
    std::this_thread::sleep_for(std::chrono::milliseconds(std::stol(model_parameter(instance, "milliseconds", "20"))));
    const char* name = "";
    log_if_error(TRITONBACKEND_ModelInstanceName(instance, &name));
    std::ostringstream text;
    text << "{\"thread\":\"" << std::this_thread::get_id() << "\",\"instance\":" << quoted(name)
         << ",\"most_at_once\":" << most_ << "}";
    answer_each(instance, requests, count, [&text](TRITONBACKEND_Request*, TRITONBACKEND_Response* response) {
      return write_output(response, text_tensor("OUTPUT", text.str()));
    });
    executing_--;
    return nullptr;
  }

 private:
  std::atomic<uint32_t> executing_{0};
  std::atomic<uint32_t> most_{0};
};

}  // namespace

TestBackend& test_backend() {
  static DeviceBlocking backend;
  return backend;
}

}  // namespace triton_ts
