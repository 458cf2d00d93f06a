// A named value of a request, a response, a label or a load.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "triton/tritonserver.h"

struct TRITONSERVER_Parameter {
  std::string name;
  TRITONSERVER_ParameterType type;
  /// A STRING or BYTES value is the text.
  std::variant<std::string, int64_t, bool, double> value;

  /// What the C functions hand out: the text's first character, or the number's place.
  const void* pointer() const;
};

namespace triton_ts {

using Parameters = std::vector<TRITONSERVER_Parameter>;

}  // namespace triton_ts
