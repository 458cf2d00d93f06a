#include "error.h"

#include <new>

namespace triton_ts {

void Check(TRITONSERVER_Error* error) {
  if (error == nullptr) return;
  const Error copy(TRITONSERVER_ErrorCode(error), TRITONSERVER_ErrorMessage(error));
  TRITONSERVER_ErrorDelete(error);
  throw copy;
}

TRITONSERVER_Error* CurrentError() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return TRITONSERVER_ErrorNew(error.Code(), error.what());
  } catch (const std::bad_alloc&) {
    return TRITONSERVER_ErrorNew(TRITONSERVER_ERROR_INTERNAL, "out of memory");
  } catch (const std::exception& error) {
    return TRITONSERVER_ErrorNew(TRITONSERVER_ERROR_INTERNAL, error.what());
  } catch (...) {
    return TRITONSERVER_ErrorNew(TRITONSERVER_ERROR_INTERNAL, "unknown failure");
  }
}

void Log(TRITONSERVER_LogLevel level, const std::string& text) noexcept {
  if (!TRITONSERVER_LogIsEnabled(level)) return;
  if (auto* error = TRITONSERVER_LogMessage(level, __FILE__, __LINE__, text.c_str())) TRITONSERVER_ErrorDelete(error);
}

void LogIfError(TRITONSERVER_Error* error, const char* what) noexcept {
  if (error == nullptr) return;
  // Not worth a log line that could throw for lack of memory: the text is put together by the host.
  if (auto* failure = TRITONSERVER_LogMessage(TRITONSERVER_LOG_ERROR, what, 0, TRITONSERVER_ErrorMessage(error))) {
    TRITONSERVER_ErrorDelete(failure);
  }
  TRITONSERVER_ErrorDelete(error);
}

}  // namespace triton_ts
