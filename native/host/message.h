// TRITONSERVER_Message: a JSON text.
#pragma once

#include <string>

#include "live_objects.h"
#include "triton/tritonserver.h"

struct TRITONSERVER_Message {
  std::string json;
  triton_ts::Counted<triton_ts::ObjectKind::kMessage> counted;
};
