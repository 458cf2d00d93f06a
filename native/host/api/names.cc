// Versions, and the names of enumerators.
#include <string_view>

#include "boundary.h"
#include "triton/tritonbackend.h"

using triton_ts::set;

namespace {

struct DataType {
  TRITONSERVER_DataType type;
  const char* name;
  uint32_t byte_size;
};

constexpr DataType kDataTypes[] = {
    {TRITONSERVER_TYPE_BOOL, "BOOL", 1},     {TRITONSERVER_TYPE_UINT8, "UINT8", 1},
    {TRITONSERVER_TYPE_UINT16, "UINT16", 2}, {TRITONSERVER_TYPE_UINT32, "UINT32", 4},
    {TRITONSERVER_TYPE_UINT64, "UINT64", 8}, {TRITONSERVER_TYPE_INT8, "INT8", 1},
    {TRITONSERVER_TYPE_INT16, "INT16", 2},   {TRITONSERVER_TYPE_INT32, "INT32", 4},
    {TRITONSERVER_TYPE_INT64, "INT64", 8},   {TRITONSERVER_TYPE_FP16, "FP16", 2},
    {TRITONSERVER_TYPE_FP32, "FP32", 4},     {TRITONSERVER_TYPE_FP64, "FP64", 8},
    {TRITONSERVER_TYPE_BYTES, "BYTES", 0},   {TRITONSERVER_TYPE_BF16, "BF16", 2},
};

constexpr const char* kInvalid = "<invalid>";

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONBACKEND_ApiVersion(uint32_t* major, uint32_t* minor) {
  set(major, TRITONBACKEND_API_VERSION_MAJOR);
  set(minor, TRITONBACKEND_API_VERSION_MINOR);
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_ApiVersion(uint32_t* major, uint32_t* minor) {
  set(major, TRITONSERVER_API_VERSION_MAJOR);
  set(minor, TRITONSERVER_API_VERSION_MINOR);
  return nullptr;
}

const char* TRITONSERVER_DataTypeString(TRITONSERVER_DataType datatype) {
  for (const DataType& entry : kDataTypes) {
    if (entry.type == datatype) return entry.name;
  }
  return kInvalid;
}

TRITONSERVER_DataType TRITONSERVER_StringToDataType(const char* name) {
  for (const DataType& entry : kDataTypes) {
    if (name != nullptr && std::string_view(entry.name) == name) return entry.type;
  }
  return TRITONSERVER_TYPE_INVALID;
}

uint32_t TRITONSERVER_DataTypeByteSize(TRITONSERVER_DataType datatype) {
  for (const DataType& entry : kDataTypes) {
    if (entry.type == datatype) return entry.byte_size;
  }
  return 0;
}

const char* TRITONSERVER_MemoryTypeString(TRITONSERVER_MemoryType type) {
  switch (type) {
    case TRITONSERVER_MEMORY_CPU:
      return "CPU";
    case TRITONSERVER_MEMORY_CPU_PINNED:
      return "CPU_PINNED";
    case TRITONSERVER_MEMORY_GPU:
      return "GPU";
  }
  return kInvalid;
}

const char* TRITONSERVER_ParameterTypeString(TRITONSERVER_ParameterType type) {
  switch (type) {
    case TRITONSERVER_PARAMETER_STRING:
      return "STRING";
    case TRITONSERVER_PARAMETER_INT:
      return "INT";
    case TRITONSERVER_PARAMETER_BOOL:
      return "BOOL";
    case TRITONSERVER_PARAMETER_DOUBLE:
      return "DOUBLE";
    case TRITONSERVER_PARAMETER_BYTES:
      return "BYTES";
  }
  return kInvalid;
}

const char* TRITONSERVER_InstanceGroupKindString(TRITONSERVER_InstanceGroupKind kind) {
  switch (kind) {
    case TRITONSERVER_INSTANCEGROUPKIND_AUTO:
      return "AUTO";
    case TRITONSERVER_INSTANCEGROUPKIND_CPU:
      return "CPU";
    case TRITONSERVER_INSTANCEGROUPKIND_GPU:
      return "GPU";
    case TRITONSERVER_INSTANCEGROUPKIND_MODEL:
      return "MODEL";
  }
  return kInvalid;
}

}  // extern "C"
