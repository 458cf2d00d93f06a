// One call of a library's Execute, and the requests that it is about.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "request.h"

struct TRITONBACKEND_ModelInstance;

namespace triton_ts {

/// Owns its requests until the library has released them all and returned from Execute.
class Execution : public std::enable_shared_from_this<Execution> {
 public:
  /// @param id the number by which JavaScript knows it.
  /// @param count of the requests, which a `SubmissionReader` fills.
  Execution(uint32_t id, size_t count);

  uint32_t id() const { return id_; }
  std::vector<TRITONBACKEND_Request*>& requests() { return pointers_; }

  /// Calls the library and tells JavaScript how it went. With an error the requests are the engine's again.
  void run(TRITONBACKEND_ModelInstance& instance);

  /// A library gives a request back. An error where it did so before.
  ErrorPtr release(TRITONBACKEND_Request& request, bool reschedule);

  /// Runs on the thread of the instance.
  static void start(const std::shared_ptr<Execution>& execution,
                    const std::shared_ptr<TRITONBACKEND_ModelInstance>& instance);

 private:
  /// Takes every request back that the library still has. No words: their channels end as if answered.
  void take_back();

  const uint32_t id_;
  std::mutex mutex_;
  /// Keeps the memory while the library has requests.
  std::shared_ptr<Execution> self_;
  size_t held_;
  const size_t count_;
  const std::unique_ptr<TRITONBACKEND_Request[]> requests_;
  std::vector<TRITONBACKEND_Request*> pointers_;
};

/// Reads the requests that JavaScript wrote, see `records.md`.
class SubmissionReader {
 public:
  /// @param values the list beside the numbers.
  SubmissionReader(napi_env env, Host& host, napi_value values);

  /// Reads the next request. @param model whose name table the record uses.
  /// @param answerable false for a request that only the batcher looks at.
  void read(TRITONBACKEND_Request& request, const std::shared_ptr<TRITONBACKEND_Model>& model, bool answerable);

 private:
  double number() { return *next_++; }
  size_t count() { return static_cast<size_t>(number()); }
  napi_value value();
  std::string text();
  std::string name(const TRITONBACKEND_Model& model);
  void read_parameters(Parameters& parameters);
  void read_correlation_id(TRITONBACKEND_Request& request);
  void read_input(TRITONBACKEND_Input& input, const TRITONBACKEND_Model& model);
  void read_trace(TRITONBACKEND_Request& request, const TRITONBACKEND_Model& model);

  napi_env env_;
  Host& host_;
  napi_value values_;
  uint32_t next_value_ = 0;
  const double* next_;
};

}  // namespace triton_ts
