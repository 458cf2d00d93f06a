#include "channel.h"

#include "model.h"
#include "response_events.h"

namespace triton_ts {

Channel::Channel(std::shared_ptr<Host> host, std::shared_ptr<TRITONBACKEND_Model> model, uint32_t request_id)
    : host_(std::move(host)), model_(std::move(model)), request_id_(request_id) {}

Channel::~Channel() {
  if (!claim_final()) return;
  ErrorPtr error(internal_error("the backend of model '" + model_->name +
                                "' gave up a request without sending its final response"));
  host_->post(std::make_unique<ResponseEvent>(request_id_, nullptr, true, std::move(error)));
}

TRITONSERVER_Error* Channel::check_open(bool final) {
  if (final ? claim_final() : !is_final_sent()) return nullptr;
  return invalid_argument("a response of model '" + model_->name +
                          "' was dropped: the final response of its request was sent before");
}

}  // namespace triton_ts
