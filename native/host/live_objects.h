// Counts the objects that live, by kind, so that a test can tell that nothing was lost.
#pragma once

#include <atomic>
#include <cstdint>

namespace triton_ts {

enum class ObjectKind {
  kBackend,
  kModel,
  kInstance,
  kRequest,
  kChannel,
  kResponse,
  kResponseFactory,
  kState,
  kBuffer,
  kMessage,
  kInferenceRequest,
  kInferenceResponse,
  kMetric,
  kTrace,
  kCount,
};

/// Of the whole process; only ever read as a difference.
inline std::atomic<int64_t> live_objects[static_cast<int>(ObjectKind::kCount)];

/// A member or base of what is counted.
template <ObjectKind Kind>
class Counted {
 public:
  Counted() { live_objects[static_cast<int>(Kind)].fetch_add(1, std::memory_order_relaxed); }
  Counted(const Counted&) : Counted() {}
  Counted& operator=(const Counted&) = default;
  ~Counted() { live_objects[static_cast<int>(Kind)].fetch_sub(1, std::memory_order_relaxed); }
};

}  // namespace triton_ts
