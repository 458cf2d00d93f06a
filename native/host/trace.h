// TRITONSERVER_InferenceTrace.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "live_objects.h"
#include "triton/tritonserver.h"

namespace triton_ts {
class Host;
}

/// A trace that the engine gave to a request, one that a library made, or a child that it made of either.
struct TRITONSERVER_InferenceTrace {
  /// Null for a trace that a library made.
  std::shared_ptr<triton_ts::Host> host;
  /// The number of the engine's request that it began with.
  uint32_t engine_request = 0;
  uint64_t id = 0;
  /// 0: none.
  uint64_t parent_id = 0;
  uint32_t level = TRITONSERVER_TRACE_LEVEL_DISABLED;
  std::string model_name;
  int64_t model_version = -1;
  std::string request_id;
  /// Guards the context: a library may report on several threads.
  std::mutex mutex;
  /// W3C trace context of the caller, as JSON; empty without one.
  std::string context;
  /// Of a trace that a library made.
  TRITONSERVER_InferenceTraceActivityFn_t activity_fn = nullptr;
  TRITONSERVER_InferenceTraceReleaseFn_t release_fn = nullptr;
  void* userp = nullptr;
  triton_ts::Counted<triton_ts::ObjectKind::kTrace> counted;

  std::unique_ptr<TRITONSERVER_InferenceTrace> spawn() const;

  /// Calls the library that made the trace, or tells JavaScript of a custom activity; nothing where points in time are
  /// not wanted.
  /// @param name of a custom activity, else empty.
  void report(TRITONSERVER_InferenceTraceActivity activity, uint64_t timestamp_ns, const std::string& name = {});
};

namespace triton_ts {

/// Numbers of the addon's own, apart from those that JavaScript gives.
uint64_t next_trace_id();

/// Nanoseconds of the monotonic clock, as traces have them.
uint64_t trace_clock_ns();

/// The end of a trace that was given away with a request: back to the library that made it, else deleted.
void release_trace(std::unique_ptr<TRITONSERVER_InferenceTrace> trace);

}  // namespace triton_ts
