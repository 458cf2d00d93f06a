#include "text.h"

#include <algorithm>
#include <cctype>

#include "error.h"

namespace triton_ts {

int ParseInt(const std::string& text) {
  try {
    return std::stoi(text);
  } catch (const std::exception&) {
    throw Error(TRITONSERVER_ERROR_INVALID_ARG, "failed to convert '" + text + "' to integral number");
  }
}

bool ParseBool(const std::string& text) {
  std::string word = text;
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  if (word == "true" || word == "on" || word == "1") return true;
  if (word == "false" || word == "off" || word == "0") return false;
  throw Error(TRITONSERVER_ERROR_INVALID_ARG, "failed to convert '" + text + "' to boolean");
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const auto dim : shape) text += (text.size() > 1 ? "," : "") + std::to_string(dim);
  return text + "]";
}

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace triton_ts
