#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triton_ts {

/**
 * A JSON value. Numbers keep their text, so that 64-bit integers survive reading and writing. Members keep their order.
 * Reading is lenient where a configuration may leave things out: an absent member reads as null, and null as empty.
 */
class Json {
 public:
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Json() = default;
  static Json Bool(bool value);
  static Json Int(int64_t value);
  static Json String(std::string value);
  static Json Array(std::vector<Json> items);
  static Json Object(std::vector<std::pair<std::string, Json>> members = {});

  /** @throws Error INVALID_ARG with the offset of what is not JSON. */
  static Json Parse(std::string_view text);
  std::string Write() const;

  bool IsNull() const { return kind_ == Kind::kNull; }
  /** The member `key`, or null. */
  const Json& operator[](std::string_view key) const;
  /** Replaces the member `key`, or adds it. */
  void Set(std::string key, Json value);
  const std::vector<std::pair<std::string, Json>>& Members() const { return members_; }
  const std::vector<Json>& Items() const { return items_; }

  /** The text of a string; empty for anything else. */
  const std::string& AsString() const;
  /** A number, also one in quotes, as protobuf writes 64-bit integers; 0 for null. */
  int64_t AsInt() const;
  bool AsBool() const { return kind_ == Kind::kBool && text_ == "true"; }
  std::vector<int64_t> AsInts() const;
  std::vector<std::string> AsStrings() const;

 private:
  friend class JsonParser;

  void WriteTo(std::string& out) const;

  Kind kind_ = Kind::kNull;
  /** Of a string, a number or a bool. */
  std::string text_;
  std::vector<Json> items_;
  std::vector<std::pair<std::string, Json>> members_;
};

}  // namespace triton_ts
