// What a library measured.
#pragma once

#include <cstdint>

#include "event.h"

namespace triton_ts {

/// How long the parts of an execution took, in nanoseconds.
struct ComputeDurations {
  /// Four points in time of one clock; a part whose end lies before its start took no time.
  ComputeDurations(uint64_t exec_start, uint64_t compute_start, uint64_t compute_end, uint64_t exec_end);

  void write(EventWriter& writer) const;

  uint64_t input;
  uint64_t infer;
  uint64_t output;
};

class RequestStatisticsEvent : public Event {
 public:
  RequestStatisticsEvent(uint32_t request, bool success, const ComputeDurations& durations)
      : request_(request), success_(success), durations_(durations) {}
  void write(EventWriter& writer) override;

 private:
  const uint32_t request_;
  const bool success_;
  const ComputeDurations durations_;
};

class BatchStatisticsEvent : public Event {
 public:
  BatchStatisticsEvent(uint32_t instance, uint64_t batch_size, const ComputeDurations& durations)
      : instance_(instance), batch_size_(batch_size), durations_(durations) {}
  void write(EventWriter& writer) override;

 private:
  const uint32_t instance_;
  const uint64_t batch_size_;
  const ComputeDurations durations_;
};

/// How a response ended; the numbers are those of the record.
enum class ResponseOutcome { kSuccess = 0, kEmpty = 1, kFailed = 2, kCancelled = 3 };

class ResponseStatisticsEvent : public Event {
 public:
  /// Times are in nanoseconds of the monotonic clock; an `output_start` of 0 means that there were no outputs.
  ResponseStatisticsEvent(uint32_t request, uint64_t start, uint64_t output_start, uint64_t end,
                          ResponseOutcome outcome)
      : request_(request), start_(start), output_start_(output_start), end_(end), outcome_(outcome) {}
  void write(EventWriter& writer) override;

 private:
  const uint32_t request_;
  const uint64_t start_;
  const uint64_t output_start_;
  const uint64_t end_;
  const ResponseOutcome outcome_;
};

}  // namespace triton_ts
