// TRITONSERVER_Log*.
#include "log.h"

#include "boundary.h"

using namespace triton_ts;

extern "C" {

bool TRITONSERVER_LogIsEnabled(TRITONSERVER_LogLevel level) {
  // Verbose messages come with every request, and each would have to go to JavaScript to be thrown away.
  return level == TRITONSERVER_LOG_INFO || level == TRITONSERVER_LOG_WARN || level == TRITONSERVER_LOG_ERROR;
}

TRITONSERVER_Error* TRITONSERVER_LogMessage(TRITONSERVER_LogLevel level, const char* file, int line, const char* msg) {
  const void* caller = __builtin_return_address(0);
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (level < TRITONSERVER_LOG_INFO || level > TRITONSERVER_LOG_VERBOSE) {
      return invalid_argument("unknown logging level '" + std::to_string(level) + "'");
    }
    if (!TRITONSERVER_LogIsEnabled(level)) return nullptr;
    log(current_origin(caller), level, file == nullptr ? "" : file, line, msg == nullptr ? "" : msg);
    return nullptr;
  });
}

}  // extern "C"
