// TRITONSERVER_Metric*.
#include "boundary.h"
#include "metric_family.h"
#include "origin.h"
#include "parameter.h"

using namespace triton_ts;

namespace {

/// Labels are parameters of type STRING.
ErrorPtr to_labels(const TRITONSERVER_Parameter** parameters, uint64_t count, Labels& labels) {
  for (uint64_t i = 0; i < count; i++) {
    const TRITONSERVER_Parameter& parameter = *parameters[i];
    if (parameter.type != TRITONSERVER_PARAMETER_STRING) {
      return ErrorPtr(invalid_argument(
          "Parameter [" + parameter.name +
          "] must have a type of TRITONSERVER_PARAMETER_STRING to be added as a label."));
    }
    labels[parameter.name] = std::get<std::string>(parameter.value);
  }
  return nullptr;
}

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONSERVER_MetricFamilyNew(TRITONSERVER_MetricFamily** out, TRITONSERVER_MetricKind kind,
                                                 const char* name, const char* help) {
  const void* caller = __builtin_return_address(0);
  return at_boundary([&]() -> TRITONSERVER_Error* {
    ErrorPtr error;
    auto family = find_or_make_family(current_origin(caller).host, kind, name, help, error);
    if (error) return error.release();
    auto handle = std::make_unique<TRITONSERVER_MetricFamily>();
    handle->family = std::move(family);
    *out = handle.release();
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_MetricFamilyDelete(TRITONSERVER_MetricFamily* family) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (family != nullptr && family->metric_count > 0) {
      return internal_error("Must call MetricDelete on all dependent metrics before calling MetricFamilyDelete.");
    }
    const std::unique_ptr<TRITONSERVER_MetricFamily> owned(family);
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_GetMetricFamilyKind(TRITONSERVER_MetricFamily* family, TRITONSERVER_MetricKind* out) {
  set(out, family->family->kind());
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_MetricArgsNew(TRITONSERVER_MetricArgs** out) {
  return at_boundary([&] { *out = std::make_unique<TRITONSERVER_MetricArgs>().release(); });
}

TRITONSERVER_Error* TRITONSERVER_MetricArgsSetHistogram(TRITONSERVER_MetricArgs* args, const double* bounds,
                                                        uint64_t count) {
  return at_boundary([&] {
    args->is_histogram = true;
    args->bounds.assign(bounds, bounds + count);
  });
}

TRITONSERVER_Error* TRITONSERVER_MetricArgsDelete(TRITONSERVER_MetricArgs* args) {
  const std::unique_ptr<TRITONSERVER_MetricArgs> owned(args);
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_MetricNew(TRITONSERVER_Metric** out, TRITONSERVER_MetricFamily* family,
                                           const TRITONSERVER_Parameter** labels, uint64_t count) {
  return TRITONSERVER_MetricNewWithArgs(out, family, labels, count, nullptr);
}

TRITONSERVER_Error* TRITONSERVER_MetricNewWithArgs(TRITONSERVER_Metric** out, TRITONSERVER_MetricFamily* family,
                                                   const TRITONSERVER_Parameter** labels, uint64_t count,
                                                   const TRITONSERVER_MetricArgs* args) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    Labels map;
    if (auto error = to_labels(labels, count, map)) return error.release();
    auto metric = std::make_unique<TRITONSERVER_Metric>();
    metric->handle = family;
    if (auto error = family->family->add(map, args, metric->series)) return error.release();
    family->metric_count++;
    *out = metric.release();
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_MetricDelete(TRITONSERVER_Metric* metric) {
  const std::unique_ptr<TRITONSERVER_Metric> owned(metric);
  if (owned) owned->handle->metric_count--;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_MetricValue(TRITONSERVER_Metric* metric, double* out) {
  return at_boundary([&] { return metric->handle->family->read(*metric->series, out).release(); });
}

TRITONSERVER_Error* TRITONSERVER_MetricIncrement(TRITONSERVER_Metric* metric, double value) {
  return at_boundary([&] { return metric->handle->family->increment(*metric->series, value).release(); });
}

TRITONSERVER_Error* TRITONSERVER_MetricSet(TRITONSERVER_Metric* metric, double value) {
  return at_boundary([&] { return metric->handle->family->set(*metric->series, value).release(); });
}

TRITONSERVER_Error* TRITONSERVER_MetricObserve(TRITONSERVER_Metric* metric, double value) {
  return at_boundary([&] { return metric->handle->family->observe(*metric->series, value).release(); });
}

TRITONSERVER_Error* TRITONSERVER_GetMetricKind(TRITONSERVER_Metric* metric, TRITONSERVER_MetricKind* out) {
  set(out, metric->handle->family->kind());
  return nullptr;
}

}  // extern "C"
