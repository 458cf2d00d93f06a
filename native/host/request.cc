#include "request.h"

TRITONSERVER_Error* TRITONBACKEND_Request::check_held() const {
  return channel ? nullptr : triton_ts::invalid_argument(log_prefix() + "the request was released before");
}

std::string TRITONBACKEND_Request::log_prefix() const {
  return "[request id: " + (id.empty() ? "<id_unknown>" : id) + "] ";
}
