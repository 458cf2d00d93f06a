#pragma once

#include <tuple>

namespace triton_ts {

/** Where a session runs. */
struct Device {
  bool gpu = false;
  /** Of the GPU; 0 for the CPU. */
  int id = 0;

  bool operator<(const Device& other) const { return std::tie(gpu, id) < std::tie(other.gpu, other.id); }
};

}  // namespace triton_ts
