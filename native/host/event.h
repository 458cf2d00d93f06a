// What the addon tells JavaScript. Events are made on any thread and written, in their order, on the JavaScript thread.
#pragma once

#include <node_api.h>

#include <string>
#include <vector>

#include "buffer.h"
#include "error.h"

namespace triton_ts {

/// The first number of each record; `packages/backend-native/src/host/event-kind.ts` has the same list.
enum class EventKind {
  kOperation = 0,
  kResponse = 1,
  kReleased = 2,
  kExecuted = 3,
  kRequestStatistics = 4,
  kBatchStatistics = 5,
  kState = 6,
  kResponseStatistics = 7,
  kLog = 8,
  kInfer = 9,
  kInferCancel = 10,
  kQuery = 11,
  kTrace = 12,
  kInferAnswered = 13,
};

/// The bytes as a Uint8Array. A large buffer becomes its memory without a copy; the buffer is empty afterwards.
napi_value to_uint8_array(napi_env env, Buffer& buffer);

/// Collects records: numbers go to one flat array, everything else to a list of JavaScript values beside it, and each
/// record reads both in the order in which it was written. JavaScript thread only.
class EventWriter {
 public:
  explicit EventWriter(napi_env env) : env_(env) {}

  napi_env env() const { return env_; }
  void number(double value) { numbers_.push_back(value); }
  void kind(EventKind kind) { number(static_cast<double>(kind)); }
  void value(napi_value value) { values_.push_back(value); }
  void text(const std::string& text);
  /// An error's code and text, or -1 for success.
  void error(const TRITONSERVER_Error* error);
  /// See `to_uint8_array`.
  void bytes(Buffer& buffer) { value(to_uint8_array(env_, buffer)); }

  const std::vector<double>& numbers() const { return numbers_; }
  const std::vector<napi_value>& values() const { return values_; }
  bool empty() const { return numbers_.empty(); }
  void clear();

 private:
  napi_env env_;
  std::vector<double> numbers_;
  std::vector<napi_value> values_;
};

/// One record. An event that cannot be delivered any more, since the environment ends, is deleted unwritten.
class Event {
 public:
  virtual ~Event() = default;
  virtual void write(EventWriter& writer) = 0;
};

}  // namespace triton_ts
