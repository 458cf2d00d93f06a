// Who lives in a test library, and whether the host calls it in a right order.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace triton_ts {

/// Books on the backends, models and instances that live in this library, for the whole process. A call in a wrong
/// order, twice, or at the same time as another is logged as an error and counted: the host is at fault then.
class LifecycleTracker {
 public:
  static LifecycleTracker& get();

  /// `object` is being initialised below `parent` (null for a backend).
  void begin(const char* kind, const void* object, const void* parent);
  /// The initialisation worked: it lives. Without this call it does not, though hosts may finalize it (Triton does).
  void succeeded(const void* object);
  /// `object` is finalized: without living children and not inside an execute.
  void end(const char* kind, const void* object);

  void begin_execute(const void* instance);
  void end_execute(const void* instance);

  /// Objects of a kind that live now: "backend", "model" or "instance".
  uint64_t live(const std::string& kind) const;
  /// Objects of a kind that were ever initialised.
  uint64_t created(const std::string& kind) const;
  /// Wrong calls so far.
  uint64_t violations() const;

 private:
  struct Entry {
    std::string kind;
    const void* parent;
    bool live = false;
    bool executing = false;
  };

  void complain(const std::string& what);

  mutable std::mutex mutex_;
  std::map<const void*, Entry> entries_;
  std::map<std::string, uint64_t> created_;
  uint64_t violations_ = 0;
};

}  // namespace triton_ts
