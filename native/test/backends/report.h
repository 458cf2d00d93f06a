// A JSON object under construction: what a test library tells about its host.
#pragma once

#include <cstdint>
#include <string>

#include "support.h"

namespace triton_ts {

class Report {
 public:
  /// Null for a null pointer.
  void text(const std::string& key, const char* value) { raw(key, value == nullptr ? "null" : quoted(value)); }
  template <typename Number>
  void number(const std::string& key, Number value) { raw(key, std::to_string(value)); }
  void flag(const std::string& key, bool value) { raw(key, value ? "true" : "false"); }
  /// `value` is JSON already; nothing at all is null.
  void raw(const std::string& key, const std::string& value) {
    if (!json_.empty()) json_ += ',';
    json_ += quoted(key) + ':' + (value.empty() ? "null" : value);
  }

  /// Whether the call worked; an error is deleted and reported under `key` instead of the value.
  bool ok(const std::string& key, TRITONSERVER_Error* error) {
    if (error == nullptr) return true;
    text(key, take_text(error).c_str());
    return false;
  }

  std::string json() const { return '{' + json_ + '}'; }

 private:
  std::string json_;
};

}  // namespace triton_ts
