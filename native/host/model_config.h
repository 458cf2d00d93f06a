// What the addon itself has to know of a model's configuration.
#pragma once

#include <string>

namespace triton_ts {

/// Each looks a field up in the text, where its key means the same wherever it stands.
/// @param json the configuration with all its fields.
bool config_has_states(const std::string& json);

/// Whether implicit state has an output of that name.
bool config_has_state(const std::string& json, const std::string& output_name);

/// Whether a library may give a request back to be run again.
bool config_is_iterative(const std::string& json);

}  // namespace triton_ts
