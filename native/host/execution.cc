#include "execution.h"

#include <ctime>

#include "entry_points.h"
#include "instance.h"
#include "response_events.h"

namespace triton_ts {
namespace {

class ExecutedEvent : public Event {
 public:
  ExecutedEvent(uint32_t execution, int64_t cpu_ns, ErrorPtr error)
      : execution_(execution), cpu_ns_(cpu_ns), error_(std::move(error)) {}

  void write(EventWriter& writer) override {
    writer.kind(EventKind::kExecuted);
    writer.number(execution_);
    writer.number(static_cast<double>(cpu_ns_));
    writer.error(error_.get());
  }

 private:
  const uint32_t execution_;
  const int64_t cpu_ns_;
  const ErrorPtr error_;
};

/// How long a call takes: on the clock where that is short, else in processor time, which does not count what others
/// did meanwhile. The system is asked for the end of that time only when it matters.
class CallTime {
 public:
  int64_t ns() const {
    const int64_t elapsed = read(CLOCK_MONOTONIC) - start_;
    return elapsed <= kShort ? elapsed : read(CLOCK_THREAD_CPUTIME_ID) - cpu_start_;
  }

 private:
  static constexpr int64_t kShort = 50'000;

  static int64_t read(clockid_t clock) {
    timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
  }

  const int64_t cpu_start_ = read(CLOCK_THREAD_CPUTIME_ID);
  const int64_t start_ = read(CLOCK_MONOTONIC);
};

}  // namespace

Execution::Execution(uint32_t id, size_t count)
    : id_(id), held_(count), count_(count), requests_(std::make_unique<TRITONBACKEND_Request[]>(count)) {
  pointers_.reserve(count);
  for (size_t i = 0; i < count; i++) {
    requests_[i].execution = this;
    pointers_.push_back(&requests_[i]);
  }
}

void Execution::start(const std::shared_ptr<Execution>& execution,
                      const std::shared_ptr<TRITONBACKEND_ModelInstance>& instance) {
  instance->thread->post([execution, instance] { execution->run(*instance); });
}

void Execution::run(TRITONBACKEND_ModelInstance& instance) {
  const auto host = instance.model->host;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    self_ = shared_from_this();
  }
  ErrorPtr error;
  const CallTime time;
  if (host->is_closing()) {
    error.reset(make_error(TRITONSERVER_ERROR_UNAVAILABLE, "the server is exiting"));
  } else {
    error = execute(instance, pointers_.data(), static_cast<uint32_t>(pointers_.size()));
  }
  if (error) take_back();
  host->post(std::make_unique<ExecutedEvent>(id_, time.ns(), std::move(error)));
}

ErrorPtr Execution::release(TRITONBACKEND_Request& request, bool reschedule) {
  ChannelPtr channel;
  std::shared_ptr<Execution> keep;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    channel.swap(request.channel);
    if (!channel) return ErrorPtr(invalid_argument("the request was released before"));
    if (--held_ == 0) keep.swap(self_);
  }
  // The engine runs the request again: whoever still holds a part of its old way cannot answer it any more.
  if (reschedule) channel->claim_final();
  const auto host = channel->host();
  const uint32_t id = channel->request_id();
  // A request that nobody can answer fails before it is told to be released.
  channel.reset();
  host->post(std::make_unique<ReleasedEvent>(id, reschedule));
  return nullptr;
}

void Execution::take_back() {
  std::vector<ChannelPtr> channels;
  std::shared_ptr<Execution> keep;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (size_t i = 0; i < count_; i++) {
    TRITONBACKEND_Request& request = requests_[i];
    if (!request.channel) continue;
    request.channel->claim_final();
    channels.push_back(std::move(request.channel));
    held_--;
  }
  if (held_ == 0) keep.swap(self_);
}

}  // namespace triton_ts
