// The addon's objects as JavaScript holds them.
#pragma once

#include <node_api.h>

#include <memory>
#include <stdexcept>

#include "napi_check.h"

namespace triton_ts {

/// An opaque value that owns a reference to the object.
template <typename T>
napi_value make_handle(napi_env env, std::shared_ptr<T> object) {
  auto* held = new std::shared_ptr<T>(std::move(object));
  napi_value handle = nullptr;
  const auto finalize = [](napi_env, void* data, void*) { delete static_cast<std::shared_ptr<T>*>(data); };
  if (napi_create_external(env, held, finalize, nullptr, &handle) != napi_ok) delete held;
  return handle;
}

/// Throws std::runtime_error for one that was closed, or is no handle.
template <typename T>
std::shared_ptr<T>& from_handle(napi_env env, napi_value handle) {
  void* data = nullptr;
  check(napi_get_value_external(env, handle, &data));
  auto& object = *static_cast<std::shared_ptr<T>*>(data);
  if (!object) throw std::runtime_error("the native object is closed");
  return object;
}

}  // namespace triton_ts
