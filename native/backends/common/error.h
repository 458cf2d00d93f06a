#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "triton/tritonserver.h"

namespace triton_ts {

/** A failure with one of Triton's codes. It never leaves a library: `Guard` turns it into a TRITONSERVER_Error. */
class Error : public std::runtime_error {
 public:
  Error(TRITONSERVER_Error_Code code, const std::string& text) : std::runtime_error(text), code_(code) {}

  TRITONSERVER_Error_Code Code() const { return code_; }

 private:
  TRITONSERVER_Error_Code code_;
};

/** @throws Error what the host reported; nullptr is success. Takes `error` over. */
void Check(TRITONSERVER_Error* error);

/** The exception that is being handled, for the host. Call it in a catch block only. */
TRITONSERVER_Error* CurrentError() noexcept;

void Log(TRITONSERVER_LogLevel level, const std::string& text) noexcept;

/** Logs a failure that nobody can be told of, and deletes it. */
void LogIfError(TRITONSERVER_Error* error, const char* what) noexcept;

/** Runs the body of an entry point: no exception crosses the C boundary. */
template <typename Body>
TRITONSERVER_Error* Guard(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return nullptr;
  } catch (...) {
    return CurrentError();
  }
}

}  // namespace triton_ts
