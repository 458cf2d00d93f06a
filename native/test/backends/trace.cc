// Answers OUTPUT (BYTES) with what it sees of the request's trace, to which it adds a child and an activity of its own:
// a JSON object, "{}" without a trace.
#include "answer.h"
#include "report.h"
#include "support.h"
#include "tensor.h"
#include "test_backend.h"

namespace triton_ts {
namespace {

std::string inspect_trace(TRITONSERVER_InferenceTrace* trace) {
  Report report;
  uint64_t id = 0;
  if (report.ok("id", TRITONSERVER_InferenceTraceId(trace, &id))) report.number("id", id);
  uint64_t parent = 0;
  if (report.ok("parent_id", TRITONSERVER_InferenceTraceParentId(trace, &parent))) report.number("parent_id", parent);
  const char* model = nullptr;
  if (report.ok("model_name", TRITONSERVER_InferenceTraceModelName(trace, &model))) report.text("model_name", model);
  int64_t version = 0;
  if (report.ok("model_version", TRITONSERVER_InferenceTraceModelVersion(trace, &version))) {
    report.number("model_version", version);
  }
  const char* request = nullptr;
  if (report.ok("request_id", TRITONSERVER_InferenceTraceRequestId(trace, &request))) {
    report.text("request_id", request);
  }
  const char* context = nullptr;
  if (report.ok("context", TRITONSERVER_InferenceTraceContext(trace, &context))) report.text("context", context);
  return report.json();
}

std::string inspect_child(TRITONSERVER_InferenceTrace* trace) {
  Report report;
  TRITONSERVER_InferenceTrace* child = nullptr;
  if (!report.ok("spawn", TRITONSERVER_InferenceTraceSpawnChildTrace(trace, &child))) return report.json();
  std::string text = inspect_trace(child);
  log_if_error(TRITONSERVER_InferenceTraceDelete(child));
  return text;
}

TRITONSERVER_Error* answer(TRITONBACKEND_Request* request, TRITONBACKEND_Response* response) {
  TRITONSERVER_InferenceTrace* trace = nullptr;
  RETURN_IF_ERROR(TRITONBACKEND_RequestTrace(request, &trace));
  Report report;
  if (trace != nullptr) {
    report.raw("trace", inspect_trace(trace));
    const std::string key = "report_activity";
    if (report.ok(key, TRITONSERVER_InferenceTraceReportActivity(trace, now_ns(), "TEST_ACTIVITY"))) {
      report.text(key, "ok");
    }
    report.raw("child", inspect_child(trace));
    report.text("activity_name", TRITONSERVER_InferenceTraceActivityString(TRITONSERVER_TRACE_CUSTOM_ACTIVITY));
    report.text("level_name", TRITONSERVER_InferenceTraceLevelString(TRITONSERVER_TRACE_LEVEL_TIMESTAMPS));
  }
  return write_output(response, text_tensor("OUTPUT", report.json()));
}

class Trace : public TestBackend {
 public:
  TRITONSERVER_Error* execute(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count) override {
    answer_each(instance, requests, count, answer);
    return nullptr;
  }
};

}  // namespace

TestBackend& test_backend() {
  static Trace backend;
  return backend;
}

}  // namespace triton_ts
