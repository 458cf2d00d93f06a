// Answers OUTPUT (BYTES) with the books on this library: how many backends, models and instances live, how many ever
// did, and how many calls came in a wrong order. Whoever waits for an unload asks another model of this backend.
#include "answer.h"
#include "lifecycle_tracker.h"
#include "support.h"
#include "tensor.h"
#include "test_backend.h"

namespace triton_ts {
namespace {

std::string books() {
  const LifecycleTracker& tracker = LifecycleTracker::get();
  std::string text = "{";
  for (const char* kind : {"backend", "model", "instance"}) {
    text += quoted(kind) + ":{\"live\":" + std::to_string(tracker.live(kind)) +
            ",\"created\":" + std::to_string(tracker.created(kind)) + "},";
  }
  return text + "\"violations\":" + std::to_string(tracker.violations()) + "}";
}

class Lifecycle : public TestBackend {
 public:
  TRITONSERVER_Error* execute(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count) override {
    answer_each(instance, requests, count, [](TRITONBACKEND_Request*, TRITONBACKEND_Response* response) {
      return write_output(response, text_tensor("OUTPUT", books()));
    });
    return nullptr;
  }
};

}  // namespace

TestBackend& test_backend() {
  static Lifecycle backend;
  return backend;
}

}  // namespace triton_ts
