#include "json.h"

#include <cstdio>

#include "error.h"
#include "json_parser.h"

namespace triton_ts {
namespace {

void WriteString(const std::string& text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[7];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace

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

std::string Json::Write() const {
  std::string out;
  WriteTo(out);
  return out;
}

void Json::WriteTo(std::string& out) const {
  const char* separator = "";
  switch (kind_) {
    case Kind::kNull:
      out += "null";
      break;
    case Kind::kBool:
    case Kind::kNumber:
      out += text_;
      break;
    case Kind::kString:
      WriteString(text_, out);
      break;
    case Kind::kArray:
      out += '[';
      for (const auto& item : items_) {
        out += separator;
        item.WriteTo(out);
        separator = ",";
      }
      out += ']';
      break;
    case Kind::kObject:
      out += '{';
      for (const auto& [name, value] : members_) {
        out += separator;
        WriteString(name, out);
        out += ':';
        value.WriteTo(out);
        separator = ",";
      }
      out += '}';
      break;
  }
}

}  // namespace triton_ts
