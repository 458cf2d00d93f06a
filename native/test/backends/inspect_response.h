// What a backend can learn about the outputs of a response.
#pragma once

#include <string>

#include "triton/tritonbackend.h"

namespace triton_ts {

/// Adds the output PROBE (UINT8 [4]) to the response and reads it back. A JSON object; a call that fails is reported as
/// "<code>: <message>" in place of its value.
std::string inspect_response(TRITONBACKEND_Response* response);

}  // namespace triton_ts
