// What JavaScript reads of the libraries' metrics.
#include "bindings.h"
#include "handles.h"
#include "host.h"
#include "metric_family.h"

namespace triton_ts {
namespace {

Napi::Object describe(Napi::Env env, const MetricSeries& series) {
  auto result = Napi::Object::New(env);
  auto labels = Napi::Object::New(env);
  for (const auto& [key, value] : series.labels) labels.Set(key, value);
  result.Set("labels", labels);
  result.Set("value", series.value);
  auto buckets = Napi::Array::New(env, series.bounds.size());
  uint64_t below = 0;
  for (uint32_t i = 0; i < series.bounds.size(); i++) {
    below += series.counts[i];
    auto bucket = Napi::Object::New(env);
    bucket.Set("le", series.bounds[i]);
    bucket.Set("count", static_cast<double>(below));
    buckets.Set(i, bucket);
  }
  result.Set("buckets", buckets);
  result.Set("sum", series.sum);
  result.Set("count", static_cast<double>(series.count));
  return result;
}

Napi::Object describe(Napi::Env env, const MetricFamily& family) {
  static const char* const kinds[] = {"counter", "gauge", "histogram"};
  auto result = Napi::Object::New(env);
  result.Set("name", family.name());
  result.Set("help", family.help());
  result.Set("kind", kinds[family.kind()]);
  auto metrics = Napi::Array::New(env);
  for (const MetricSeries& series : family.collect()) metrics.Set(metrics.Length(), describe(env, series));
  result.Set("metrics", metrics);
  return result;
}

Napi::Value collect_metrics(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto& host = from_handle<Host>(env, info[0]);
  auto result = Napi::Array::New(env);
  for (const auto& family : families_of(host.get())) result.Set(result.Length(), describe(env, *family));
  return result;
}

}  // namespace

void add_metrics(Napi::Object exports) {
  exports.Set("collectMetrics", Napi::Function::New<collect_metrics>(exports.Env(), "collectMetrics"));
}

}  // namespace triton_ts
