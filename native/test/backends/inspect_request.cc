#include "inspect_request.h"

#include "inspect_tensor.h"
#include "report.h"

namespace triton_ts {
namespace {

std::string inspect_parameters(TRITONBACKEND_Request* request) {
  Report report;
  uint32_t count = 0;
  if (!report.ok("count", TRITONBACKEND_RequestParameterCount(request, &count))) return report.json();
  for (uint32_t index = 0; index <= count; index++) {
    const char* key = nullptr;
    TRITONSERVER_ParameterType type = TRITONSERVER_PARAMETER_STRING;
    const void* value = nullptr;
    if (!report.ok("beyond", TRITONBACKEND_RequestParameter(request, index, &key, &type, &value))) break;
    report.text(key, TRITONSERVER_ParameterTypeString(type));
  }
  return report.json();
}

std::string inspect_inputs(TRITONBACKEND_Request* request) {
  Report report;
  uint32_t count = 0;
  if (report.ok("count", TRITONBACKEND_RequestInputCount(request, &count))) report.number("count", count);
  for (uint32_t index = 0; index <= count; index++) {
    const char* name = nullptr;
    TRITONBACKEND_Input* input = nullptr;
    const std::string key = std::to_string(index);
    if (!report.ok("name_beyond", TRITONBACKEND_RequestInputName(request, index, &name))) name = "no such input";
    if (report.ok("input_beyond", TRITONBACKEND_RequestInputByIndex(request, index, &input))) {
      report.raw(key, inspect_input(input));
    }
    TRITONBACKEND_Input* by_name = nullptr;
    if (report.ok("unknown", TRITONBACKEND_RequestInput(request, name, &by_name))) {
      report.flag(key + " is the same by name", by_name == input);
    }
  }
  return report.json();
}

std::string inspect_outputs(TRITONBACKEND_Request* request) {
  Report report;
  uint32_t count = 0;
  if (report.ok("count", TRITONBACKEND_RequestOutputCount(request, &count))) report.number("count", count);
  for (uint32_t index = 0; index <= count; index++) {
    const char* name = nullptr;
    if (!report.ok("beyond", TRITONBACKEND_RequestOutputName(request, index, &name))) break;
    size_t byte_size = 16;
    TRITONSERVER_MemoryType type = TRITONSERVER_MEMORY_CPU;
    int64_t type_id = 0;
    if (report.ok(name, TRITONBACKEND_RequestOutputBufferProperties(request, name, &byte_size, &type, &type_id))) {
      report.text(name, TRITONSERVER_MemoryTypeString(type));
    }
  }
  return report.json();
}

}  // namespace

std::string inspect_request(TRITONBACKEND_Request* request) {
  Report report;
  const char* id = nullptr;
  if (report.ok("id", TRITONBACKEND_RequestId(request, &id))) report.text("id", id);
  uint64_t correlation = 0;
  if (report.ok("correlation_id", TRITONBACKEND_RequestCorrelationId(request, &correlation))) {
    report.number("correlation_id", correlation);
  }
  const char* correlation_text = nullptr;
  if (report.ok("correlation_id_string", TRITONBACKEND_RequestCorrelationIdString(request, &correlation_text))) {
    report.text("correlation_id_string", correlation_text);
  }
  uint32_t flags = 0;
  if (report.ok("flags", TRITONBACKEND_RequestFlags(request, &flags))) report.number("flags", flags);
  uint64_t timeout = 0;
  if (report.ok("timeout", TRITONBACKEND_InferenceRequestTimeoutMicroseconds(request, &timeout))) {
    report.number("timeout", timeout);
  }
  bool cancelled = true;
  if (report.ok("cancelled", TRITONBACKEND_RequestIsCancelled(request, &cancelled))) {
    report.flag("cancelled", cancelled);
  }
  TRITONSERVER_InferenceTrace* trace = nullptr;
  if (report.ok("traced", TRITONBACKEND_RequestTrace(request, &trace))) report.flag("traced", trace != nullptr);
  report.raw("parameters", inspect_parameters(request));
  report.raw("inputs", inspect_inputs(request));
  report.raw("outputs", inspect_outputs(request));
  return report.json();
}

}  // namespace triton_ts
