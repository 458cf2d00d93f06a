// Memory that a library writes and JavaScript gets, or the other way round.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "live_objects.h"

namespace triton_ts {

/// Owned bytes on the CPU, aligned for vector instructions. Move-only.
class Buffer {
 public:
  static constexpr size_t kAlignment = 64;

  Buffer() = default;

  /// Throws std::bad_alloc where there is no memory. Zero bytes have no memory.
  explicit Buffer(size_t size) : size_(size) {
    if (size == 0) return;
    // The size is a library's word.
    if (size > SIZE_MAX - kAlignment) throw std::bad_alloc();
    const size_t rounded = (size + kAlignment - 1) / kAlignment * kAlignment;
    data_ = std::aligned_alloc(kAlignment, rounded);
    if (data_ == nullptr) throw std::bad_alloc();
  }

  Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  ~Buffer() { std::free(data_); }

  void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
  Counted<ObjectKind::kBuffer> counted_;
};

}  // namespace triton_ts
