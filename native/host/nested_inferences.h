// The nested requests of a host that are not answered yet.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "error.h"
#include "nested_answer.h"

struct TRITONSERVER_InferenceRequest;
struct TRITONSERVER_InferenceTrace;

namespace triton_ts {

class Host;
class NestedInference;
struct Origin;

class NestedInferences {
 public:
  /// @param host owns this.
  explicit NestedInferences(Host& host) : host_(host) {}

  /// Any thread: copies the request's inputs and sends it to the engine.
  /// @param trace null without one.
  /// @return an error where request and trace stay the caller's; else they may be gone before this returns.
  ErrorPtr start(TRITONSERVER_InferenceRequest& request, std::unique_ptr<TRITONSERVER_InferenceTrace>& trace,
                 const Origin& origin);

  /// Any thread. The engine answers with an error, unless it is through already.
  void cancel(TRITONSERVER_InferenceRequest& request);

  /// JavaScript thread. @return false where the inference is over.
  bool answer(uint32_t id, NestedAnswer& answer);

  /// Everything that is not answered fails; nothing new begins.
  void close();

 private:
  void post_answer(std::shared_ptr<NestedInference> inference, NestedAnswer answer);

  Host& host_;
  std::mutex mutex_;
  bool closed_ = false;
  uint32_t next_id_ = 1;
  std::unordered_map<uint32_t, std::shared_ptr<NestedInference>> inferences_;
};

}  // namespace triton_ts
