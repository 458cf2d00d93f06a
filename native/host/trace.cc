#include "trace.h"

#include <atomic>
#include <chrono>

#include "host.h"

namespace triton_ts {
namespace {

class TraceEvent : public Event {
 public:
  TraceEvent(const TRITONSERVER_InferenceTrace& trace, TRITONSERVER_InferenceTraceActivity activity,
             uint64_t timestamp_ns, std::string name)
      : request_(trace.engine_request),
        id_(trace.id),
        parent_id_(trace.parent_id),
        activity_(activity),
        timestamp_ns_(timestamp_ns),
        name_(std::move(name)) {}

  void write(EventWriter& writer) override {
    writer.kind(EventKind::kTrace);
    writer.number(request_);
    writer.number(static_cast<double>(id_));
    writer.number(static_cast<double>(parent_id_));
    writer.number(activity_);
    writer.number(static_cast<double>(timestamp_ns_));
    writer.text(name_);
  }

 private:
  const uint32_t request_;
  const uint64_t id_;
  const uint64_t parent_id_;
  const TRITONSERVER_InferenceTraceActivity activity_;
  const uint64_t timestamp_ns_;
  const std::string name_;
};

std::string json_text(const std::string& text) {
  static const char* const digits = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += std::string("\\u00") + digits[c >> 4] + digits[c & 15];
    } else {
      result += c;
    }
  }
  return result + '"';
}

/// Triton keeps custom activities in the context, each under its time.
void add_member(std::string& object, const std::string& key, const std::string& value) {
  const std::string member = json_text(key) + ":" + json_text(value);
  const size_t end = object.find_last_of('}');
  if (end == std::string::npos) {
    object = "{" + member + "}";
    return;
  }
  const size_t last = object.find_last_not_of(" \t\r\n", end - 1);
  const bool is_empty = last != std::string::npos && object[last] == '{';
  object.insert(end, (is_empty ? "" : ",") + member);
}

}  // namespace

uint64_t next_trace_id() {
  // JavaScript counts from 1. A double holds both exactly.
  static std::atomic<uint64_t> next{uint64_t{1} << 52};
  return next++;
}

uint64_t trace_clock_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void release_trace(std::unique_ptr<TRITONSERVER_InferenceTrace> trace) {
  if (!trace || trace->release_fn == nullptr) return;
  const auto release = trace->release_fn;
  void* const userp = trace->userp;
  release(trace.release(), userp);
}

}  // namespace triton_ts

std::unique_ptr<TRITONSERVER_InferenceTrace> TRITONSERVER_InferenceTrace::spawn() const {
  auto child = std::make_unique<TRITONSERVER_InferenceTrace>();
  child->host = host;
  child->engine_request = engine_request;
  child->id = triton_ts::next_trace_id();
  child->parent_id = id;
  child->level = level;
  child->activity_fn = activity_fn;
  child->release_fn = release_fn;
  child->userp = userp;
  return child;
}

void TRITONSERVER_InferenceTrace::report(TRITONSERVER_InferenceTraceActivity activity, uint64_t timestamp_ns,
                                         const std::string& name) {
  if ((level & TRITONSERVER_TRACE_LEVEL_TIMESTAMPS) == 0) return;
  if (activity == TRITONSERVER_TRACE_CUSTOM_ACTIVITY) {
    const std::lock_guard<std::mutex> lock(mutex);
    triton_ts::add_member(context, std::to_string(timestamp_ns), name);
  }
  if (activity_fn != nullptr) {
    activity_fn(this, activity, timestamp_ns, userp);
  } else if (host && activity == TRITONSERVER_TRACE_CUSTOM_ACTIVITY) {
    // The engine knows its own activities.
    host->post(std::make_unique<triton_ts::TraceEvent>(*this, activity, timestamp_ns, name));
  }
}
