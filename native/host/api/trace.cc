// TRITONSERVER_InferenceTrace*.
#include "trace.h"

#include "boundary.h"

using namespace triton_ts;

namespace {

/// The outdated levels mean points in time.
uint32_t current_level(uint32_t level) {
  constexpr uint32_t kOutdated = TRITONSERVER_TRACE_LEVEL_MIN | TRITONSERVER_TRACE_LEVEL_MAX;
  constexpr uint32_t kTimestamps = TRITONSERVER_TRACE_LEVEL_TIMESTAMPS;
  return (level & kOutdated) == 0 ? level : (level & ~kOutdated) | kTimestamps;
}

/// Runs `read` on a trace, or complains that there is none.
template <typename Read>
TRITONSERVER_Error* with(TRITONSERVER_InferenceTrace* trace, Read&& read) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (trace == nullptr) return invalid_argument("there is no trace: the request is not traced");
    read();
    return nullptr;
  });
}

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONSERVER_InferenceTraceNew(TRITONSERVER_InferenceTrace** out,
                                                   TRITONSERVER_InferenceTraceLevel level, uint64_t parent,
                                                   TRITONSERVER_InferenceTraceActivityFn_t activity_fn,
                                                   TRITONSERVER_InferenceTraceReleaseFn_t release_fn, void* userp) {
  return at_boundary([&] {
    auto trace = std::make_unique<TRITONSERVER_InferenceTrace>();
    trace->id = next_trace_id();
    trace->parent_id = parent;
    trace->level = current_level(level);
    trace->activity_fn = activity_fn;
    trace->release_fn = release_fn;
    trace->userp = userp;
    *out = trace.release();
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceTraceTensorNew(
    TRITONSERVER_InferenceTrace** out, TRITONSERVER_InferenceTraceLevel level, uint64_t parent,
    TRITONSERVER_InferenceTraceActivityFn_t activity_fn, TRITONSERVER_InferenceTraceTensorActivityFn_t,
    TRITONSERVER_InferenceTraceReleaseFn_t release_fn, void* userp) {
  // The tensors of a nested request are the engine's to trace.
  return TRITONSERVER_InferenceTraceNew(out, level, parent, activity_fn, release_fn, userp);
}

TRITONSERVER_Error* TRITONSERVER_InferenceTraceDelete(TRITONSERVER_InferenceTrace* trace) {
  const std::unique_ptr<TRITONSERVER_InferenceTrace> owned(trace);
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_InferenceTraceSpawnChildTrace(TRITONSERVER_InferenceTrace* trace,
                                                               TRITONSERVER_InferenceTrace** child) {
  return at_boundary([&] { *child = trace == nullptr ? nullptr : trace->spawn().release(); });
}

TRITONSERVER_Error* TRITONSERVER_InferenceTraceReportActivity(TRITONSERVER_InferenceTrace* trace, uint64_t ns,
                                                              const char* activity) {
  return at_boundary([&] {
    if (trace != nullptr) trace->report(TRITONSERVER_TRACE_CUSTOM_ACTIVITY, ns, activity == nullptr ? "" : activity);
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceTraceId(TRITONSERVER_InferenceTrace* trace, uint64_t* out) {
  return with(trace, [&] { set(out, trace->id); });
}

TRITONSERVER_Error* TRITONSERVER_InferenceTraceParentId(TRITONSERVER_InferenceTrace* trace, uint64_t* out) {
  return with(trace, [&] { set(out, trace->parent_id); });
}

TRITONSERVER_Error* TRITONSERVER_InferenceTraceModelName(TRITONSERVER_InferenceTrace* trace, const char** out) {
  return with(trace, [&] { set(out, trace->model_name.c_str()); });
}

TRITONSERVER_Error* TRITONSERVER_InferenceTraceModelVersion(TRITONSERVER_InferenceTrace* trace, int64_t* out) {
  return with(trace, [&] { set(out, trace->model_version); });
}

TRITONSERVER_Error* TRITONSERVER_InferenceTraceRequestId(TRITONSERVER_InferenceTrace* trace, const char** out) {
  return with(trace, [&] { set(out, trace->request_id.c_str()); });
}

TRITONSERVER_Error* TRITONSERVER_InferenceTraceContext(TRITONSERVER_InferenceTrace* trace, const char** out) {
  return with(trace, [&] {
    const std::lock_guard<std::mutex> lock(trace->mutex);
    set(out, trace->context.c_str());
  });
}

TRITONSERVER_Error* TRITONSERVER_InferenceTraceSetContext(TRITONSERVER_InferenceTrace* trace, const char* context) {
  return with(trace, [&] {
    const std::lock_guard<std::mutex> lock(trace->mutex);
    trace->context = context == nullptr ? "" : context;
  });
}

}  // extern "C"
