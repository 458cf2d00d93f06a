#include "inspect_response.h"

#include <cstring>

#include "inspect_tensor.h"
#include "report.h"

namespace triton_ts {

std::string inspect_response(TRITONBACKEND_Response* response) {
  Report report;
  const int64_t probe_shape[] = {4};
  TRITONBACKEND_Output* output = nullptr;
  TRITONSERVER_Error* error =
      TRITONBACKEND_ResponseOutput(response, &output, "PROBE", TRITONSERVER_TYPE_UINT8, probe_shape, 1);
  if (!report.ok("output", error)) return report.json();
  void* buffer = nullptr;
  TRITONSERVER_MemoryType type = TRITONSERVER_MEMORY_GPU;  // A wish that a host without a GPU cannot fulfil.
  int64_t type_id = 0;
  if (report.ok("buffer", TRITONBACKEND_OutputBuffer(output, &buffer, 4, &type, &type_id))) {
    report.text("buffer", TRITONSERVER_MemoryTypeString(type));
    if (type != TRITONSERVER_MEMORY_GPU) std::memset(buffer, 7, 4);
  }
  TRITONSERVER_BufferAttributes* attributes = nullptr;
  if (report.ok("attributes", TRITONBACKEND_OutputBufferAttributes(output, &attributes))) {
    report.raw("attributes", inspect_attributes(attributes));
  }
  const char* name = nullptr;
  TRITONSERVER_DataType datatype = TRITONSERVER_TYPE_INVALID;
  const int64_t* shape = nullptr;
  uint64_t rank = 0;
  if (report.ok("by_index", TRITONBACKEND_InferenceResponseOutput(response, 0, &name, &datatype, &shape, &rank))) {
    report.text("by_index", name);
    report.raw("shape", shape_text(shape, rank));
  }
  report.ok("beyond", TRITONBACKEND_InferenceResponseOutput(response, 9, &name, &datatype, &shape, &rank));
  if (report.ok("by_name", TRITONBACKEND_InferenceResponseOutputByName(response, "PROBE", &datatype, &shape, &rank))) {
    report.text("by_name", TRITONSERVER_DataTypeString(datatype));
  }
  report.ok("unknown", TRITONBACKEND_InferenceResponseOutputByName(response, "NONE", &datatype, &shape, &rank));
  return report.json();
}

}  // namespace triton_ts
