#include "check_dims.h"

#include "error.h"
#include "text.h"

namespace triton_ts {
namespace {

/** A scalar of the model can only be `[1]`s in the configuration. */
void CheckScalar(const ModelConfig& config, const TensorConfig& tensor) {
  for (const auto dim : tensor.dims) {
    if (dim == 1) continue;
    throw Error(TRITONSERVER_ERROR_INVALID_ARG,
                "unable to load model '" + config.name + "', scalar tensor '" + tensor.name +
                    "', should only provide 1 in the model configuration when the model doesn't support batching. "
                    "Model configuration provided: " +
                    ShapeText(tensor.dims) + ".");
  }
}

bool Fits(const std::vector<int64_t>& model, const std::vector<int64_t>& expected, DimsMatch match) {
  if (model.size() != expected.size()) return false;
  for (size_t i = 0; i < model.size(); ++i) {
    const bool accepts = match == DimsMatch::kAccepting && model[i] == -1;
    if (model[i] != expected[i] && !accepts) return false;
  }
  return true;
}

}  // namespace

void CheckDims(const ModelConfig& config, const TensorConfig& tensor, const TensorInfo& info, DimsMatch match) {
  if (info.dims.empty()) return CheckScalar(config, tensor);
  const std::string subject = "model '" + config.name + "', tensor '" + tensor.name + "': ";
  const bool batching = config.max_batch_size > 0;
  if (batching && info.dims[0] != -1) {
    throw Error(TRITONSERVER_ERROR_INVALID_ARG,
                subject +
                    "for the model to support batching the shape should have at least 1 dimension and the first "
                    "dimension must be -1; but shape expected by the model is " +
                    ShapeText(info.dims));
  }
  std::vector<int64_t> expected = tensor.dims;
  if (batching) expected.insert(expected.begin(), -1);
  if (Fits(info.dims, expected, match)) return;
  const std::string description =
      batching ? "an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making "
                 "complete shape "
               : "shape ";
  throw Error(TRITONSERVER_ERROR_INVALID_ARG,
              subject + "the model expects " + std::to_string(info.dims.size()) + " dimensions (shape " +
                  ShapeText(info.dims) + ") but the model configuration specifies " +
                  std::to_string(expected.size()) + " dimensions (" + description + ShapeText(expected) + ")");
}

void CheckRagged(const ModelConfig& config, const TensorConfig& tensor, const TensorInfo& info) {
  const std::string subject = "unable to load model '" + config.name +
                              "', configuration expects model provides input with shape [-1] ";
  if (tensor.optional) {
    throw Error(TRITONSERVER_ERROR_INVALID_ARG,
                subject + "for ragged input '" + tensor.name + "', which is not supported for optional input");
  }
  if (info.dims == std::vector<int64_t>{-1}) return;
  throw Error(TRITONSERVER_ERROR_INVALID_ARG,
              subject + " for ragged input '" + tensor.name + "', model provides " + ShapeText(info.dims));
}

}  // namespace triton_ts
