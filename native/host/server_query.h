// What a library asks of the server behind its model.
#pragma once

#include <cstdint>
#include <string>

#include "event.h"
#include "host.h"
#include "parameter.h"
#include "server.h"

namespace triton_ts {

struct ServerQuery {
  /// As in `NativeQuery`.
  const char* kind;
  std::string model_name;
  int64_t model_version = -1;
  uint32_t flags = 0;
  Parameters parameters;
};

/// Waits for JavaScript's answer.
Host::QueryAnswer ask(const TRITONSERVER_Server& server, const ServerQuery& query);

}  // namespace triton_ts
