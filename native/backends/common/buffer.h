#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace triton_ts {

/**
 * Memory that is used again from run to run, aligned for every vector instruction. Its content does not survive
 * `Reserve`.
 */
class Buffer {
 public:
  /** At least `size` bytes, never nullptr. @throws std::bad_alloc */
  void* Reserve(size_t size) {
    const bool wasteful = capacity_ > kSmall && capacity_ / kLargestWaste > size;
    if (data_ == nullptr || capacity_ < size || wasteful) {
      data_.reset();
      capacity_ = (size / kAlignment + 1) * kAlignment;
      data_.reset(std::aligned_alloc(kAlignment, capacity_));
      if (data_ == nullptr) {
        capacity_ = 0;
        throw std::bad_alloc();
      }
    }
    return data_.get();
  }

 private:
  struct Free {
    void operator()(void* data) const { std::free(data); }
  };

  static constexpr size_t kAlignment = 64;
  /** More than this many times what is needed is given back, unless it is small anyway. */
  static constexpr size_t kLargestWaste = 4;
  static constexpr size_t kSmall = 1 << 20;

  std::unique_ptr<void, Free> data_;
  size_t capacity_ = 0;
};

}  // namespace triton_ts
