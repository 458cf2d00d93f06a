#include "inspect_server.h"

#include "report.h"
#include "support.h"

namespace triton_ts {
namespace {

/// Reports a message, which is deleted.
void take_message(Report* report, const std::string& key, TRITONSERVER_Error* error, TRITONSERVER_Message* message) {
  if (!report->ok(key, error)) return;
  report->raw(key, message_text(message));
  log_if_error(TRITONSERVER_MessageDelete(message));
}

void inspect_readiness(Report* report, TRITONSERVER_Server* server, const char* model, const std::string& when) {
  bool ready = false;
  const std::string key = "ready_" + when;
  if (report->ok(key, TRITONSERVER_ServerModelIsReady(server, model, -1, &ready))) report->flag(key, ready);
}

void inspect_messages(Report* report, TRITONSERVER_Server* server, const char* model) {
  TRITONSERVER_Message* message = nullptr;
  TRITONSERVER_Error* error = TRITONSERVER_ServerMetadata(server, &message);
  take_message(report, "metadata", error, message);
  error = TRITONSERVER_ServerModelMetadata(server, model, -1, &message);
  take_message(report, "model_metadata", error, message);
  error = TRITONSERVER_ServerModelConfig(server, model, -1, 1, &message);
  take_message(report, "model_config", error, message);
  error = TRITONSERVER_ServerModelStatistics(server, model, -1, &message);
  take_message(report, "model_statistics", error, message);
  error = TRITONSERVER_ServerModelIndex(server, TRITONSERVER_INDEX_FLAG_READY, &message);
  take_message(report, "model_index", error, message);
}

void inspect_properties(Report* report, TRITONSERVER_Server* server, const char* model) {
  bool live = false;
  if (report->ok("live", TRITONSERVER_ServerIsLive(server, &live))) report->flag("live", live);
  bool ready = false;
  if (report->ok("ready", TRITONSERVER_ServerIsReady(server, &ready))) report->flag("ready", ready);
  uint32_t flags = 0;
  void* extra = nullptr;
  if (report->ok("batch", TRITONSERVER_ServerModelBatchProperties(server, model, -1, &flags, &extra))) {
    report->number("batch", flags);
  }
  if (report->ok("transaction", TRITONSERVER_ServerModelTransactionProperties(server, model, -1, &flags, &extra))) {
    report->number("transaction", flags);
  }
}

/// Whether the metrics' text holds Triton's own metrics.
void inspect_metrics(Report* report, TRITONSERVER_Server* server) {
  TRITONSERVER_Metrics* metrics = nullptr;
  if (!report->ok("metrics", TRITONSERVER_ServerMetrics(server, &metrics))) return;
  const char* text = nullptr;
  size_t byte_size = 0;
  TRITONSERVER_Error* error =
      TRITONSERVER_MetricsFormatted(metrics, TRITONSERVER_METRIC_PROMETHEUS, &text, &byte_size);
  if (report->ok("metrics", error)) {
    report->flag("metrics", std::string(text, byte_size).find("nv_inference_count") != std::string::npos);
  }
  log_if_error(TRITONSERVER_MetricsDelete(metrics));
}

}  // namespace

std::string inspect_server(TRITONSERVER_Server* server, const std::string& model) {
  Report report;
  inspect_readiness(&report, server, model.c_str(), "before");
  if (report.ok("load", TRITONSERVER_ServerLoadModel(server, model.c_str()))) report.text("load", "ok");
  inspect_readiness(&report, server, model.c_str(), "loaded");
  inspect_messages(&report, server, model.c_str());
  inspect_properties(&report, server, model.c_str());
  inspect_metrics(&report, server);
  if (report.ok("unload", TRITONSERVER_ServerUnloadModel(server, model.c_str()))) report.text("unload", "ok");
  report.ok("load_unknown", TRITONSERVER_ServerLoadModel(server, "no such model"));
  return report.json();
}

}  // namespace triton_ts
