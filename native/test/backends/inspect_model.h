// What a backend can learn about itself, its model and its instance.
#pragma once

#include <string>

#include "triton/tritonbackend.h"

namespace triton_ts {

/// Each as a JSON object; a call that fails is reported as "<code>: <message>" in place of its value.
std::string inspect_backend(TRITONBACKEND_Backend* backend);
std::string inspect_model(TRITONBACKEND_Model* model);
std::string inspect_instance(TRITONBACKEND_ModelInstance* instance);

}  // namespace triton_ts
