// What a backend can learn about a request.
#pragma once

#include <string>

#include "triton/tritonbackend.h"

namespace triton_ts {

/// A JSON object; a call that fails is reported as "<code>: <message>" in place of its value.
std::string inspect_request(TRITONBACKEND_Request* request);

}  // namespace triton_ts
