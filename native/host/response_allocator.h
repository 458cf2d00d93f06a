// TRITONSERVER_ResponseAllocator: the functions by which a library gives memory for the outputs of nested requests.
#pragma once

#include "triton/tritonserver.h"

struct TRITONSERVER_ResponseAllocator {
  TRITONSERVER_ResponseAllocatorAllocFn_t allocate = nullptr;
  TRITONSERVER_ResponseAllocatorReleaseFn_t release = nullptr;
  /// The others may be null.
  TRITONSERVER_ResponseAllocatorStartFn_t start = nullptr;
  TRITONSERVER_ResponseAllocatorQueryFn_t query = nullptr;
  TRITONSERVER_ResponseAllocatorBufferAttributesFn_t fill_attributes = nullptr;
};
