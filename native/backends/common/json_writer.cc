#include <cstdio>

#include "json.h"

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
