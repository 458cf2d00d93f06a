#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace triton_ts {

/** The whole number at the start of a text. @throws Error INVALID_ARG with Triton's text. */
int ParseInt(const std::string& text);

/** `true`, `on`, `1`, `false`, `off` or `0` in any case. @throws Error INVALID_ARG with Triton's text. */
bool ParseBool(const std::string& text);

/** `[1,2]` */
std::string ShapeText(const std::vector<int64_t>& shape);

/** `a, b` */
std::string Join(const std::vector<std::string>& words);

}  // namespace triton_ts
