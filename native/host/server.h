// TRITONSERVER_Server: the engine that a model may call.
#pragma once

#include <cstdint>
#include <memory>

#include "triton/tritonserver.h"

namespace triton_ts {
class Host;
}

/// One for each model, so that JavaScript knows which Server is meant: several may share a host.
struct TRITONSERVER_Server {
  std::shared_ptr<triton_ts::Host> host;
  /// The model's number in its host, which JavaScript chose.
  uint32_t model_id = 0;
};
