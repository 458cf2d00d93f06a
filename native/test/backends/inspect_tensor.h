// What a backend can learn about an input and about a buffer.
#pragma once

#include <cstdint>
#include <string>

#include "triton/tritonbackend.h"

namespace triton_ts {

/// "[1,2]".
std::string shape_text(const int64_t* shape, uint64_t rank);
/// "" for null attributes, which is what Triton gives for a buffer that is not there.
std::string inspect_attributes(TRITONSERVER_BufferAttributes* attributes);
/// A JSON object; a call that fails is reported as "<code>: <message>" in place of its value.
std::string inspect_input(TRITONBACKEND_Input* input);

}  // namespace triton_ts
