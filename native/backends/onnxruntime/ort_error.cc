#include "error.h"
#include "ort_api.h"

namespace triton_ts {
namespace {

/**
 * The code that clients of Triton see: RUNTIME_EXCEPTION for whatever an operator throws, which later versions of ONNX
 * Runtime give the code within the exception. What is thrown tells its place in the source by the whole path; a status
 * that an operator returns does not, and has the same code in all versions.
 */
int CodeOf(OrtErrorCode code, const std::string& text) {
  constexpr int kRuntimeException = 6;
  const bool in_operator = text.rfind("Non-zero status code returned while running", 0) == 0;
  return in_operator && text.find("' Status Message: /") != std::string::npos ? kRuntimeException : code;
}

}  // namespace

void CheckOrt(OrtStatus* status) {
  if (status == nullptr) return;
  const std::string text = Ort().GetErrorMessage(status);
  const int code = CodeOf(Ort().GetErrorCode(status), text);
  Ort().ReleaseStatus(status);
  throw Error(TRITONSERVER_ERROR_INTERNAL, "onnx runtime error " + std::to_string(code) + ": " + text);
}

}  // namespace triton_ts
