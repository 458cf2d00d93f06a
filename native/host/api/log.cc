// TRITONSERVER_Log*.
#include "log.h"

#include "boundary.h"

using namespace triton_ts;

extern "C" {

bool TRITONSERVER_LogIsEnabled(TRITONSERVER_LogLevel level) { return is_log_enabled(level); }

TRITONSERVER_Error* TRITONSERVER_LogMessage(TRITONSERVER_LogLevel level, const char* file, int line, const char* msg) {
  const void* caller = __builtin_return_address(0);
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (level < TRITONSERVER_LOG_INFO || level > TRITONSERVER_LOG_VERBOSE) {
      return invalid_argument("unknown logging level '" + std::to_string(level) + "'");
    }
    if (!is_log_enabled(level)) return nullptr;
    log(current_origin(caller), level, file == nullptr ? "" : file, line, msg == nullptr ? "" : msg);
    return nullptr;
  });
}

}  // extern "C"
