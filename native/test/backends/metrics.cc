// Metrics of its own: families test_executes_total (counter), test_last_count (gauge) and test_count (histogram), with
// the label `model`. Answers OUTPUT (BYTES) with their values and with the errors of what the kinds do not allow.
#include <memory>

#include "answer.h"
#include "report.h"
#include "support.h"
#include "tensor.h"
#include "test_backend.h"

namespace triton_ts {
namespace {

/// One metric, in a family of its own handle.
class Metric {
 public:
  Metric(TRITONSERVER_MetricKind kind, const char* name, const char* model) {
    log_if_error(TRITONSERVER_MetricFamilyNew(&family_, kind, name, "Of a test."));
    if (family_ == nullptr) return;
    TRITONSERVER_Parameter* label = TRITONSERVER_ParameterNew("model", TRITONSERVER_PARAMETER_STRING, model);
    const TRITONSERVER_Parameter* labels[] = {label};
    if (kind == TRITONSERVER_METRIC_KIND_HISTOGRAM) {
      const double bounds[] = {1, 2, 5};
      TRITONSERVER_MetricArgs* args = nullptr;
      log_if_error(TRITONSERVER_MetricArgsNew(&args));
      log_if_error(TRITONSERVER_MetricArgsSetHistogram(args, bounds, 3));
      log_if_error(TRITONSERVER_MetricNewWithArgs(&metric_, family_, labels, 1, args));
      log_if_error(TRITONSERVER_MetricArgsDelete(args));
    } else {
      log_if_error(TRITONSERVER_MetricNew(&metric_, family_, labels, 1));
    }
    TRITONSERVER_ParameterDelete(label);
  }

  ~Metric() {
    if (metric_ != nullptr) log_if_error(TRITONSERVER_MetricDelete(metric_));
    if (family_ != nullptr) log_if_error(TRITONSERVER_MetricFamilyDelete(family_));
  }

  Metric(const Metric&) = delete;
  Metric& operator=(const Metric&) = delete;

  /// Null where the host has no metrics.
  TRITONSERVER_Metric* get() const { return metric_; }

  std::string inspect() const {
    Report report;
    TRITONSERVER_MetricKind kind = TRITONSERVER_METRIC_KIND_COUNTER;
    if (report.ok("kind", TRITONSERVER_GetMetricKind(metric_, &kind))) report.number("kind", static_cast<int>(kind));
    TRITONSERVER_MetricKind family_kind = TRITONSERVER_METRIC_KIND_COUNTER;
    if (report.ok("family_kind", TRITONSERVER_GetMetricFamilyKind(family_, &family_kind))) {
      report.number("family_kind", static_cast<int>(family_kind));
    }
    double value = 0;
    if (report.ok("value", TRITONSERVER_MetricValue(metric_, &value))) report.number("value", value);
    return report.json();
  }

 private:
  TRITONSERVER_MetricFamily* family_ = nullptr;
  TRITONSERVER_Metric* metric_ = nullptr;
};

struct ModelMetrics {
  explicit ModelMetrics(const char* model)
      : executes(TRITONSERVER_METRIC_KIND_COUNTER, "test_executes_total", model),
        last_count(TRITONSERVER_METRIC_KIND_GAUGE, "test_last_count", model),
        count(TRITONSERVER_METRIC_KIND_HISTOGRAM, "test_count", model) {}

  std::string inspect() const {
    Report report;
    report.raw("counter", executes.inspect());
    report.raw("gauge", last_count.inspect());
    report.raw("histogram", count.inspect());
    report.ok("counter_decrement", TRITONSERVER_MetricIncrement(executes.get(), -1));
    report.ok("counter_set", TRITONSERVER_MetricSet(executes.get(), 1));
    report.ok("counter_observe", TRITONSERVER_MetricObserve(executes.get(), 1));
    report.ok("gauge_observe", TRITONSERVER_MetricObserve(last_count.get(), 1));
    report.ok("histogram_set", TRITONSERVER_MetricSet(count.get(), 1));
    report.ok("histogram_increment", TRITONSERVER_MetricIncrement(count.get(), 1));
    return report.json();
  }

  Metric executes;
  Metric last_count;
  Metric count;
};

class Metrics : public TestBackend {
 public:
  TRITONSERVER_Error* model_initialize(TRITONBACKEND_Model* model) override {
    const char* name = nullptr;
    RETURN_IF_ERROR(TRITONBACKEND_ModelName(model, &name));
    return TRITONBACKEND_ModelSetState(model, std::make_unique<ModelMetrics>(name).release());
  }

  TRITONSERVER_Error* model_finalize(TRITONBACKEND_Model* model) override {
    ModelMetrics* metrics = nullptr;
    RETURN_IF_ERROR(metrics_of(model, &metrics));
    const std::unique_ptr<ModelMetrics> owned(metrics);
    return nullptr;
  }

  TRITONSERVER_Error* execute(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count) override {
    TRITONBACKEND_Model* model = nullptr;
    ModelMetrics* metrics = nullptr;
    RETURN_IF_ERROR(TRITONBACKEND_ModelInstanceModel(instance, &model));
    RETURN_IF_ERROR(metrics_of(model, &metrics));
    if (metrics->executes.get() == nullptr || metrics->last_count.get() == nullptr || metrics->count.get() == nullptr) {
      return new_error(TRITONSERVER_ERROR_UNAVAILABLE, "the host has no metrics");
    }
    RETURN_IF_ERROR(TRITONSERVER_MetricIncrement(metrics->executes.get(), 1));
    RETURN_IF_ERROR(TRITONSERVER_MetricSet(metrics->last_count.get(), count));
    RETURN_IF_ERROR(TRITONSERVER_MetricIncrement(metrics->last_count.get(), 0.5));
    RETURN_IF_ERROR(TRITONSERVER_MetricObserve(metrics->count.get(), count));
    answer_each(instance, requests, count, [metrics](TRITONBACKEND_Request*, TRITONBACKEND_Response* response) {
      return write_output(response, text_tensor("OUTPUT", metrics->inspect()));
    });
    return nullptr;
  }

 private:
  static TRITONSERVER_Error* metrics_of(TRITONBACKEND_Model* model, ModelMetrics** metrics) {
    void* state = nullptr;
    RETURN_IF_ERROR(TRITONBACKEND_ModelState(model, &state));
    *metrics = static_cast<ModelMetrics*>(state);
    return nullptr;
  }
};

}  // namespace

TestBackend& test_backend() {
  static Metrics backend;
  return backend;
}

}  // namespace triton_ts
