// The names that the host gives to the ABI's enumerators.
#pragma once

#include <string>

namespace triton_ts {

/// A JSON object of name and number (data types: byte size), with the host's API versions.
std::string inspect_names();

}  // namespace triton_ts
