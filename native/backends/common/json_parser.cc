#include "json_parser.h"

#include "error.h"
#include "utf8.h"

namespace triton_ts {
namespace {

/** Deeper texts are refused, so that none can exhaust the stack. */
constexpr int kMaxDepth = 100;

}  // namespace

Json JsonParser::Parse() {
  Json value = Value(0);
  SkipSpace();
  if (at_ != text_.size()) Fail();
  return value;
}

Json JsonParser::Value(int depth) {
  SkipSpace();
  if (at_ == text_.size() || depth > kMaxDepth) Fail();
  switch (text_[at_]) {
    case '{':
      return Object(depth);
    case '[':
      return Array(depth);
    case '"':
      return Json::String(String());
    case 't':
      return Literal("true", Json::Bool(true));
    case 'f':
      return Literal("false", Json::Bool(false));
    case 'n':
      return Literal("null", Json());
    default:
      return Number();
  }
}

Json JsonParser::Object(int depth) {
  Expect('{');
  Json object = Json::Object();
  SkipSpace();
  if (Take('}')) return object;
  do {
    SkipSpace();
    std::string name = String();
    SkipSpace();
    Expect(':');
    object.Set(std::move(name), Value(depth + 1));
    SkipSpace();
  } while (Take(','));
  Expect('}');
  return object;
}

Json JsonParser::Array(int depth) {
  Expect('[');
  std::vector<Json> items;
  SkipSpace();
  if (!Take(']')) {
    do {
      items.push_back(Value(depth + 1));
      SkipSpace();
    } while (Take(','));
    Expect(']');
  }
  return Json::Array(std::move(items));
}

Json JsonParser::Number() {
  const size_t start = at_;
  at_ = text_.find_first_not_of("+-.0123456789eE", at_);
  if (at_ == std::string_view::npos) at_ = text_.size();
  if (at_ == start) Fail();
  Json number;
  number.kind_ = Json::Kind::kNumber;
  number.text_ = text_.substr(start, at_ - start);
  return number;
}

Json JsonParser::Literal(std::string_view word, Json value) {
  if (text_.compare(at_, word.size(), word) != 0) Fail();
  at_ += word.size();
  return value;
}

std::string JsonParser::String() {
  Expect('"');
  std::string out;
  for (;;) {
    const size_t end = text_.find_first_of("\"\\", at_);
    if (end == std::string_view::npos) Fail();
    out += text_.substr(at_, end - at_);
    at_ = end + 1;
    if (text_[end] == '"') return out;
    Escape(out);
  }
}

void JsonParser::Escape(std::string& out) {
  if (at_ == text_.size()) Fail();
  const char c = text_[at_++];
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
  if (const size_t index = kNames.find(c); index != std::string_view::npos) {
    out += kValues[index];
    return;
  }
  if (c != 'u') Fail();
  unsigned code = HexDigits();
  if (code >= 0xD800 && code < 0xDC00 && text_.compare(at_, 2, "\\u") == 0) {
    at_ += 2;
    code = 0x10000 + ((code - 0xD800) << 10) + (HexDigits() - 0xDC00);
  }
  AppendUtf8(code, out);
}

unsigned JsonParser::HexDigits() {
  if (text_.size() - at_ < 4) Fail();
  unsigned code = 0;
  for (int i = 0; i < 4; ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const char c = text_[at_++];
    const size_t digit = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
    if (digit == std::string_view::npos) Fail();
    code = code * 16 + static_cast<unsigned>(digit);
  }
  return code;
}

void JsonParser::SkipSpace() {
  at_ = text_.find_first_not_of(" \t\r\n", at_);
  if (at_ == std::string_view::npos) at_ = text_.size();
}

bool JsonParser::Take(char c) {
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void JsonParser::Expect(char c) {
  if (!Take(c)) Fail();
}

void JsonParser::Fail() const {
  throw Error(TRITONSERVER_ERROR_INVALID_ARG, "invalid JSON at offset " + std::to_string(at_));
}

}  // namespace triton_ts
