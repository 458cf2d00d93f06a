// Work that runs on a thread of the addon and whose end JavaScript waits for.
#pragma once

#include <functional>

#include "event.h"

namespace triton_ts {

/// Tells the end of an operation. Objects that it keeps are let go on the JavaScript thread.
class OperationEvent : public Event {
 public:
  using Result = std::function<napi_value(napi_env)>;

  /// @param result makes the value of a success; empty: undefined.
  /// @param keep lives until the event has been delivered.
  OperationEvent(uint32_t operation, ErrorPtr error, Result result = {}, std::shared_ptr<void> keep = {})
      : operation_(operation), error_(std::move(error)), result_(std::move(result)), keep_(std::move(keep)) {}

  void write(EventWriter& writer) override {
    writer.kind(EventKind::kOperation);
    writer.number(operation_);
    writer.error(error_.get());
    if (error_) return;
    napi_value result;
    if (result_) {
      result = result_(writer.env());
    } else {
      napi_get_undefined(writer.env(), &result);
    }
    writer.value(result);
  }

 private:
  const uint32_t operation_;
  const ErrorPtr error_;
  const Result result_;
  const std::shared_ptr<void> keep_;
};

}  // namespace triton_ts
