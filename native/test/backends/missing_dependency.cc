// A backend whose NEEDED library does not exist at run time.
#include "triton/tritonbackend.h"

extern "C" int triton_ts_absent();

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(
    TRITONBACKEND_ModelInstance*, TRITONBACKEND_Request**, const uint32_t) {
  return TRITONSERVER_ErrorNew(TRITONSERVER_ERROR_UNKNOWN, triton_ts_absent() == 0 ? "absent" : "present");
}
