// TRITONBACKEND_MemoryManager: memory that a backend asks of the server.
#pragma once

#include "triton/tritonbackend.h"

/// Plain memory, pinned memory where a CUDA driver is there, memory of a GPU. It has no state of its own.
struct TRITONBACKEND_MemoryManager {};
