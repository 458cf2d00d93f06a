#include "execution.h"
#include "instance.h"
#include "napi_check.h"

namespace triton_ts {

SubmissionReader::SubmissionReader(napi_env env, Host& host, napi_value values)
    : env_(env), host_(host), values_(values), next_(host.submission()) {}

napi_value SubmissionReader::value() {
  napi_value result;
  check(napi_get_element(env_, values_, next_value_++, &result));
  return result;
}

std::string SubmissionReader::text() {
  const napi_value value = this->value();
  size_t length = 0;
  check(napi_get_value_string_utf8(env_, value, nullptr, 0, &length));
  std::string result(length, '\0');
  // The terminating zero has its place behind a string's characters.
  check(napi_get_value_string_utf8(env_, value, result.data(), length + 1, &length));
  return result;
}

std::string SubmissionReader::name(const TRITONBACKEND_Model& model) {
  const double index = number();
  return index < 0 ? text() : model.names.name(static_cast<size_t>(index));
}

void SubmissionReader::read(TRITONBACKEND_Request& request, const std::shared_ptr<TRITONBACKEND_Model>& model,
                            bool answerable) {
  const auto id = static_cast<uint32_t>(number());
  request.channel = std::make_shared<Channel>(model->host, model, id);
  if (answerable) {
    host_.remember(request.channel);
  } else {
    request.channel->claim_final();
  }
  request.flags = static_cast<uint32_t>(number());
  request.priority = static_cast<uint32_t>(number());
  request.timeout_us = static_cast<uint64_t>(number());
  read_correlation_id(request);
  if (number() != 0) request.id = text();
  read_parameters(request.parameters);
  request.inputs.resize(count());
  for (TRITONBACKEND_Input& input : request.inputs) read_input(input, *model);
  request.requested_outputs.resize(count());
  for (std::string& output : request.requested_outputs) output = name(*model);
  read_trace(request, *model);
}

void SubmissionReader::read_correlation_id(TRITONBACKEND_Request& request) {
  const double kind = number();
  if (kind == 1) {
    bool lossless;
    check(napi_get_value_bigint_uint64(env_, value(), &request.correlation_id, &lossless));
  } else if (kind == 2) {
    request.correlation_text = text();
    request.has_correlation_text = true;
  }
}

void SubmissionReader::read_parameters(Parameters& parameters) {
  parameters.resize(count());
  for (TRITONSERVER_Parameter& parameter : parameters) {
    parameter.type = static_cast<TRITONSERVER_ParameterType>(number());
    parameter.name = text();
    switch (parameter.type) {
      case TRITONSERVER_PARAMETER_STRING:
        parameter.value = text();
        break;
      case TRITONSERVER_PARAMETER_INT: {
        int64_t integer;
        bool lossless;
        check(napi_get_value_bigint_int64(env_, value(), &integer, &lossless));
        parameter.value = integer;
        break;
      }
      case TRITONSERVER_PARAMETER_BOOL:
        parameter.value = number() != 0;
        break;
      case TRITONSERVER_PARAMETER_DOUBLE:
        parameter.value = number();
        break;
      case TRITONSERVER_PARAMETER_BYTES: {
        void* data;
        size_t length;
        check(napi_get_typedarray_info(env_, value(), nullptr, &length, &data, nullptr, nullptr));
        parameter.value = std::string(static_cast<const char*>(data), length);
        break;
      }
    }
  }
}

void SubmissionReader::read_input(TRITONBACKEND_Input& input, const TRITONBACKEND_Model& model) {
  input.name = name(model);
  input.datatype = static_cast<TRITONSERVER_DataType>(number());
  input.shape.resize(count());
  for (int64_t& dimension : input.shape) dimension = static_cast<int64_t>(number());
  void* data;
  check(napi_get_typedarray_info(env_, value(), nullptr, &input.attributes.byte_size, &data, nullptr, nullptr));
  input.data = data;
  input.memory = find_loan(data);
}

void SubmissionReader::read_trace(TRITONBACKEND_Request& request, const TRITONBACKEND_Model& model) {
  const auto level = static_cast<uint32_t>(number());
  if (level == TRITONSERVER_TRACE_LEVEL_DISABLED) return;
  request.trace = std::make_unique<TRITONSERVER_InferenceTrace>();
  TRITONSERVER_InferenceTrace& trace = *request.trace;
  trace.host = model.host;
  trace.engine_request = request.channel->request_id();
  trace.level = level;
  trace.parent_id = static_cast<uint64_t>(number());
  trace.id = static_cast<uint64_t>(number());
  trace.context = text();
  trace.model_name = model.name;
  trace.model_version = static_cast<int64_t>(model.version);
  trace.request_id = request.id;
}

}  // namespace triton_ts
