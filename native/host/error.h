// TRITONSERVER_Error as an owned C++ value.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "triton/tritonserver.h"

struct TRITONSERVER_Error {
  TRITONSERVER_Error_Code code;
  std::string message;
};

namespace triton_ts {

/// Owns an error that came over the C boundary; empty means success.
using ErrorPtr = std::unique_ptr<TRITONSERVER_Error>;

/// A new error for the C boundary, which the receiver deletes with TRITONSERVER_ErrorDelete.
inline TRITONSERVER_Error* make_error(TRITONSERVER_Error_Code code, std::string message) {
  return new TRITONSERVER_Error{code, std::move(message)};
}

inline TRITONSERVER_Error* invalid_argument(std::string message) {
  return make_error(TRITONSERVER_ERROR_INVALID_ARG, std::move(message));
}

inline TRITONSERVER_Error* internal_error(std::string message) {
  return make_error(TRITONSERVER_ERROR_INTERNAL, std::move(message));
}

}  // namespace triton_ts
