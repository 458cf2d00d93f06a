#include "inspect_tensor.h"

#include "report.h"

namespace triton_ts {
namespace {

/// Buffer `index`, and its size as the host policy "cpu" sees it.
void inspect_buffer(Report* report, TRITONBACKEND_Input* input, uint32_t index) {
  const std::string key = "buffer " + std::to_string(index);
  const void* buffer = nullptr;
  TRITONSERVER_BufferAttributes* attributes = nullptr;
  if (report->ok(key, TRITONBACKEND_InputBufferAttributes(input, index, &buffer, &attributes))) {
    report->raw(key, inspect_attributes(attributes));
  }
  uint64_t size = 0;
  TRITONSERVER_MemoryType type = TRITONSERVER_MEMORY_CPU;
  int64_t type_id = 0;
  TRITONSERVER_Error* error =
      TRITONBACKEND_InputBufferForHostPolicy(input, "cpu", index, &buffer, &size, &type, &type_id);
  if (report->ok("policy_" + key, error)) report->number("policy_" + key, size);
}

}  // namespace

std::string shape_text(const int64_t* shape, uint64_t rank) {
  std::string text = "[";
  for (uint64_t index = 0; index < rank; index++) text += (index == 0 ? "" : ",") + std::to_string(shape[index]);
  return text + "]";
}

std::string inspect_attributes(TRITONSERVER_BufferAttributes* attributes) {
  if (attributes == nullptr) return "";
  Report report;
  size_t byte_size = 0;
  if (report.ok("byte_size", TRITONSERVER_BufferAttributesByteSize(attributes, &byte_size))) {
    report.number("byte_size", byte_size);
  }
  TRITONSERVER_MemoryType type = TRITONSERVER_MEMORY_GPU;
  if (report.ok("memory_type", TRITONSERVER_BufferAttributesMemoryType(attributes, &type))) {
    report.text("memory_type", TRITONSERVER_MemoryTypeString(type));
  }
  int64_t type_id = -1;
  if (report.ok("memory_type_id", TRITONSERVER_BufferAttributesMemoryTypeId(attributes, &type_id))) {
    report.number("memory_type_id", type_id);
  }
  void* handle = nullptr;
  if (report.ok("cuda_ipc_handle", TRITONSERVER_BufferAttributesCudaIpcHandle(attributes, &handle))) {
    report.flag("cuda_ipc_handle", handle != nullptr);
  }
  return report.json();
}

std::string inspect_input(TRITONBACKEND_Input* input) {
  Report report;
  const char* name = nullptr;
  TRITONSERVER_DataType datatype = TRITONSERVER_TYPE_INVALID;
  const int64_t* shape = nullptr;
  uint32_t rank = 0;
  uint64_t byte_size = 0;
  uint32_t buffers = 0;
  if (report.ok(
          "properties",
          TRITONBACKEND_InputProperties(input, &name, &datatype, &shape, &rank, &byte_size, &buffers))) {
    report.text("name", name);
    report.text("datatype", TRITONSERVER_DataTypeString(datatype));
    report.raw("shape", shape_text(shape, rank));
    report.number("byte_size", byte_size);
    report.number("buffers", buffers);
  }
  // Every out pointer may be null, and so may the policy's name.
  report.ok(
      "null_properties",
      TRITONBACKEND_InputProperties(input, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr));
  uint32_t policy_buffers = 0;
  if (report.ok(
          "policy_buffers", TRITONBACKEND_InputPropertiesForHostPolicy(
                                input, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &policy_buffers))) {
    report.number("policy_buffers", policy_buffers);
  }
  // One beyond the last, for the error.
  for (uint32_t index = 0; index <= buffers; index++) inspect_buffer(&report, input, index);
  return report.json();
}

}  // namespace triton_ts
