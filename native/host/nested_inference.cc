#include "nested_inference.h"

#include "boundary.h"
#include "log.h"
#include "nested_events.h"

namespace triton_ts {
namespace {

/// Runs code of the library. It must throw nothing; what it throws all the same cannot be told but to the log.
template <typename Call>
void call_back(const Origin& origin, const char* what, Call&& call) {
  try {
    call();
  } catch (const std::exception& thrown) {
    log(origin, TRITONSERVER_LOG_ERROR, __FILE__, __LINE__, std::string("the ") + what + " threw: " + thrown.what());
  } catch (...) {
    log(origin, TRITONSERVER_LOG_ERROR, __FILE__, __LINE__, std::string("the ") + what + " threw");
  }
}

}  // namespace

NestedInference::NestedInference(uint32_t id, TRITONSERVER_InferenceRequest& request, Origin origin,
                                 std::unique_ptr<TRITONSERVER_InferenceTrace> trace)
    : host_(request.server.host),
      id_(id),
      request_(request),
      callbacks_(request.callbacks),
      origin_(std::move(origin)),
      trace_(std::move(trace)) {}

void NestedInference::answer(NestedAnswer& answer) {
  const OriginScope scope(origin_);
  // JavaScript's memory may be gone once the environment ends.
  if (host_->is_closing() && !answer.error) {
    answer.error.reset(make_error(TRITONSERVER_ERROR_UNAVAILABLE, "the server is exiting"));
  }
  auto response = answer.is_bare_end && !answer.error ? nullptr : respond(answer);
  host_->post(std::make_unique<InferAnsweredEvent>(*host_, id_, answer.final, answer.keep));
  const uint32_t flags = answer.final ? TRITONSERVER_RESPONSE_COMPLETE_FINAL : 0;
  call_back(origin_, "response callback", [&] {
    callbacks_.response_fn(response.release(), flags, callbacks_.response_userp);
  });
  if (answer.final) end();
}

std::unique_ptr<TRITONSERVER_InferenceResponse> NestedInference::respond(NestedAnswer& answer) const {
  auto response = std::make_unique<TRITONSERVER_InferenceResponse>();
  response->model_name = std::move(answer.model_name);
  response->model_version = answer.model_version;
  response->id = std::move(answer.id);
  response->parameters = std::move(answer.parameters);
  response->error = std::move(answer.error);
  if (callbacks_.allocator->start != nullptr) {
    const ErrorPtr error(callbacks_.allocator->start(callbacks_.allocator, callbacks_.allocator_userp));
    if (error) {
      log(origin_, TRITONSERVER_LOG_ERROR, __FILE__, __LINE__, "response allocation start failed: " + error->message);
    }
  }
  if (response->error) return response;
  response->error.reset(at_boundary([&] { return copy_outputs(answer, *response).release(); }));
  if (response->error) response->outputs.clear();
  return response;
}

ErrorPtr NestedInference::copy_outputs(const NestedAnswer& answer, TRITONSERVER_InferenceResponse& response) const {
  response.outputs.reserve(answer.outputs.size());
  for (const NestedAnswer::Output& from : answer.outputs) {
    NestedOutput& to =
        response.outputs.emplace_back(callbacks_.allocator, from.name, from.datatype, from.shape);
    if (auto error = to.fill(from.data, from.byte_size, callbacks_.allocator_userp)) return error;
  }
  return nullptr;
}

void NestedInference::end() {
  call_back(origin_, "trace callback", [&] {
    if (trace_) trace_->report(TRITONSERVER_TRACE_REQUEST_END, trace_clock_ns());
    release_trace(std::move(trace_));
  });
  // From here on the request is the library's, which may use or delete it before the callback returns.
  request_.in_flight = false;
  call_back(origin_, "release callback", [&] {
    callbacks_.release_fn(&request_, TRITONSERVER_REQUEST_RELEASE_ALL, callbacks_.release_userp);
  });
}

}  // namespace triton_ts
