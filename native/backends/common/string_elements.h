#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace triton_ts {

/**
 * Adds the elements of a BYTES tensor in its wire form: each has its length before it, as 32 bits in little endian.
 * @throws Error with Triton's texts when these are not exactly `count` elements; what was added before stays.
 */
void ReadStringElements(const char* input_name, const char* data, size_t size, size_t count,
                        std::vector<std::string_view>& elements);

}  // namespace triton_ts
