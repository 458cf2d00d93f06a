// TRITONSERVER_ResponseAllocator*.
#include "response_allocator.h"

#include <memory>

#include "boundary.h"

using namespace triton_ts;

extern "C" {

TRITONSERVER_Error* TRITONSERVER_ResponseAllocatorNew(TRITONSERVER_ResponseAllocator** out,
                                                      TRITONSERVER_ResponseAllocatorAllocFn_t allocate,
                                                      TRITONSERVER_ResponseAllocatorReleaseFn_t release,
                                                      TRITONSERVER_ResponseAllocatorStartFn_t start) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (allocate == nullptr || release == nullptr) {
      return invalid_argument("a response allocator needs a function to allocate and one to release");
    }
    auto allocator = std::make_unique<TRITONSERVER_ResponseAllocator>();
    allocator->allocate = allocate;
    allocator->release = release;
    allocator->start = start;
    *out = allocator.release();
    return nullptr;
  });
}

TRITONSERVER_Error* TRITONSERVER_ResponseAllocatorSetBufferAttributesFunction(
    TRITONSERVER_ResponseAllocator* allocator, TRITONSERVER_ResponseAllocatorBufferAttributesFn_t function) {
  allocator->fill_attributes = function;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_ResponseAllocatorSetQueryFunction(TRITONSERVER_ResponseAllocator* allocator,
                                                                   TRITONSERVER_ResponseAllocatorQueryFn_t function) {
  allocator->query = function;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_ResponseAllocatorDelete(TRITONSERVER_ResponseAllocator* allocator) {
  const std::unique_ptr<TRITONSERVER_ResponseAllocator> owned(allocator);
  return nullptr;
}

}  // extern "C"
