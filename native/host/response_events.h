// What a library tells of its requests while it runs them.
#pragma once

#include <memory>

#include "error.h"
#include "event.h"
#include "response.h"

namespace triton_ts {

/// A response on its way to JavaScript.
class ResponseEvent : public Event {
 public:
  /// @param request the request's number in its host.
  /// @param response null: an error, or the end of a decoupled request, without anything else.
  /// @param error null for success; else the outputs stay behind.
  ResponseEvent(uint32_t request, std::unique_ptr<TRITONBACKEND_Response> response, bool final, ErrorPtr error);
  void write(EventWriter& writer) override;

 private:
  const uint32_t request_;
  const std::unique_ptr<TRITONBACKEND_Response> response_;
  const bool final_;
  const ErrorPtr error_;
};

class ReleasedEvent : public Event {
 public:
  ReleasedEvent(uint32_t request, bool rescheduled) : request_(request), rescheduled_(rescheduled) {}
  void write(EventWriter& writer) override;

 private:
  const uint32_t request_;
  const bool rescheduled_;
};

/// The new state of a sequence.
class StateEvent : public Event {
 public:
  /// @param tensor its buffer is the event's from now on; datatype and shape are those of this moment.
  StateEvent(uint32_t request, TRITONBACKEND_Output& tensor);
  void write(EventWriter& writer) override;

 private:
  const uint32_t request_;
  const int name_index_;
  const TRITONSERVER_DataType datatype_;
  const Shape shape_;
  Buffer buffer_;
};

}  // namespace triton_ts
