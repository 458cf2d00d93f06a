#pragma once

#include <string>
#include <vector>

#include "batch.h"
#include "memory.h"

namespace triton_ts {

/** An output of a whole batch. */
struct OutputTensor {
  const char* name = nullptr;
  TRITONSERVER_DataType datatype = TRITONSERVER_TYPE_INVALID;
  std::vector<int64_t> shape;
  /** Numeric elements, or the characters of all strings in a row. */
  const char* data = nullptr;
  MemoryPlace place;
  /** Where each string begins, and the end of the last one. For strings only. */
  std::vector<size_t> string_offsets;
};

/** Where the part of one request goes. */
enum class Destination { kOutput, kState };

/**
 * Cuts an output into the parts of the requests, along the batch dimension, or without batching gives the only request
 * all of it. What is left over is dropped; a request whose part is missing fails with Triton's text, the others go on.
 * @param wanted whether a request gets its part, by its index.
 */
void WriteRows(Batch& batch, const OutputTensor& output, Destination destination, const std::vector<bool>& wanted);

/**
 * Cuts an output by the shape of another tensor (`batch_output` in a configuration): its parts lie in a row.
 * @param dims of the output, of which variable ones are those of the input at the same place.
 * @param sources the shape of that input, one for each request.
 */
void WriteByShapes(Batch& batch, const OutputTensor& output, const std::vector<int64_t>& dims,
                   const std::string& source_input, const std::vector<std::vector<int64_t>>& sources,
                   const std::vector<bool>& wanted);

/** A buffer of the host for one request's output or state. @throws Error what the host reports. */
void* NewDestination(const Batch& batch, size_t index, Destination destination, const char* name,
                     TRITONSERVER_DataType datatype, const std::vector<int64_t>& shape, size_t byte_size,
                     MemoryPlace& place, TRITONBACKEND_State** state = nullptr);

}  // namespace triton_ts
