// The way back from a library to the request of the engine.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "host.h"
#include "live_objects.h"

struct TRITONBACKEND_Model;

namespace triton_ts {

/// Shared by a request, its response factories and its responses. When the last of them is gone and no final response
/// was sent, nobody can answer any more: the engine's request then fails instead of waiting for ever.
class Channel {
 public:
  /// @param request_id the request's number in its host; free again after the final response and the release.
  Channel(std::shared_ptr<Host> host, std::shared_ptr<TRITONBACKEND_Model> model, uint32_t request_id);
  ~Channel();

  const std::shared_ptr<Host>& host() const { return host_; }
  TRITONBACKEND_Model* model() const { return model_.get(); }
  uint32_t request_id() const { return request_id_; }
  bool is_cancelled() const { return cancelled_.load(std::memory_order_relaxed) || host_->is_closing(); }
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  /// False when the final response was sent before.
  bool claim_final() { return !final_sent_.exchange(true); }
  bool is_final_sent() const { return final_sent_.load(); }
  /// Before a response is sent: an error where the final one was sent before, else null. @param final claims it.
  TRITONSERVER_Error* check_open(bool final);

 private:
  const std::shared_ptr<Host> host_;
  const std::shared_ptr<TRITONBACKEND_Model> model_;
  const uint32_t request_id_;
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> final_sent_{false};
  Counted<ObjectKind::kChannel> counted_;
};

using ChannelPtr = std::shared_ptr<Channel>;

}  // namespace triton_ts
