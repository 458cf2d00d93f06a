// Errors, logs and config for test libraries.
#pragma once

#include <cstdint>
#include <string>

#include "triton/tritonbackend.h"

/// Hands the error of a call on to the caller of this function.
#define RETURN_IF_ERROR(CALL)                                         \
  do {                                                                \
    if (TRITONSERVER_Error* error_ = (CALL)) return error_;           \
  } while (false)

namespace triton_ts {

/// A new error; it belongs to who gets it.
TRITONSERVER_Error* new_error(TRITONSERVER_Error_Code code, const std::string& message);

/// Logs an error nobody waits for, and deletes it. Null is fine.
void log_if_error(TRITONSERVER_Error* error);

/// "<code>: <message>" of an error, which is deleted; "" for null.
std::string take_text(TRITONSERVER_Error* error);

void log(TRITONSERVER_LogLevel level, const std::string& message);

/// The JSON text of a message that stays the caller's.
std::string message_text(TRITONSERVER_Message* message);

/// The model's config as JSON text, with every default filled in; "" where the host has none.
std::string model_config_text(TRITONBACKEND_Model* model);

/// The value of `"name": "value"` or `"name": {"string_value": "value"}` after `section` in a JSON text, else
/// `fallback`. A search, no parser: the test's configs are ours.
std::string json_string(
    const std::string& json, const std::string& section, const std::string& name, const std::string& fallback);

/// A parameter of the model's config, or `fallback`.
std::string model_parameter(TRITONBACKEND_Model* model, const std::string& name, const std::string& fallback = "");
std::string model_parameter(
    TRITONBACKEND_ModelInstance* instance, const std::string& name, const std::string& fallback = "");

/// The model's max_batch_size, 0 where it does not batch.
int64_t max_batch_size(TRITONBACKEND_Model* model);

/// A steady clock in nanoseconds: the times of the statistics.
uint64_t now_ns();

/// `text` as a JSON string, quotes included.
std::string quoted(const std::string& text);

}  // namespace triton_ts
