// TRITONBACKEND_ResponseFactory.
#include "boundary.h"
#include "request.h"
#include "response_events.h"

using triton_ts::at_boundary;

extern "C" {

TRITONSERVER_Error* TRITONBACKEND_ResponseFactoryNew(TRITONBACKEND_ResponseFactory** factory,
                                                     TRITONBACKEND_Request* request) {
  *factory = nullptr;
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (auto* error = request->check_held()) return error;
    *factory = new TRITONBACKEND_ResponseFactory{request->channel, {}};
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_ResponseFactoryDelete(TRITONBACKEND_ResponseFactory* factory) {
  delete factory;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ResponseFactorySendFlags(TRITONBACKEND_ResponseFactory* factory,
                                                           uint32_t send_flags) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    // Without the flag there is nothing to tell.
    if ((send_flags & TRITONSERVER_RESPONSE_COMPLETE_FINAL) == 0) return nullptr;
    triton_ts::Channel& channel = *factory->channel;
    auto event = std::make_unique<triton_ts::ResponseEvent>(channel.request_id(), nullptr, true, nullptr);
    if (auto* late = channel.check_open(true)) return late;
    channel.host()->post(std::move(event));
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONBACKEND_ResponseFactoryIsCancelled(TRITONBACKEND_ResponseFactory* factory,
                                                             bool* is_cancelled) {
  *is_cancelled = factory->channel->is_cancelled();
  return nullptr;
}

}  // extern "C"
