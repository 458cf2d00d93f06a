// Statistics that a library measures.
#include "boundary.h"
#include "instance.h"
#include "request.h"
#include "statistics_events.h"

using triton_ts::at_boundary;
using triton_ts::ComputeDurations;
using triton_ts::invalid_argument;
using triton_ts::ResponseOutcome;

/// Everything in it is the library's.
struct TRITONBACKEND_ModelInstanceResponseStatistics {
  TRITONBACKEND_ModelInstance* instance = nullptr;
  TRITONBACKEND_ResponseFactory* factory = nullptr;
  uint64_t response_start = 0;
  /// 0 for a response without outputs.
  uint64_t compute_output_start = 0;
  uint64_t response_end = 0;
  TRITONSERVER_Error* error = nullptr;
};

namespace {

using ResponseStatistics = TRITONBACKEND_ModelInstanceResponseStatistics;

ResponseOutcome outcome_of(const ResponseStatistics& statistics) {
  if (statistics.error != nullptr) {
    return statistics.error->code == TRITONSERVER_ERROR_CANCELLED ? ResponseOutcome::kCancelled
                                                                  : ResponseOutcome::kFailed;
  }
  return statistics.compute_output_start > 0 ? ResponseOutcome::kSuccess : ResponseOutcome::kEmpty;
}

/// Null where the times are in their order.
const char* wrong_order(const ResponseStatistics& statistics) {
  if (statistics.compute_output_start == 0 || outcome_of(statistics) == ResponseOutcome::kCancelled) {
    return statistics.response_start > statistics.response_end ? "Response start cannot happen after response end"
                                                               : nullptr;
  }
  if (statistics.response_start > statistics.compute_output_start) {
    return "Response start cannot happen after compute output start";
  }
  return statistics.compute_output_start > statistics.response_end
             ? "Compute output start cannot happen after response end"
             : nullptr;
}

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceReportStatistics(TRITONBACKEND_ModelInstance*,
                                                                TRITONBACKEND_Request* request, bool success,
                                                                uint64_t exec_start_ns, uint64_t compute_start_ns,
                                                                uint64_t compute_end_ns, uint64_t exec_end_ns) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (auto* error = request->check_held()) return error;
    const ComputeDurations durations(exec_start_ns, compute_start_ns, compute_end_ns, exec_end_ns);
    const triton_ts::Channel& channel = *request->channel;
    channel.host()->post(
        std::make_unique<triton_ts::RequestStatisticsEvent>(channel.request_id(), success, durations));
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceReportBatchStatistics(TRITONBACKEND_ModelInstance* instance,
                                                                     uint64_t batch_size, uint64_t exec_start_ns,
                                                                     uint64_t compute_start_ns, uint64_t compute_end_ns,
                                                                     uint64_t exec_end_ns) {
  return at_boundary([&] {
    const ComputeDurations durations(exec_start_ns, compute_start_ns, compute_end_ns, exec_end_ns);
    instance->model->host->post(
        std::make_unique<triton_ts::BatchStatisticsEvent>(instance->id, batch_size, durations));
  });
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsNew(ResponseStatistics** statistics) {
  return at_boundary([&] { *statistics = new ResponseStatistics(); });
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsDelete(ResponseStatistics* statistics) {
  delete statistics;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsSetModelInstance(
    ResponseStatistics* statistics, TRITONBACKEND_ModelInstance* instance) {
  statistics->instance = instance;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsSetResponseFactory(
    ResponseStatistics* statistics, TRITONBACKEND_ResponseFactory* factory) {
  statistics->factory = factory;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsSetResponseStart(ResponseStatistics* statistics,
                                                                                  uint64_t response_start) {
  statistics->response_start = response_start;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsSetComputeOutputStart(
    ResponseStatistics* statistics, uint64_t compute_output_start) {
  statistics->compute_output_start = compute_output_start;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsSetResponseEnd(ResponseStatistics* statistics,
                                                                                uint64_t response_end) {
  statistics->response_end = response_end;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceResponseStatisticsSetError(ResponseStatistics* statistics,
                                                                          TRITONSERVER_Error* error) {
  statistics->error = error;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceReportResponseStatistics(ResponseStatistics* statistics) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (statistics->instance == nullptr) return invalid_argument("response statistics have no model instance");
    if (statistics->factory == nullptr) return invalid_argument("response statistics have no response factory");
    if (const char* text = wrong_order(*statistics)) return invalid_argument(text);
    const triton_ts::Channel& channel = *statistics->factory->channel;
    channel.host()->post(std::make_unique<triton_ts::ResponseStatisticsEvent>(
        channel.request_id(), statistics->response_start, statistics->compute_output_start, statistics->response_end,
        outcome_of(*statistics)));
    return nullptr;
  });
}

}  // extern "C"
