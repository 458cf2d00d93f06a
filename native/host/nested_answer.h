// What JavaScript answers to a nested request.
#pragma once

#include <node_api.h>

#include <cstdint>
#include <string>
#include <vector>

#include "error.h"
#include "lent_memory.h"
#include "parameter.h"
#include "shape.h"

namespace triton_ts {

/// One response, its bytes still JavaScript's.
struct NestedAnswer {
  struct Output {
    std::string name;
    TRITONSERVER_DataType datatype;
    Shape shape;
    const void* data;
    LentMemory memory;
    size_t byte_size;
  };

  bool final = true;
  ErrorPtr error;
  std::string model_name;
  int64_t model_version = -1;
  std::string id;
  Parameters parameters;
  std::vector<Output> outputs;
  /// Keeps the outputs' memory; null where there is none to keep. JavaScript thread.
  napi_ref keep = nullptr;

  /// The end of a decoupled model's responses, which comes without a response; one without outputs is a response.
  bool is_bare_end = false;
};

}  // namespace triton_ts
