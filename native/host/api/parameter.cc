// TRITONSERVER_Parameter.
#include "parameter.h"

#include <exception>
#include <memory>

namespace {

struct PointerTo {
  const void* operator()(const std::string& text) const { return text.c_str(); }
  template <typename Number>
  const void* operator()(const Number& number) const {
    return &number;
  }
};

using Value = decltype(TRITONSERVER_Parameter::value);

/// These functions have no error to hand out, only null.
TRITONSERVER_Parameter* make_parameter(const char* name, TRITONSERVER_ParameterType type, Value value) {
  return std::make_unique<TRITONSERVER_Parameter>(TRITONSERVER_Parameter{name, type, std::move(value)}).release();
}

}  // namespace

const void* TRITONSERVER_Parameter::pointer() const { return std::visit(PointerTo(), value); }

extern "C" {

TRITONSERVER_Parameter* TRITONSERVER_ParameterNew(const char* name, TRITONSERVER_ParameterType type,
                                                  const void* value) try {
  if (name == nullptr || value == nullptr) return nullptr;
  switch (type) {
    case TRITONSERVER_PARAMETER_STRING:
      return make_parameter(name, type, std::string(static_cast<const char*>(value)));
    case TRITONSERVER_PARAMETER_INT:
      return make_parameter(name, type, *static_cast<const int64_t*>(value));
    case TRITONSERVER_PARAMETER_BOOL:
      return make_parameter(name, type, *static_cast<const bool*>(value));
    case TRITONSERVER_PARAMETER_DOUBLE:
      return make_parameter(name, type, *static_cast<const double*>(value));
    case TRITONSERVER_PARAMETER_BYTES:
      // Has no length here.
      return nullptr;
  }
  return nullptr;
} catch (const std::exception&) {
  return nullptr;
}

TRITONSERVER_Parameter* TRITONSERVER_ParameterBytesNew(const char* name, const void* bytes,
                                                       uint64_t byte_size) try {
  if (name == nullptr || (bytes == nullptr && byte_size > 0)) return nullptr;
  // Triton refers to the bytes; a copy asks less of the caller.
  auto copy = byte_size == 0 ? std::string() : std::string(static_cast<const char*>(bytes), byte_size);
  return make_parameter(name, TRITONSERVER_PARAMETER_BYTES, std::move(copy));
} catch (const std::exception&) {
  return nullptr;
}

void TRITONSERVER_ParameterDelete(TRITONSERVER_Parameter* parameter) { delete parameter; }

}  // extern "C"
