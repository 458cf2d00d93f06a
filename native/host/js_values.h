// Values that JavaScript and the addon exchange as objects; `binding.ts` describes them.
#pragma once

#include <napi.h>

#include "error.h"
#include "parameter.h"
#include "shape.h"

namespace triton_ts {

/// NativeParameter[].
Napi::Array to_js(Napi::Env env, const Parameters& parameters);
Parameters parameters_from_js(const Napi::Value& value);

Napi::Array to_js(Napi::Env env, const Shape& shape);
Shape shape_from_js(const Napi::Value& value);

/// NativeError, or undefined for an empty result.
ErrorPtr error_from_js(const Napi::Value& value);

}  // namespace triton_ts
