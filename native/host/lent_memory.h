// Memory of the addon that JavaScript has as an array.
#pragma once

#include <cstddef>
#include <memory>

#include "buffer.h"

namespace triton_ts {

/// An environment that ends, a worker thread that is terminated, frees such memory before it tells anybody, while a
/// library's thread may be reading it: the output of one model is the input of another. So who reads holds on to it.
using LentMemory = std::shared_ptr<const Buffer>;

/// Remembers the buffer, which is not empty, until `end_loan`.
void lend(Buffer buffer);

/// JavaScript's array is gone. @param data of the buffer.
void end_loan(const void* data);

/// What keeps the bytes at `data` alive; null for memory that is not the addon's.
LentMemory find_loan(const void* data);

}  // namespace triton_ts
