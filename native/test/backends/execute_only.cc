// The smallest backend: TRITONBACKEND_ModelInstanceExecute alone, all else is optional. Answers OUTPUT (INT32) = 1.
#include "answer.h"
#include "tensor.h"

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(
    TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, const uint32_t count) {
  triton_ts::answer_each(instance, requests, count, [](TRITONBACKEND_Request*, TRITONBACKEND_Response* response) {
    return triton_ts::write_output(response, triton_ts::int32_tensor("OUTPUT", 1));
  });
  return nullptr;
}
