// TRITONSERVER_Metrics*: the text of all metrics.
#include "boundary.h"
#include "server_query.h"

using namespace triton_ts;

struct TRITONSERVER_Metrics {
  TRITONSERVER_Server server;
  /// Of the last time that it was asked for.
  std::string text;
};

extern "C" {

TRITONSERVER_Error* TRITONSERVER_ServerMetrics(TRITONSERVER_Server* server, TRITONSERVER_Metrics** out) {
  return at_boundary([&] {
    auto metrics = std::make_unique<TRITONSERVER_Metrics>();
    metrics->server = *server;
    *out = metrics.release();
  });
}

TRITONSERVER_Error* TRITONSERVER_MetricsDelete(TRITONSERVER_Metrics* metrics) {
  const std::unique_ptr<TRITONSERVER_Metrics> owned(metrics);
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_MetricsFormatted(TRITONSERVER_Metrics* metrics, TRITONSERVER_MetricFormat format,
                                                  const char** text, size_t* byte_size) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (format != TRITONSERVER_METRIC_PROMETHEUS) {
      return invalid_argument("unknown metrics format '" + std::to_string(format) + "'");
    }
    auto answer = ask(metrics->server, {"metrics", "", -1, 0, {}});
    if (answer.error) return answer.error.release();
    metrics->text = std::move(answer.json);
    set(text, metrics->text.c_str());
    set(byte_size, metrics->text.size());
    return nullptr;
  });
}

}  // extern "C"
