// Like identity, and answers REQUESTS (INT32) with the number of requests that came in one execute. The library exports
// the functions of a custom batching strategy too (batching_strategy.cc): TRITON_BATCH_STRATEGY_PATH may name it.
#include "answer.h"
#include "support.h"
#include "tensor.h"
#include "test_backend.h"

namespace triton_ts {
namespace {

TRITONSERVER_Error* answer(TRITONBACKEND_Request* request, TRITONBACKEND_Response* response, uint32_t count) {
  RETURN_IF_ERROR(copy_inputs(request, response));
  if (!is_requested(request, "REQUESTS")) return nullptr;
  Tensor requests = int32_tensor("REQUESTS", static_cast<int32_t>(count));
  requests.shape = {1, 1};
  return write_output(response, requests);
}

class BatcherBackend : public TestBackend {
 public:
  TRITONSERVER_Error* execute(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count) override {
    answer_each(
        instance, requests, count,
        [count](TRITONBACKEND_Request* request, TRITONBACKEND_Response* response) {
          return answer(request, response, count);
        },
        true);
    return nullptr;
  }
};

}  // namespace

TestBackend& test_backend() {
  static BatcherBackend backend;
  return backend;
}

}  // namespace triton_ts
