// A backend that imports a function which no host has, as one built for a later API version would.
#include "triton/tritonbackend.h"

extern "C" TRITONSERVER_Error* TRITONSERVER_DoesNotExist();

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(
    TRITONBACKEND_ModelInstance*, TRITONBACKEND_Request**, const uint32_t) {
  return TRITONSERVER_DoesNotExist();
}
