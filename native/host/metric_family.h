// Metrics that libraries make and count themselves.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "error.h"
#include "live_objects.h"
#include "triton/tritonserver.h"

namespace triton_ts {

class Host;
using Labels = std::map<std::string, std::string>;

/// What a metric counts; metrics of the same family and labels count together. The family's mutex guards it.
struct MetricSeries {
  Labels labels;
  /// Of a counter or gauge.
  double value = 0;
  /// Of a histogram: upper bounds, ascending, and how many values fell between each and the one before.
  std::vector<double> bounds;
  std::vector<uint64_t> counts;
  double sum = 0;
  uint64_t count = 0;
};

/// Shared by all handles of its name in one host; gone with the last of them.
class MetricFamily {
 public:
  MetricFamily(const std::shared_ptr<Host>& host, TRITONSERVER_MetricKind kind, std::string name, std::string help)
      : host_(host), kind_(kind), name_(std::move(name)), help_(std::move(help)) {}

  bool belongs_to(const Host* host) const { return host_.lock().get() == host; }
  TRITONSERVER_MetricKind kind() const { return kind_; }
  const std::string& name() const { return name_; }
  const std::string& help() const { return help_; }

  /// @param args null: none, which a histogram needs and nothing else may have.
  ErrorPtr add(const Labels& labels, const TRITONSERVER_MetricArgs* args, std::shared_ptr<MetricSeries>& result);

  /// What the metrics of the family stand at.
  std::vector<MetricSeries> collect() const;

  ErrorPtr read(const MetricSeries& series, double* value) const;
  ErrorPtr increment(MetricSeries& series, double value);
  ErrorPtr set(MetricSeries& series, double value);
  ErrorPtr observe(MetricSeries& series, double value);

 private:
  const std::weak_ptr<Host> host_;
  const TRITONSERVER_MetricKind kind_;
  const std::string name_;
  const std::string help_;
  mutable std::mutex mutex_;
  std::map<Labels, std::weak_ptr<MetricSeries>> series_;
};

/// The family of that name in the host, made if there is none; the help text is that of the first.
/// @return null with an error: another kind has the name, or the name is none.
std::shared_ptr<MetricFamily> find_or_make_family(const std::shared_ptr<Host>& host, TRITONSERVER_MetricKind kind,
                                                  const std::string& name, const std::string& help, ErrorPtr& error);

/// In the order in which they were made.
std::vector<std::shared_ptr<MetricFamily>> families_of(const Host* host);

}  // namespace triton_ts

struct TRITONSERVER_MetricArgs {
  bool is_histogram = false;
  std::vector<double> bounds;
};

struct TRITONSERVER_MetricFamily {
  std::shared_ptr<triton_ts::MetricFamily> family;
  /// Made through this handle and not deleted.
  std::atomic<size_t> metric_count{0};
};

struct TRITONSERVER_Metric {
  /// Outlives its metrics.
  TRITONSERVER_MetricFamily* handle;
  std::shared_ptr<triton_ts::MetricSeries> series;
  triton_ts::Counted<triton_ts::ObjectKind::kMetric> counted;
};
