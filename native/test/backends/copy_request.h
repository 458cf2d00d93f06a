// A backend's request as a request to another model.
#pragma once

#include <deque>

#include "tensor.h"
#include "triton/tritonbackend.h"

namespace triton_ts {

/// Copies inputs, requested outputs, parameters and properties. `to` refers to the tensors in `inputs`.
TRITONSERVER_Error* copy_request(
    TRITONBACKEND_Request* from, TRITONSERVER_InferenceRequest* to, std::deque<Tensor>* inputs);

}  // namespace triton_ts
