// Misbehaves as told. Faults of the library come from the backend config, as `--backend-config=faulty,fault=<name>`:
// initialize-error, throw-initialize, crash-initialize, wrong-abi, finalize-error.
// All others come from the model's parameter `fault`; without one it answers OUTPUT (INT32) = 1.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "answer.h"
#include "support.h"
#include "tensor.h"
#include "test_backend.h"

namespace triton_ts {
namespace {

TRITONSERVER_Error* fault_error(const std::string& fault) {
  return new_error(TRITONSERVER_ERROR_INTERNAL, "faulty: " + fault);
}

void answer_one(TRITONBACKEND_Request* request, TRITONSERVER_Error* error = nullptr) {
  TRITONBACKEND_Response* response = nullptr;
  log_if_error(TRITONBACKEND_ResponseNew(&response, request));
  if (error == nullptr) error = write_output(response, int32_tensor("OUTPUT", 1));
  send(response, TRITONSERVER_RESPONSE_COMPLETE_FINAL, error);
}

void release(TRITONBACKEND_Request* request) {
  log_if_error(TRITONBACKEND_RequestRelease(request, TRITONSERVER_REQUEST_RELEASE_ALL));
}

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

class Faulty : public TestBackend {
 public:
  TRITONSERVER_Error* initialize(TRITONBACKEND_Backend* backend) override {
    TRITONSERVER_Message* config = nullptr;
    RETURN_IF_ERROR(TRITONBACKEND_BackendConfig(backend, &config));
    backend_fault_ = json_string(message_text(config), "cmdline", "fault", "");
    if (backend_fault_ == "initialize-error") return fault_error(backend_fault_);
    if (backend_fault_ == "throw-initialize") throw std::runtime_error("thrown by initialize");
    if (backend_fault_ == "crash-initialize") std::raise(SIGSEGV);
    return backend_fault_ == "wrong-abi" ? check_version(1000) : nullptr;
  }

  TRITONSERVER_Error* finalize(TRITONBACKEND_Backend*) override {
    return backend_fault_ == "finalize-error" ? fault_error(backend_fault_) : nullptr;
  }

  TRITONSERVER_Error* model_initialize(TRITONBACKEND_Model* model) override {
    finalizing_ = false;
    const std::string fault = model_parameter(model, "fault");
    if (fault == "model-initialize-error") return fault_error(fault);
    if (fault == "throw-model-initialize") throw std::runtime_error("thrown by model initialize");
    if (fault == "crash-model-initialize") std::raise(SIGSEGV);
    return nullptr;
  }

  TRITONSERVER_Error* model_finalize(TRITONBACKEND_Model* model) override {
    const std::string fault = model_parameter(model, "fault");
    return fault == "model-finalize-error" ? fault_error(fault) : nullptr;
  }

  TRITONSERVER_Error* instance_initialize(TRITONBACKEND_ModelInstance* instance) override {
    const std::string fault = model_parameter(instance, "fault");
    if (fault == "instance-initialize-error") return fault_error(fault);
    if (fault == "throw-instance-initialize") throw std::runtime_error("thrown by instance initialize");
    return nullptr;
  }

  TRITONSERVER_Error* instance_finalize(TRITONBACKEND_ModelInstance* instance) override {
    finalizing_ = true;
    const std::lock_guard<std::mutex> lock(mutex_);
    for (TRITONBACKEND_Request* request : kept_[instance]) {
      reject(request, new_error(TRITONSERVER_ERROR_UNAVAILABLE, "faulty: kept until finalized"));
    }
    kept_.erase(instance);
    const std::string fault = model_parameter(instance, "fault");
    return fault == "instance-finalize-error" ? fault_error(fault) : nullptr;
  }

  TRITONSERVER_Error* execute(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count) override {
    const std::string fault = model_parameter(instance, "fault");
    if (fault == "execute-error") return fault_error(fault);
    if (fault == "throw-execute") throw std::runtime_error("thrown by execute");
    if (fault == "crash-execute") std::raise(SIGSEGV);
    if (fault == "abort-execute") std::abort();
    if (fault == "sleep-execute") {
      const std::string milliseconds = model_parameter(instance, "milliseconds", "1000");
      std::this_thread::sleep_for(std::chrono::milliseconds(std::stol(milliseconds)));
    }
    for (uint32_t index = 0; index < count; index++) execute_one(fault, instance, requests[index]);
    return fault == "error-after-release" ? fault_error(fault) : nullptr;
  }

  TRITONSERVER_Error* ready(TRITONBACKEND_ModelInstance* instance) {
    const std::string fault = model_parameter(instance, "fault");
    return fault == "not-ready" ? new_error(TRITONSERVER_ERROR_UNAVAILABLE, "faulty: " + fault) : nullptr;
  }

 private:
  /// Backends refuse a host of another major version.
  static TRITONSERVER_Error* check_version(uint32_t wanted) {
    uint32_t major = 0;
    uint32_t minor = 0;
    RETURN_IF_ERROR(TRITONBACKEND_ApiVersion(&major, &minor));
    if (major == wanted) return nullptr;
    return new_error(TRITONSERVER_ERROR_UNSUPPORTED, "triton backend API version does not support this backend");
  }

  void execute_one(
      const std::string& fault, TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request* request) {
    if (fault == "never-answer") return release(request);
    if (fault == "drop-response") return drop_response(request);
    if (fault == "hang-execute") return hang_until_cancelled(request);
    if (fault == "never-release") {
      const std::lock_guard<std::mutex> lock(mutex_);
      return kept_[instance].push_back(request);
    }
    answer_one(request, fault == "response-error" ? fault_error(fault) : nullptr);
    if (fault == "answer-twice") answer_one(request);
    release(request);
    if (fault == "release-twice") release(request);
  }

  static void drop_response(TRITONBACKEND_Request* request) {
    TRITONBACKEND_Response* response = nullptr;
    log_if_error(TRITONBACKEND_ResponseNew(&response, request));
    log_if_error(TRITONBACKEND_ResponseDelete(response));
    release(request);
  }

  void hang_until_cancelled(TRITONBACKEND_Request* request) {
    for (bool cancelled = false; !cancelled && !finalizing_; nap()) {
      log_if_error(TRITONBACKEND_RequestIsCancelled(request, &cancelled));
    }
    reject(request, new_error(TRITONSERVER_ERROR_CANCELLED, "faulty: hung until cancelled"));
  }

  std::string backend_fault_;
  std::atomic<bool> finalizing_{false};
  std::mutex mutex_;
  std::map<TRITONBACKEND_ModelInstance*, std::vector<TRITONBACKEND_Request*>> kept_;
};

Faulty& the_backend() {
  static Faulty backend;
  return backend;
}

}  // namespace

TestBackend& test_backend() { return the_backend(); }

}  // namespace triton_ts

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceReady(TRITONBACKEND_ModelInstance* instance) {
  return triton_ts::the_backend().ready(instance);
}
