// JavaScript's answers to nested requests and queries.
#include "bindings.h"
#include "handles.h"
#include "host.h"
#include "js_values.h"
#include "nested_inferences.h"

namespace triton_ts {
namespace {

NestedAnswer::Output output_from_js(const Napi::Object& object) {
  NestedAnswer::Output output;
  output.name = object.Get("name").As<Napi::String>();
  output.datatype = static_cast<TRITONSERVER_DataType>(object.Get("datatype").As<Napi::Number>().Int32Value());
  output.shape = shape_from_js(object.Get("shape"));
  const auto data = object.Get("data").As<Napi::Uint8Array>();
  output.data = data.Data();
  output.memory = find_loan(output.data);
  output.byte_size = data.ByteLength();
  return output;
}

NestedAnswer answer_from_js(const Napi::Object& object) {
  NestedAnswer answer;
  answer.final = object.Get("final").As<Napi::Boolean>();
  answer.is_bare_end = object.Get("isBareEnd").ToBoolean();
  answer.error = error_from_js(object.Get("error"));
  answer.model_name = object.Get("modelName").As<Napi::String>();
  answer.model_version = object.Get("modelVersion").As<Napi::Number>().Int64Value();
  answer.id = object.Get("id").As<Napi::String>();
  answer.parameters = parameters_from_js(object.Get("parameters"));
  const auto outputs = object.Get("outputs").As<Napi::Array>();
  for (uint32_t i = 0; i < outputs.Length(); i++) {
    const Napi::Value output = outputs.Get(i);
    answer.outputs.push_back(output_from_js(output.As<Napi::Object>()));
  }
  return answer;
}

void answer_infer(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto& host = from_handle<Host>(env, info[0]);
  const uint32_t infer = info[1].As<Napi::Number>();
  NestedAnswer answer = answer_from_js(info[2].As<Napi::Object>());
  const napi_ref keep = answer.outputs.empty() ? nullptr : host->hold(info[2]);
  answer.keep = keep;
  if (!host->nested().answer(infer, answer)) host->let_go(keep);
}

void answer_query(const Napi::CallbackInfo& info) {
  const auto& host = from_handle<Host>(info.Env(), info[0]);
  const uint32_t query = info[1].As<Napi::Number>();
  host->answer_query(query, {error_from_js(info[3]), info[2].As<Napi::String>()});
}

}  // namespace

void add_answers(Napi::Object exports) {
  exports.Set("answerInfer", Napi::Function::New<answer_infer>(exports.Env(), "answerInfer"));
  exports.Set("answerQuery", Napi::Function::New<answer_query>(exports.Env(), "answerQuery"));
}

}  // namespace triton_ts
