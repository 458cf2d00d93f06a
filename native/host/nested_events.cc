#include "nested_events.h"

#include "host.h"
#include "js_values.h"

namespace triton_ts {

InferEvent::InferEvent(const TRITONSERVER_InferenceRequest& request)
    : model_id_(request.server.model_id),
      model_name_(request.model_name),
      model_version_(request.model_version),
      id_(request.id),
      correlation_id_(request.correlation_id),
      has_correlation_text_(request.has_correlation_text),
      correlation_text_(request.correlation_text),
      flags_(request.flags),
      priority_(request.priority),
      timeout_us_(request.timeout_us),
      parameters_(request.parameters),
      outputs_(request.outputs) {}

ErrorPtr InferEvent::copy_inputs(const TRITONSERVER_InferenceRequest& request) {
  inputs_.reserve(request.inputs.size());
  for (const NestedInput& from : request.inputs) {
    Input& to = inputs_.emplace_back();
    to.name = from.name;
    to.datatype = from.datatype;
    to.shape = from.shape;
    if (auto error = from.gather(to.bytes)) return error;
  }
  return nullptr;
}

void InferEvent::write(EventWriter& writer) {
  const Napi::Env env(writer.env());
  auto request = Napi::Object::New(env);
  request.Set("modelName", model_name_);
  request.Set("modelVersion", static_cast<double>(model_version_));
  request.Set("id", id_);
  if (has_correlation_text_) {
    request.Set("correlationId", correlation_text_);
  } else {
    request.Set("correlationId", Napi::BigInt::New(env, correlation_id_));
  }
  request.Set("flags", flags_);
  request.Set("priority", static_cast<double>(priority_));
  request.Set("timeoutMicroseconds", static_cast<double>(timeout_us_));
  request.Set("parameters", to_js(env, parameters_));
  auto inputs = Napi::Array::New(env, inputs_.size());
  for (uint32_t i = 0; i < inputs_.size(); i++) {
    auto input = Napi::Object::New(env);
    input.Set("name", inputs_[i].name);
    input.Set("datatype", static_cast<double>(inputs_[i].datatype));
    input.Set("shape", to_js(env, inputs_[i].shape));
    input.Set("data", Napi::Value(env, to_uint8_array(env, inputs_[i].bytes)));
    inputs.Set(i, input);
  }
  request.Set("inputs", inputs);
  auto outputs = Napi::Array::New(env, outputs_.size());
  for (uint32_t i = 0; i < outputs_.size(); i++) outputs.Set(i, outputs_[i]);
  request.Set("outputs", outputs);
  writer.kind(EventKind::kInfer);
  writer.number(infer_id_);
  writer.number(model_id_);
  writer.value(request);
}

void InferCancelEvent::write(EventWriter& writer) {
  writer.kind(EventKind::kInferCancel);
  writer.number(infer_id_);
}

void InferAnsweredEvent::write(EventWriter& writer) {
  host_.let_go(keep_);
  writer.kind(EventKind::kInferAnswered);
  writer.number(infer_id_);
  writer.number(final_ ? 1 : 0);
}

}  // namespace triton_ts
