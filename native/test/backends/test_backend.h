// The interface between the exported C functions and a test library.
#pragma once

#include "triton/tritonbackend.h"

namespace triton_ts {

/// What one test library does at each entry point. entry_points.cc exports the C functions, keeps the life cycle's
/// books and calls this; a library overrides what it needs. An error that is returned belongs to the host.
class TestBackend {
 public:
  virtual ~TestBackend() = default;

  virtual TRITONSERVER_Error* initialize(TRITONBACKEND_Backend*) { return nullptr; }
  virtual TRITONSERVER_Error* finalize(TRITONBACKEND_Backend*) { return nullptr; }
  virtual TRITONSERVER_Error* model_initialize(TRITONBACKEND_Model*) { return nullptr; }
  virtual TRITONSERVER_Error* model_finalize(TRITONBACKEND_Model*) { return nullptr; }
  virtual TRITONSERVER_Error* instance_initialize(TRITONBACKEND_ModelInstance*) { return nullptr; }
  virtual TRITONSERVER_Error* instance_finalize(TRITONBACKEND_ModelInstance*) { return nullptr; }
  virtual TRITONSERVER_Error* execute(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count) = 0;
};

/// The one of this library: each library defines it.
TestBackend& test_backend();

}  // namespace triton_ts
