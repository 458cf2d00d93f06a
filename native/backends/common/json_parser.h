#pragma once

#include <string>
#include <string_view>

#include "json.h"

namespace triton_ts {

/** Reads one JSON text (RFC 8259). */
class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  /** @throws Error INVALID_ARG. */
  Json Parse();

 private:
  Json Value(int depth);
  Json Object(int depth);
  Json Array(int depth);
  Json Number();
  Json Literal(std::string_view word, Json value);
  std::string String();
  void Escape(std::string& out);
  unsigned HexDigits();
  void SkipSpace();
  bool Take(char c);
  void Expect(char c);
  [[noreturn]] void Fail() const;

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace triton_ts
