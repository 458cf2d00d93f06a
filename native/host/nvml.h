// How GPUs do, by NVIDIA's management library, which is looked for when it is first needed.
#pragma once

#include <string>
#include <vector>

#include "error.h"

namespace triton_ts::nvml {

struct Gpu {
  std::string uuid;
  std::string name;
};

/// What a GPU tells; negative for what it does not.
struct Reading {
  /// Percent.
  double utilization = -1;
  /// Bytes.
  double memory_total = -1;
  double memory_used = -1;
  /// Milliwatts.
  double power_usage = -1;
  double power_limit = -1;
  /// Millijoules since the driver was loaded.
  double energy = -1;
};

/// The GPUs of this machine in the order of their places on the bus. Without the library or a driver it fails with
/// UNAVAILABLE.
ErrorPtr find(std::vector<Gpu>* gpus);

/// Asks all of them, in the same order. `find` has found them.
std::vector<Reading> read();

}  // namespace triton_ts::nvml
