// What a backend can learn from its server, and the models it can load there.
#pragma once

#include <string>

#include "triton/tritonbackend.h"

namespace triton_ts {

/// Loads `model`, asks the server about itself and the model, unloads the model. A JSON object; a call that fails is
/// reported as "<code>: <message>" in place of its value.
std::string inspect_server(TRITONSERVER_Server* server, const std::string& model);

}  // namespace triton_ts
