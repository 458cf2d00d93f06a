#include "model_config.h"

namespace triton_ts {
namespace {

constexpr const char* kSpace = " \t\r\n";

/// Whether the key stands anywhere in the text with a value that begins so.
bool has_field(const std::string& json, const std::string& key, const std::string& value) {
  const std::string quoted = '"' + key + '"';
  for (size_t at = json.find(quoted); at != std::string::npos; at = json.find(quoted, at + 1)) {
    const size_t colon = json.find_first_not_of(kSpace, at + quoted.size());
    // Without a colon it is a value.
    if (colon == std::string::npos || json[colon] != ':') continue;
    const size_t start = json.find_first_not_of(kSpace, colon + 1);
    if (start != std::string::npos && json.compare(start, value.size(), value) == 0) return true;
  }
  return false;
}

}  // namespace

// Only the states of sequence batching have a field of this name.
bool config_has_states(const std::string& json) { return has_field(json, "output_name", "\""); }

bool config_has_state(const std::string& json, const std::string& output_name) {
  return has_field(json, "output_name", '"' + output_name + '"');
}

bool config_is_iterative(const std::string& json) { return has_field(json, "iterative_sequence", "true"); }

}  // namespace triton_ts
