#include "string_elements.h"

#include <cstdint>
#include <cstring>
#include <string>

#include "error.h"

namespace triton_ts {

void ReadStringElements(const char* input_name, const char* data, size_t size, size_t count,
                        std::vector<std::string_view>& elements) {
  const std::string input = std::string("inference input '") + input_name + "'";
  size_t found = 0;
  while (size >= sizeof(uint32_t)) {
    if (found == count) {
      throw Error(TRITONSERVER_ERROR_INVALID_ARG, "unexpected number of string elements " +
                                                      std::to_string(found + 1) + " for " + input + ", expecting " +
                                                      std::to_string(count));
    }
    uint32_t length = 0;
    std::memcpy(&length, data, sizeof length);
    data += sizeof length;
    size -= sizeof length;
    if (length > size) {
      throw Error(TRITONSERVER_ERROR_INVALID_ARG, "incomplete string data for " + input +
                                                      ", expecting string of length " + std::to_string(length) +
                                                      " but only " + std::to_string(size) + " bytes available");
    }
    elements.emplace_back(data, length);
    data += length;
    size -= length;
    ++found;
  }
  if (found != count) {
    throw Error(TRITONSERVER_ERROR_INTERNAL,
                "expected " + std::to_string(count) + " strings for " + input + ", got " + std::to_string(found));
  }
}

}  // namespace triton_ts
