#pragma once

#include <string>

namespace triton_ts {

/** Adds a code point in UTF-8. */
void AppendUtf8(unsigned code, std::string& out);

}  // namespace triton_ts
