// A library's request on its way through the engine.
#pragma once

#include <memory>

#include "host.h"
#include "inference_request.h"
#include "inference_response.h"
#include "nested_answer.h"
#include "origin.h"
#include "trace.h"

namespace triton_ts {

/// Calls the library back: the responses in their order, the last one FINAL, then the release of the request, each
/// exactly once. Thread of the host's callbacks.
class NestedInference {
 public:
  /// @param trace null without one.
  NestedInference(uint32_t id, TRITONSERVER_InferenceRequest& request, Origin origin,
                  std::unique_ptr<TRITONSERVER_InferenceTrace> trace);

  void answer(NestedAnswer& answer);

 private:
  std::unique_ptr<TRITONSERVER_InferenceResponse> respond(NestedAnswer& answer) const;
  ErrorPtr copy_outputs(const NestedAnswer& answer, TRITONSERVER_InferenceResponse& response) const;
  void end();

  const std::shared_ptr<Host> host_;
  const uint32_t id_;
  TRITONSERVER_InferenceRequest& request_;
  const NestedCallbacks callbacks_;
  const Origin origin_;
  std::unique_ptr<TRITONSERVER_InferenceTrace> trace_;
};

}  // namespace triton_ts
