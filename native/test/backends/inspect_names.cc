#include "inspect_names.h"

#include "report.h"
#include "support.h"

namespace triton_ts {

std::string inspect_names() {
  Report report;
  for (int type = TRITONSERVER_TYPE_INVALID; type <= TRITONSERVER_TYPE_BF16; type++) {
    const auto datatype = static_cast<TRITONSERVER_DataType>(type);
    const char* name = TRITONSERVER_DataTypeString(datatype);
    report.number(name, TRITONSERVER_DataTypeByteSize(datatype));
    if (TRITONSERVER_StringToDataType(name) != datatype) report.text(name, "does not come back");
  }
  for (int type = TRITONSERVER_MEMORY_CPU; type <= TRITONSERVER_MEMORY_GPU; type++) {
    report.number(TRITONSERVER_MemoryTypeString(static_cast<TRITONSERVER_MemoryType>(type)), type);
  }
  for (int type = TRITONSERVER_PARAMETER_STRING; type <= TRITONSERVER_PARAMETER_BYTES; type++) {
    const char* name = TRITONSERVER_ParameterTypeString(static_cast<TRITONSERVER_ParameterType>(type));
    report.number("parameter " + std::string(name), type);
  }
  for (int kind = TRITONSERVER_INSTANCEGROUPKIND_AUTO; kind <= TRITONSERVER_INSTANCEGROUPKIND_MODEL; kind++) {
    const char* name = TRITONSERVER_InstanceGroupKindString(static_cast<TRITONSERVER_InstanceGroupKind>(kind));
    report.number("kind " + std::string(name), kind);
  }
  for (int code = TRITONSERVER_ERROR_UNKNOWN; code <= TRITONSERVER_ERROR_CANCELLED; code++) {
    TRITONSERVER_Error* error = new_error(static_cast<TRITONSERVER_Error_Code>(code), "");
    const std::string name = TRITONSERVER_ErrorCodeString(error);
    report.number("error " + name, static_cast<int>(TRITONSERVER_ErrorCode(error)));
    TRITONSERVER_ErrorDelete(error);
  }
  uint32_t major = 0;
  uint32_t minor = 0;
  log_if_error(TRITONBACKEND_ApiVersion(&major, &minor));
  report.text("backend_api", (std::to_string(major) + "." + std::to_string(minor)).c_str());
  log_if_error(TRITONSERVER_ApiVersion(&major, &minor));
  report.text("server_api", (std::to_string(major) + "." + std::to_string(minor)).c_str());
  return report.json();
}

}  // namespace triton_ts
