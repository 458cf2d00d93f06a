// Results of Node's functions.
#pragma once

#include <node_api.h>

#include <stdexcept>

namespace triton_ts {

/// Functions that make or read JavaScript's objects fail, and leave their results unset, from the moment in which a
/// worker thread is being terminated: any call may be the first of them.
inline void check(napi_status status) {
  if (status != napi_ok) throw std::runtime_error("the JavaScript environment ends");
}

}  // namespace triton_ts
