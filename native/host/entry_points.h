// Calls into a backend library. What it throws becomes an error; what it logs is known to be its.
#pragma once

#include <string>

#include "error.h"

struct TRITONBACKEND_Backend;
struct TRITONBACKEND_Model;
struct TRITONBACKEND_ModelInstance;
struct TRITONBACKEND_Request;

namespace triton_ts {

/// Opens the library, asks for its attributes and initializes the backend.
ErrorPtr initialize(TRITONBACKEND_Backend& backend);
ErrorPtr initialize(TRITONBACKEND_Model& model);
ErrorPtr initialize(TRITONBACKEND_ModelInstance& instance);

/// Does nothing for what is not initialized, or finalized already. A library's error can only be logged.
void finalize(TRITONBACKEND_Backend& backend);
void finalize(TRITONBACKEND_Model& model);
void finalize(TRITONBACKEND_ModelInstance& instance);

/// Custom batching of a model that has a strategy.
ErrorPtr initialize_batch(TRITONBACKEND_Model& model);
ErrorPtr include_in_batch(TRITONBACKEND_Model& model, TRITONBACKEND_Request* request, bool* result);
ErrorPtr finalize_batch(TRITONBACKEND_Model& model);

ErrorPtr execute(TRITONBACKEND_ModelInstance& instance, TRITONBACKEND_Request** requests, uint32_t count);
/// An error for an instance that is finalized.
ErrorPtr is_ready(TRITONBACKEND_ModelInstance& instance);

}  // namespace triton_ts
