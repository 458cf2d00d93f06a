#include "json.h"

#include "error.h"
#include "json_parser.h"

namespace triton_ts {

Json Json::Bool(bool value) {
  Json json;
  json.kind_ = Kind::kBool;
  json.text_ = value ? "true" : "false";
  return json;
}

Json Json::Int(int64_t value) {
  Json json;
  json.kind_ = Kind::kNumber;
  json.text_ = std::to_string(value);
  return json;
}

Json Json::String(std::string value) {
  Json json;
  json.kind_ = Kind::kString;
  json.text_ = std::move(value);
  return json;
}

Json Json::Array(std::vector<Json> items) {
  Json json;
  json.kind_ = Kind::kArray;
  json.items_ = std::move(items);
  return json;
}

Json Json::Object(std::vector<std::pair<std::string, Json>> members) {
  Json json;
  json.kind_ = Kind::kObject;
  json.members_ = std::move(members);
  return json;
}

Json Json::Parse(std::string_view text) { return JsonParser(text).Parse(); }

const Json& Json::operator[](std::string_view key) const {
  static const Json null;
  for (const auto& [name, value] : members_) {
    if (name == key) return value;
  }
  return null;
}

void Json::Set(std::string key, Json value) {
  for (auto& [name, member] : members_) {
    if (name == key) {
      member = std::move(value);
      return;
    }
  }
  members_.emplace_back(std::move(key), std::move(value));
}

const std::string& Json::AsString() const {
  static const std::string empty;
  return kind_ == Kind::kString ? text_ : empty;
}

int64_t Json::AsInt() const {
  if (kind_ == Kind::kNull) return 0;
  if (kind_ == Kind::kNumber || kind_ == Kind::kString) {
    try {
      return std::stoll(text_);
    } catch (const std::exception&) {
      // Told below, with the text.
    }
  }
  throw Error(TRITONSERVER_ERROR_INVALID_ARG, "expected an integer in JSON, got '" + text_ + "'");
}

std::vector<int64_t> Json::AsInts() const {
  std::vector<int64_t> values;
  for (const auto& item : items_) values.push_back(item.AsInt());
  return values;
}

std::vector<std::string> Json::AsStrings() const {
  std::vector<std::string> values;
  for (const auto& item : items_) values.push_back(item.AsString());
  return values;
}

}  // namespace triton_ts
