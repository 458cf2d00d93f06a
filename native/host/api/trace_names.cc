// The names of what traces are about.
#include "triton/tritonserver.h"

extern "C" {

const char* TRITONSERVER_InferenceTraceLevelString(TRITONSERVER_InferenceTraceLevel level) {
  switch (level) {
    case TRITONSERVER_TRACE_LEVEL_DISABLED:
      return "DISABLED";
    case TRITONSERVER_TRACE_LEVEL_MIN:
      return "MIN";
    case TRITONSERVER_TRACE_LEVEL_MAX:
      return "MAX";
    case TRITONSERVER_TRACE_LEVEL_TIMESTAMPS:
      return "TIMESTAMPS";
    case TRITONSERVER_TRACE_LEVEL_TENSORS:
      return "TENSORS";
  }
  return "<unknown>";
}

const char* TRITONSERVER_InferenceTraceActivityString(TRITONSERVER_InferenceTraceActivity activity) {
  // In the order of their numbers.
  static const char* const names[] = {
      "REQUEST_START",        "QUEUE_START", "COMPUTE_START", "COMPUTE_INPUT_END",  "COMPUTE_OUTPUT_START",
      "COMPUTE_END",          "REQUEST_END", "TENSOR_QUEUE_INPUT", "TENSOR_BACKEND_INPUT",
      "TENSOR_BACKEND_OUTPUT", "CUSTOM_ACTIVITY"};
  const auto index = static_cast<unsigned>(activity);
  return index < sizeof(names) / sizeof(*names) ? names[index] : "<unknown>";
}

}  // extern "C"
