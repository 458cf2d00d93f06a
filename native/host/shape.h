#pragma once

#include <cstdint>
#include <vector>

namespace triton_ts {

using Shape = std::vector<int64_t>;

}  // namespace triton_ts
