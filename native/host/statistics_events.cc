#include "statistics_events.h"

namespace triton_ts {
namespace {

uint64_t elapsed(uint64_t start, uint64_t end) { return end > start ? end - start : 0; }

}  // namespace

ComputeDurations::ComputeDurations(uint64_t exec_start, uint64_t compute_start, uint64_t compute_end,
                                   uint64_t exec_end)
    : input(elapsed(exec_start, compute_start)),
      infer(elapsed(compute_start, compute_end)),
      output(elapsed(compute_end, exec_end)) {}

void ComputeDurations::write(EventWriter& writer) const {
  writer.number(static_cast<double>(input));
  writer.number(static_cast<double>(infer));
  writer.number(static_cast<double>(output));
}

void RequestStatisticsEvent::write(EventWriter& writer) {
  writer.kind(EventKind::kRequestStatistics);
  writer.number(request_);
  writer.number(success_ ? 1 : 0);
  durations_.write(writer);
}

void BatchStatisticsEvent::write(EventWriter& writer) {
  writer.kind(EventKind::kBatchStatistics);
  writer.number(instance_);
  writer.number(static_cast<double>(batch_size_));
  durations_.write(writer);
}

void ResponseStatisticsEvent::write(EventWriter& writer) {
  writer.kind(EventKind::kResponseStatistics);
  writer.number(request_);
  writer.number(static_cast<double>(start_));
  writer.number(static_cast<double>(output_start_));
  writer.number(static_cast<double>(end_));
  writer.number(static_cast<double>(outcome_));
}

}  // namespace triton_ts
