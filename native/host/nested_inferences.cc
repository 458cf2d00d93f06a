#include "nested_inferences.h"

#include "host.h"
#include "nested_events.h"
#include "nested_inference.h"

namespace triton_ts {
namespace {

ErrorPtr check_callbacks(const TRITONSERVER_InferenceRequest& request) {
  const NestedCallbacks& callbacks = request.callbacks;
  if (callbacks.release_fn != nullptr && callbacks.response_fn != nullptr && callbacks.allocator != nullptr) {
    return nullptr;
  }
  return ErrorPtr(invalid_argument(
      request.prefix() +
      "the request needs TRITONSERVER_InferenceRequestSetReleaseCallback and "
      "TRITONSERVER_InferenceRequestSetResponseCallback with an allocator before it runs"));
}

}  // namespace

ErrorPtr NestedInferences::start(TRITONSERVER_InferenceRequest& request,
                                 std::unique_ptr<TRITONSERVER_InferenceTrace>& trace, const Origin& origin) {
  if (auto error = check_callbacks(request)) return error;
  if (request.in_flight) return ErrorPtr(internal_error(request.prefix() + "the request runs already"));
  auto event = std::make_unique<InferEvent>(request);
  if (auto error = event->copy_inputs(request)) return error;
  if (trace) {
    trace->model_name = request.model_name;
    trace->model_version = request.model_version;
    trace->request_id = request.id;
    trace->report(TRITONSERVER_TRACE_REQUEST_START, trace_clock_ns());
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return ErrorPtr(make_error(TRITONSERVER_ERROR_UNAVAILABLE, "the server is exiting"));
  const uint32_t id = next_id_++;
  inferences_.emplace(id, std::make_shared<NestedInference>(id, request, origin, std::move(trace)));
  event->set_id(id);
  request.cancelled = false;
  request.in_flight = true;
  request.infer_id = id;
  // Under the mutex, so that a cancellation comes after it.
  host_.post(std::move(event));
  return nullptr;
}

void NestedInferences::cancel(TRITONSERVER_InferenceRequest& request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  request.cancelled = true;
  if (request.in_flight) host_.post(std::make_unique<InferCancelEvent>(request.infer_id));
}

bool NestedInferences::answer(uint32_t id, NestedAnswer& answer) {
  std::shared_ptr<NestedInference> inference;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = inferences_.find(id);
    if (found == inferences_.end()) return false;
    inference = found->second;
    if (answer.final) inferences_.erase(found);
  }
  post_answer(std::move(inference), std::move(answer));
  return true;
}

void NestedInferences::close() {
  std::unordered_map<uint32_t, std::shared_ptr<NestedInference>> inferences;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    inferences.swap(inferences_);
  }
  for (auto& [id, inference] : inferences) {
    NestedAnswer answer;
    answer.error.reset(make_error(TRITONSERVER_ERROR_UNAVAILABLE, "the server is exiting"));
    post_answer(std::move(inference), std::move(answer));
  }
}

void NestedInferences::post_answer(std::shared_ptr<NestedInference> inference, NestedAnswer answer) {
  // A task can be copied, an answer cannot.
  const auto shared = std::make_shared<NestedAnswer>(std::move(answer));
  host_.callbacks().post([inference = std::move(inference), shared] { inference->answer(*shared); });
}

}  // namespace triton_ts
