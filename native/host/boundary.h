// The border between C and C++.
#pragma once

#include <exception>
#include <new>
#include <type_traits>

#include "error.h"

namespace triton_ts {

/// Runs the body of a C function, so that no exception leaves it. The body returns an error to hand out, or nothing.
template <typename Body>
TRITONSERVER_Error* at_boundary(Body&& body) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return nullptr;
    } else {
      return body();
    }
  } catch (const std::bad_alloc&) {
    return make_error(TRITONSERVER_ERROR_UNAVAILABLE, "out of memory");
  } catch (const std::exception& error) {
    return internal_error(error.what());
  }
}

/// Hands a value out, unless the caller does not want it.
template <typename T, typename Value>
void set(T* out, Value value) {
  if (out != nullptr) *out = value;
}

}  // namespace triton_ts
