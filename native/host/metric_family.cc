#include <algorithm>
#include <functional>

#include "host.h"
#include "metric_family.h"

namespace triton_ts {
namespace {

ErrorPtr unsupported(TRITONSERVER_MetricKind kind, const char* operation) {
  static const char* const names[] = {"COUNTER", "GAUGE", "HISTOGRAM"};
  return ErrorPtr(make_error(TRITONSERVER_ERROR_UNSUPPORTED, std::string("TRITONSERVER_METRIC_KIND_") + names[kind] +
                                                                 " does not support " + operation));
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Prometheus' rule; only a metric's name may have colons.
bool is_name(const std::string& name, bool colons) {
  const auto is_start = [&](char c) { return is_letter(c) || (colons && c == ':'); };
  return !name.empty() && is_start(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_start(c) || is_digit(c); });
}

ErrorPtr check_arguments(TRITONSERVER_MetricKind kind, const Labels& labels, const TRITONSERVER_MetricArgs* args) {
  for (const auto& [key, value] : labels) {
    if (!is_name(key, false)) return ErrorPtr(invalid_argument("Invalid label name"));
  }
  if (kind == TRITONSERVER_METRIC_KIND_HISTOGRAM) {
    if (args == nullptr) return ErrorPtr(invalid_argument("Bucket boundaries not found in Metric args."));
    if (!args->is_histogram) return ErrorPtr(invalid_argument("Metric args not set to histogram kind."));
    const auto& bounds = args->bounds;
    if (std::adjacent_find(bounds.begin(), bounds.end(), std::greater_equal<>()) != bounds.end()) {
      return ErrorPtr(invalid_argument("Bucket Boundaries must be strictly sorted"));
    }
  } else if (args != nullptr) {
    return ErrorPtr(invalid_argument(std::string("Unexpected args found in ") +
                                     (kind == TRITONSERVER_METRIC_KIND_COUNTER ? "counter" : "gauge") +
                                     " Metric constructor."));
  }
  return nullptr;
}

std::mutex families_mutex;
std::vector<std::weak_ptr<MetricFamily>> families;

}  // namespace

ErrorPtr MetricFamily::add(const Labels& labels, const TRITONSERVER_MetricArgs* args,
                           std::shared_ptr<MetricSeries>& result) {
  if (auto error = check_arguments(kind_, labels, args)) return error;
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& known = series_[labels];
  result = known.lock();
  if (result) return nullptr;
  result = std::make_shared<MetricSeries>();
  result->labels = labels;
  if (args != nullptr) result->bounds = args->bounds;
  result->counts.resize(result->bounds.size());
  known = result;
  return nullptr;
}

std::vector<MetricSeries> MetricFamily::collect() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<MetricSeries> result;
  for (const auto& [labels, weak] : series_) {
    if (const auto series = weak.lock()) result.push_back(*series);
  }
  return result;
}

ErrorPtr MetricFamily::read(const MetricSeries& series, double* value) const {
  if (kind_ == TRITONSERVER_METRIC_KIND_HISTOGRAM) return unsupported(kind_, "Value");
  const std::lock_guard<std::mutex> lock(mutex_);
  *value = series.value;
  return nullptr;
}

ErrorPtr MetricFamily::increment(MetricSeries& series, double value) {
  if (kind_ == TRITONSERVER_METRIC_KIND_HISTOGRAM) return unsupported(kind_, "Increment");
  if (kind_ == TRITONSERVER_METRIC_KIND_COUNTER && value < 0) {
    return ErrorPtr(invalid_argument(
        "TRITONSERVER_METRIC_KIND_COUNTER can only be incremented monotonically by non-negative values."));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  series.value += value;
  return nullptr;
}

ErrorPtr MetricFamily::set(MetricSeries& series, double value) {
  if (kind_ != TRITONSERVER_METRIC_KIND_GAUGE) return unsupported(kind_, "Set");
  const std::lock_guard<std::mutex> lock(mutex_);
  series.value = value;
  return nullptr;
}

ErrorPtr MetricFamily::observe(MetricSeries& series, double value) {
  if (kind_ != TRITONSERVER_METRIC_KIND_HISTOGRAM) return unsupported(kind_, "Observe");
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto bound = std::lower_bound(series.bounds.begin(), series.bounds.end(), value);
  if (bound != series.bounds.end()) series.counts[static_cast<size_t>(bound - series.bounds.begin())]++;
  series.sum += value;
  series.count++;
  return nullptr;
}

std::shared_ptr<MetricFamily> find_or_make_family(const std::shared_ptr<Host>& host, TRITONSERVER_MetricKind kind,
                                                  const std::string& name, const std::string& help, ErrorPtr& error) {
  if (kind < TRITONSERVER_METRIC_KIND_COUNTER || kind > TRITONSERVER_METRIC_KIND_HISTOGRAM) {
    error.reset(invalid_argument("Unsupported kind passed to MetricFamily constructor."));
    return nullptr;
  }
  if (!is_name(name, true)) {
    error.reset(invalid_argument("Invalid metric name"));
    return nullptr;
  }
  const std::lock_guard<std::mutex> lock(families_mutex);
  families.erase(
      std::remove_if(families.begin(), families.end(), [](const auto& weak) { return weak.expired(); }),
      families.end());
  for (const auto& weak : families) {
    auto family = weak.lock();
    if (!family || family->name() != name || !family->belongs_to(host.get())) continue;
    if (family->kind() == kind) return family;
    error.reset(invalid_argument("Family name already exists with different type"));
    return nullptr;
  }
  auto family = std::make_shared<MetricFamily>(host, kind, name, help);
  families.push_back(family);
  return family;
}

std::vector<std::shared_ptr<MetricFamily>> families_of(const Host* host) {
  const std::lock_guard<std::mutex> lock(families_mutex);
  std::vector<std::shared_ptr<MetricFamily>> result;
  for (const auto& weak : families) {
    auto family = weak.lock();
    if (family && family->belongs_to(host)) result.push_back(std::move(family));
  }
  return result;
}

}  // namespace triton_ts
