#include "batch.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "error.h"

namespace triton_ts {

uint64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string RequestPrefix(TRITONBACKEND_Request* request) {
  const char* id = nullptr;
  LogIfError(TRITONBACKEND_RequestId(request, &id), "cannot read the id of a request");
  return std::string("[request id: ") + (id == nullptr || *id == '\0' ? "<id_unknown>" : id) + "] ";
}

void Batch::Begin(TRITONBACKEND_Request** requests, uint32_t count) {
  items_.clear();
  items_.reserve(count);
  total_rows_ = 0;
  for (uint32_t i = 0; i < count; ++i) {
    items_.push_back({requests[i], nullptr, 0});
    auto& item = items_.back();
    LogIfError(TRITONBACKEND_ResponseNew(&item.response, item.request), "cannot make a response");
    if (auto* error = Guard([&] { item.rows = ReadRows(item.request); })) Fail(i, error);
    total_rows_ += item.rows;
  }
}

int64_t Batch::ReadRows(TRITONBACKEND_Request* request) const {
  if (!Batching()) return 1;
  TRITONBACKEND_Input* input = nullptr;
  const int64_t* shape = nullptr;
  uint32_t rank = 0;
  Check(TRITONBACKEND_RequestInputByIndex(request, 0, &input));
  Check(TRITONBACKEND_InputProperties(input, nullptr, nullptr, &shape, &rank, nullptr, nullptr));
  return rank == 0 ? 0 : shape[0];
}

void Batch::CheckSize() const {
  if (total_rows_ <= std::max<int64_t>(1, max_batch_size_)) return;
  throw Error(TRITONSERVER_ERROR_INTERNAL, "batch size " + std::to_string(total_rows_) + " for '" + model_name_ +
                                               "', max allowed is " + std::to_string(max_batch_size_));
}

bool Batch::AnyAlive() const {
  return std::any_of(items_.begin(), items_.end(), [](const Item& item) { return item.response != nullptr; });
}

void Batch::Fail(size_t index, TRITONSERVER_Error* error) noexcept {
  auto& response = items_[index].response;
  if (response != nullptr) {
    LogIfError(TRITONBACKEND_ResponseSend(response, TRITONSERVER_RESPONSE_COMPLETE_FINAL, error),
               "cannot send an error");
    response = nullptr;
  }
  TRITONSERVER_ErrorDelete(error);
}

void Batch::FailAll(TRITONSERVER_Error* error) noexcept {
  for (size_t i = 0; i < items_.size(); ++i) {
    Fail(i, TRITONSERVER_ErrorNew(TRITONSERVER_ErrorCode(error), TRITONSERVER_ErrorMessage(error)));
  }
  TRITONSERVER_ErrorDelete(error);
}

void Batch::RenewResponse(size_t index) {
  auto& item = items_[index];
  if (item.response == nullptr) return;
  // The new one comes first: without it the old one takes the error to the caller.
  TRITONBACKEND_Response* fresh = nullptr;
  Check(TRITONBACKEND_ResponseNew(&fresh, item.request));
  LogIfError(TRITONBACKEND_ResponseDelete(std::exchange(item.response, fresh)), "cannot drop a response");
}

void Batch::Finish(TRITONBACKEND_ModelInstance* instance, ExecutionTimes times) noexcept {
  const uint64_t end = NowNs();
  if (times.compute_start == 0) times.compute_start = end;
  if (times.compute_end == 0) times.compute_end = end;
  // Statistics come first: who has an answer finds it counted.
  for (const auto& item : items_) {
    LogIfError(TRITONBACKEND_ModelInstanceReportStatistics(instance, item.request, item.response != nullptr,
                                                           times.start, times.compute_start, times.compute_end, end),
               "cannot report a request's statistics");
  }
  if (AnyAlive()) {
    LogIfError(TRITONBACKEND_ModelInstanceReportBatchStatistics(instance, total_rows_, times.start,
                                                                times.compute_start, times.compute_end, end),
               "cannot report a batch's statistics");
  }
  for (const auto& item : items_) {
    if (item.response == nullptr) continue;
    LogIfError(TRITONBACKEND_ResponseSend(item.response, TRITONSERVER_RESPONSE_COMPLETE_FINAL, nullptr),
               "cannot send a response");
  }
  for (const auto& item : items_) {
    LogIfError(TRITONBACKEND_RequestRelease(item.request, TRITONSERVER_REQUEST_RELEASE_ALL),
               "cannot release a request");
  }
  items_.clear();
}

}  // namespace triton_ts
