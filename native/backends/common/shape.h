#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "error.h"

namespace triton_ts {

/** How many elements a shape has. @throws Error INVALID_ARG for a variable dimension or one too large to count. */
inline int64_t ElementCount(const int64_t* dims, size_t rank) {
  int64_t count = 1;
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] < 0 || __builtin_mul_overflow(count, dims[i], &count)) {
      throw Error(TRITONSERVER_ERROR_INVALID_ARG, "unexpected integer overflow while calculating element count.");
    }
  }
  return count;
}

inline int64_t ElementCount(const std::vector<int64_t>& shape) { return ElementCount(shape.data(), shape.size()); }

/** Adds to a count of elements. @throws Error INVALID_ARG like ElementCount. */
inline void AddElements(int64_t more, int64_t& count) {
  if (__builtin_add_overflow(count, more, &count)) {
    throw Error(TRITONSERVER_ERROR_INVALID_ARG, "unexpected integer overflow while calculating element count.");
  }
}

/** The bytes of a tensor of numbers. @throws Error INVALID_ARG like ElementCount. */
inline size_t ByteSize(const std::vector<int64_t>& shape, size_t element_size) {
  size_t size = 0;
  if (__builtin_mul_overflow(static_cast<size_t>(ElementCount(shape)), element_size, &size)) {
    throw Error(TRITONSERVER_ERROR_INVALID_ARG, "unexpected integer overflow while calculating byte size.");
  }
  return size;
}

}  // namespace triton_ts
