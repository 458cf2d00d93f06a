// A custom batching strategy: a batch takes requests while the first inputs stay within MAX_BYTES (a parameter of the
// model, 64 by default) together. The first request of a batch always fits.
#include <memory>

#include "support.h"

namespace {

struct Batcher {
  uint64_t max_bytes;
};

struct Batch {
  uint64_t max_bytes;
  uint64_t bytes;
};

}  // namespace

TRITONSERVER_Error* TRITONBACKEND_ModelBatcherInitialize(TRITONBACKEND_Batcher** batcher, TRITONBACKEND_Model* model) {
  const uint64_t max_bytes = std::stoull(triton_ts::model_parameter(model, "MAX_BYTES", "64"));
  *batcher = reinterpret_cast<TRITONBACKEND_Batcher*>(std::make_unique<Batcher>(Batcher{max_bytes}).release());
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelBatcherFinalize(TRITONBACKEND_Batcher* batcher) {
  const std::unique_ptr<Batcher> owned(reinterpret_cast<Batcher*>(batcher));
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelBatchInitialize(const TRITONBACKEND_Batcher* batcher, void** userp) {
  const auto* strategy = reinterpret_cast<const Batcher*>(batcher);
  *userp = std::make_unique<Batch>(Batch{strategy->max_bytes, 0}).release();
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelBatchIncludeRequest(
    TRITONBACKEND_Request* request, void* userp, bool* should_include) {
  auto* batch = static_cast<Batch*>(userp);
  TRITONBACKEND_Input* input = nullptr;
  uint64_t bytes = 0;
  RETURN_IF_ERROR(TRITONBACKEND_RequestInputByIndex(request, 0, &input));
  RETURN_IF_ERROR(TRITONBACKEND_InputProperties(input, nullptr, nullptr, nullptr, nullptr, &bytes, nullptr));
  *should_include = batch->bytes == 0 || batch->bytes + bytes <= batch->max_bytes;
  if (*should_include) batch->bytes += bytes;
  return nullptr;
}

TRITONSERVER_Error* TRITONBACKEND_ModelBatchFinalize(void* userp) {
  const std::unique_ptr<Batch> owned(static_cast<Batch*>(userp));
  return nullptr;
}
