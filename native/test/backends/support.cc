#include "support.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace triton_ts {

TRITONSERVER_Error* new_error(TRITONSERVER_Error_Code code, const std::string& message) {
  return TRITONSERVER_ErrorNew(code, message.c_str());
}

void log_if_error(TRITONSERVER_Error* error) {
  if (error != nullptr) log(TRITONSERVER_LOG_ERROR, take_text(error));
}

std::string take_text(TRITONSERVER_Error* error) {
  if (error == nullptr) return "";
  std::string text = std::string(TRITONSERVER_ErrorCodeString(error)) + ": " + TRITONSERVER_ErrorMessage(error);
  TRITONSERVER_ErrorDelete(error);
  return text;
}

void log(TRITONSERVER_LogLevel level, const std::string& message) {
  // A failing log has nowhere to be told.
  TRITONSERVER_ErrorDelete(TRITONSERVER_LogMessage(level, __FILE__, __LINE__, message.c_str()));
}

std::string message_text(TRITONSERVER_Message* message) {
  const char* base = nullptr;
  size_t byte_size = 0;
  const std::string error = take_text(TRITONSERVER_MessageSerializeToJson(message, &base, &byte_size));
  return error.empty() ? std::string(base, byte_size) : "";
}

std::string model_config_text(TRITONBACKEND_Model* model) {
  TRITONSERVER_Message* message = nullptr;
  if (!take_text(TRITONBACKEND_ModelConfig(model, 1, &message)).empty()) return "";
  std::string text = message_text(message);
  log_if_error(TRITONSERVER_MessageDelete(message));
  return text;
}

std::string json_string(
    const std::string& json, const std::string& section, const std::string& name, const std::string& fallback) {
  size_t at = json.find(quoted(section));
  if (at == std::string::npos) return fallback;
  at = json.find(quoted(name), at);
  if (at == std::string::npos) return fallback;
  at = json.find_first_not_of(" \t\r\n:", at + name.size() + 2);
  if (at != std::string::npos && json[at] == '{') {
    at = json.find(':', at);
    if (at != std::string::npos) at = json.find_first_not_of(" \t\r\n:", at);
  }
  if (at == std::string::npos || json[at] != '"') return fallback;
  std::string value;
  for (at++; at < json.size() && json[at] != '"'; at++) {
    if (json[at] == '\\') at++;
    value += json[at];
  }
  return value;
}

std::string model_parameter(TRITONBACKEND_Model* model, const std::string& name, const std::string& fallback) {
  return json_string(model_config_text(model), "parameters", name, fallback);
}

std::string model_parameter(
    TRITONBACKEND_ModelInstance* instance, const std::string& name, const std::string& fallback) {
  TRITONBACKEND_Model* model = nullptr;
  if (!take_text(TRITONBACKEND_ModelInstanceModel(instance, &model)).empty()) return fallback;
  return model_parameter(model, name, fallback);
}

int64_t max_batch_size(TRITONBACKEND_Model* model) {
  const std::string config = model_config_text(model);
  const std::string key = "\"max_batch_size\"";
  const size_t at = config.find(key);
  if (at == std::string::npos) return 0;
  return std::strtoll(config.c_str() + config.find_first_not_of(" \t\r\n:", at + key.size()), nullptr, 10);
}

uint64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      quoted += escaped;
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace triton_ts
