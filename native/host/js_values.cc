#include "js_values.h"

namespace triton_ts {
namespace {

Napi::Value value_of(Napi::Env env, const TRITONSERVER_Parameter& parameter) {
  switch (parameter.type) {
    case TRITONSERVER_PARAMETER_STRING:
      return Napi::String::New(env, std::get<std::string>(parameter.value));
    case TRITONSERVER_PARAMETER_INT:
      return Napi::BigInt::New(env, std::get<int64_t>(parameter.value));
    case TRITONSERVER_PARAMETER_BOOL:
      return Napi::Boolean::New(env, std::get<bool>(parameter.value));
    case TRITONSERVER_PARAMETER_DOUBLE:
      return Napi::Number::New(env, std::get<double>(parameter.value));
    case TRITONSERVER_PARAMETER_BYTES: {
      const auto& bytes = std::get<std::string>(parameter.value);
      auto result = Napi::Uint8Array::New(env, bytes.size());
      bytes.copy(reinterpret_cast<char*>(result.Data()), bytes.size());
      return result;
    }
  }
  return env.Undefined();
}

TRITONSERVER_Parameter parameter_from_js(const Napi::Object& object) {
  TRITONSERVER_Parameter parameter;
  parameter.name = object.Get("name").As<Napi::String>();
  parameter.type = static_cast<TRITONSERVER_ParameterType>(object.Get("type").As<Napi::Number>().Int32Value());
  const Napi::Value value = object.Get("value");
  switch (parameter.type) {
    case TRITONSERVER_PARAMETER_STRING:
      parameter.value = value.As<Napi::String>().Utf8Value();
      break;
    case TRITONSERVER_PARAMETER_INT: {
      bool lossless;
      parameter.value = value.As<Napi::BigInt>().Int64Value(&lossless);
      break;
    }
    case TRITONSERVER_PARAMETER_BOOL:
      parameter.value = value.As<Napi::Boolean>().Value();
      break;
    case TRITONSERVER_PARAMETER_DOUBLE:
      parameter.value = value.As<Napi::Number>().DoubleValue();
      break;
    case TRITONSERVER_PARAMETER_BYTES: {
      const auto bytes = value.As<Napi::Uint8Array>();
      parameter.value = std::string(reinterpret_cast<const char*>(bytes.Data()), bytes.ByteLength());
      break;
    }
  }
  return parameter;
}

}  // namespace

Napi::Array to_js(Napi::Env env, const Parameters& parameters) {
  auto result = Napi::Array::New(env, parameters.size());
  for (uint32_t i = 0; i < parameters.size(); i++) {
    auto object = Napi::Object::New(env);
    object.Set("name", parameters[i].name);
    object.Set("type", static_cast<double>(parameters[i].type));
    object.Set("value", value_of(env, parameters[i]));
    result.Set(i, object);
  }
  return result;
}

Parameters parameters_from_js(const Napi::Value& value) {
  const auto array = value.As<Napi::Array>();
  Parameters parameters;
  for (uint32_t i = 0; i < array.Length(); i++) {
    const Napi::Value parameter = array.Get(i);
    parameters.push_back(parameter_from_js(parameter.As<Napi::Object>()));
  }
  return parameters;
}

Napi::Array to_js(Napi::Env env, const Shape& shape) {
  auto result = Napi::Array::New(env, shape.size());
  for (uint32_t i = 0; i < shape.size(); i++) result.Set(i, static_cast<double>(shape[i]));
  return result;
}

Shape shape_from_js(const Napi::Value& value) {
  const auto array = value.As<Napi::Array>();
  Shape shape(array.Length());
  for (uint32_t i = 0; i < shape.size(); i++) {
    const Napi::Value dimension = array.Get(i);
    shape[i] = dimension.As<Napi::Number>().Int64Value();
  }
  return shape;
}

ErrorPtr error_from_js(const Napi::Value& value) {
  if (!value.IsObject()) return nullptr;
  const auto object = value.As<Napi::Object>();
  const auto code = static_cast<TRITONSERVER_Error_Code>(object.Get("code").As<Napi::Number>().Int32Value());
  return ErrorPtr(make_error(code, object.Get("message").As<Napi::String>()));
}

}  // namespace triton_ts
