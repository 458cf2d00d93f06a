/* A backend in C: OUT is IN (FP32) times two. Triton's interface has more; these are the calls that none does without. */
#include <stddef.h>
#include <stdint.h>

#include "triton/tritonbackend.h"

#define TRY(call) \
  if ((error = (call)) != NULL) return error

static TRITONSERVER_Error* answer(TRITONBACKEND_Request* request, TRITONBACKEND_Response* response) {
  TRITONSERVER_Error* error;
  TRITONBACKEND_Input* input;
  TRITONBACKEND_Output* output;
  const int64_t* shape;
  uint32_t dims, buffers;
  uint64_t size, done = 0;
  TRITONSERVER_MemoryType type = TRITONSERVER_MEMORY_CPU;
  int64_t device = 0;
  void* out;
  TRY(TRITONBACKEND_RequestInput(request, "IN", &input));
  TRY(TRITONBACKEND_InputProperties(input, NULL, NULL, &shape, &dims, &size, &buffers));
  TRY(TRITONBACKEND_ResponseOutput(response, &output, "OUT", TRITONSERVER_TYPE_FP32, shape, dims));
  TRY(TRITONBACKEND_OutputBuffer(output, &out, size, &type, &device));
  for (uint32_t i = 0; i < buffers; i++) {
    const void* in;
    TRY(TRITONBACKEND_InputBuffer(input, i, &in, &size, &type, &device));
    for (uint64_t n = 0; n < size / sizeof(float); n++) ((float*)out)[done++] = 2 * ((const float*)in)[n];
  }
  return NULL;
}

TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(
    TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, const uint32_t count) {
  (void)instance;
  for (uint32_t i = 0; i < count; i++) {
    TRITONBACKEND_Response* response;
    TRITONSERVER_Error* error = TRITONBACKEND_ResponseNew(&response, requests[i]);
    if (error == NULL) {
      TRITONSERVER_Error* failed = answer(requests[i], response);
      error = TRITONBACKEND_ResponseSend(response, TRITONSERVER_RESPONSE_COMPLETE_FINAL, failed);
      TRITONSERVER_ErrorDelete(failed);
    }
    TRITONSERVER_ErrorDelete(error);
    TRITONSERVER_ErrorDelete(TRITONBACKEND_RequestRelease(requests[i], TRITONSERVER_REQUEST_RELEASE_ALL));
  }
  return NULL;
}
