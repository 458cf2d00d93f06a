// What JavaScript hears of nested requests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "event.h"
#include "inference_request.h"

namespace triton_ts {

class Host;

/// A request with a copy of its inputs: the library may change it once it is released, JavaScript may be slower.
class InferEvent : public Event {
 public:
  explicit InferEvent(const TRITONSERVER_InferenceRequest& request);
  ErrorPtr copy_inputs(const TRITONSERVER_InferenceRequest& request);
  void set_id(uint32_t infer_id) { infer_id_ = infer_id; }
  void write(EventWriter& writer) override;

 private:
  struct Input {
    std::string name;
    TRITONSERVER_DataType datatype;
    Shape shape;
    Buffer bytes;
  };

  uint32_t infer_id_ = 0;
  const uint32_t model_id_;
  const std::string model_name_;
  const int64_t model_version_;
  const std::string id_;
  const uint64_t correlation_id_;
  const bool has_correlation_text_;
  const std::string correlation_text_;
  const uint32_t flags_;
  const uint64_t priority_;
  const uint64_t timeout_us_;
  const Parameters parameters_;
  const std::vector<std::string> outputs_;
  std::vector<Input> inputs_;
};

class InferCancelEvent : public Event {
 public:
  explicit InferCancelEvent(uint32_t infer_id) : infer_id_(infer_id) {}
  void write(EventWriter& writer) override;

 private:
  const uint32_t infer_id_;
};

/// An answer's outputs were copied. Where the event is never written, the host lets go of them as it closes.
class InferAnsweredEvent : public Event {
 public:
  /// @param host which delivers it.
  /// @param keep let go when JavaScript hears of it; null for nothing.
  InferAnsweredEvent(Host& host, uint32_t infer_id, bool final, napi_ref keep)
      : host_(host), infer_id_(infer_id), final_(final), keep_(keep) {}
  void write(EventWriter& writer) override;

 private:
  Host& host_;
  const uint32_t infer_id_;
  const bool final_;
  const napi_ref keep_;
};

}  // namespace triton_ts
