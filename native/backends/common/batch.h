#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "triton/tritonbackend.h"

namespace triton_ts {

/** When the parts of an execution began and ended, in nanoseconds of CLOCK_MONOTONIC; 0 when it did not get there. */
struct ExecutionTimes {
  uint64_t start = 0;
  uint64_t compute_start = 0;
  uint64_t compute_end = 0;
};

uint64_t NowNs();

/** `[request id: X] `, which begins Triton's texts about one request. */
std::string RequestPrefix(TRITONBACKEND_Request* request);

/**
 * The requests of one execution and what becomes of each: exactly one final response, an error of its own or that of
 * the batch. An object serves one execution after the other and keeps its memory.
 */
class Batch {
 public:
  /** @param max_batch_size 0: the model knows no batches, and there is one request. */
  Batch(std::string model_name, int64_t max_batch_size)
      : model_name_(std::move(model_name)), max_batch_size_(max_batch_size) {}

  /** Takes the requests over and makes their responses. @throws std::bad_alloc before anything is taken. */
  void Begin(TRITONBACKEND_Request** requests, uint32_t count);

  /** @throws Error INTERNAL where the requests together exceed what the model takes. */
  void CheckSize() const;

  size_t Count() const { return items_.size(); }
  bool Batching() const { return max_batch_size_ > 0; }
  TRITONBACKEND_Request* Request(size_t index) const { return items_[index].request; }
  /** Whether some request has not failed. */
  bool AnyAlive() const;
  /** nullptr once the request failed. */
  TRITONBACKEND_Response* Response(size_t index) const { return items_[index].response; }
  /** The size of the batch dimension of one request's tensors; 1 without batching. */
  int64_t Rows(size_t index) const { return items_[index].rows; }
  int64_t TotalRows() const { return total_rows_; }

  /** Ends one request with an error, which is taken over; the others go on. */
  void Fail(size_t index, TRITONSERVER_Error* error) noexcept;
  void FailAll(TRITONSERVER_Error* error) noexcept;
  /** A new, empty response in place of one that was begun. @throws Error */
  void RenewResponse(size_t index);

  /** Reports statistics, sends what has not failed and gives the requests back. */
  void Finish(TRITONBACKEND_ModelInstance* instance, ExecutionTimes times) noexcept;

 private:
  struct Item {
    TRITONBACKEND_Request* request;
    TRITONBACKEND_Response* response;
    int64_t rows;
  };

  /** @throws Error what the host reports, for a request without inputs for instance. */
  int64_t ReadRows(TRITONBACKEND_Request* request) const;

  const std::string model_name_;
  const int64_t max_batch_size_;
  std::vector<Item> items_;
  int64_t total_rows_ = 0;
};

}  // namespace triton_ts
