#include "error.h"
#include "ort_api.h"

namespace triton_ts {
namespace {

/**
 * Of an operator that failed: RUNTIME_EXCEPTION, which the clients of Triton's releases see. Later versions of ONNX
 * Runtime report FAIL.
 */
int CodeOf(OrtErrorCode code, const std::string& text) {
  constexpr int kFail = 1;
  constexpr int kRuntimeException = 6;
  return code == kFail && text.rfind("Non-zero status code returned while running", 0) == 0 ? kRuntimeException : code;
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
