#include "execution.h"

#include "entry_points.h"
#include "instance.h"
#include "response_events.h"

namespace triton_ts {
namespace {

class ExecutedEvent : public Event {
 public:
  ExecutedEvent(uint32_t execution, ErrorPtr error) : execution_(execution), error_(std::move(error)) {}

  void write(EventWriter& writer) override {
    writer.kind(EventKind::kExecuted);
    writer.number(execution_);
    writer.error(error_.get());
  }

 private:
  const uint32_t execution_;
  const ErrorPtr error_;
};

}  // namespace

TRITONBACKEND_Request& Execution::add_request() {
  TRITONBACKEND_Request& request = requests_.emplace_back();
  request.execution = this;
  pointers_.push_back(&request);
  held_++;
  return request;
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
  if (host->is_closing()) {
    error.reset(make_error(TRITONSERVER_ERROR_UNAVAILABLE, "the server is exiting"));
  } else {
    error = execute(instance, pointers_.data(), static_cast<uint32_t>(pointers_.size()));
  }
  if (error) take_back();
  host->post(std::make_unique<ExecutedEvent>(id_, std::move(error)));
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
  for (TRITONBACKEND_Request& request : requests_) {
    if (!request.channel) continue;
    request.channel->claim_final();
    channels.push_back(std::move(request.channel));
    held_--;
  }
  if (held_ == 0) keep.swap(self_);
}

}  // namespace triton_ts
