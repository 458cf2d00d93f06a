#include "event.h"

#include <cstring>

#include "lent_memory.h"
#include "napi_check.h"

namespace triton_ts {
namespace {

/// Smaller tensors are copied: memory of its own costs V8 about a microsecond and a finalizer.
constexpr size_t kCopyBelow = 8192;

void free_memory(napi_env, void* data, void*) { end_loan(data); }

}  // namespace

napi_value to_uint8_array(napi_env env, Buffer& buffer) {
  napi_value memory;
  const size_t size = buffer.size();
  if (size < kCopyBelow) {
    void* copy;
    check(napi_create_arraybuffer(env, size, &copy, &memory));
    if (size > 0) std::memcpy(copy, buffer.data(), size);
  } else {
    void* data = buffer.data();
    // Some builds of V8 allow no memory of others.
    if (napi_create_external_arraybuffer(env, data, size, free_memory, nullptr, &memory) == napi_ok) {
      lend(std::move(buffer));
    } else {
      void* copy;
      check(napi_create_arraybuffer(env, size, &copy, &memory));
      std::memcpy(copy, data, size);
    }
  }
  napi_value array;
  check(napi_create_typedarray(env, napi_uint8_array, size, memory, 0, &array));
  return array;
}

void EventWriter::text(const std::string& text) {
  napi_value result;
  check(napi_create_string_utf8(env_, text.data(), text.size(), &result));
  value(result);
}

void EventWriter::error(const TRITONSERVER_Error* error) {
  number(error == nullptr ? -1 : error->code);
  if (error != nullptr) text(error->message);
}

void EventWriter::clear() {
  numbers_.clear();
  values_.clear();
}

}  // namespace triton_ts
