#pragma once

#include <string_view>
#include <vector>

#include "input_reader.h"
#include "model_config.h"
#include "session.h"

namespace triton_ts {

/** Gives a batch's inputs to a run of a session, for one model instance. */
class InputBinder {
 public:
  InputBinder(const ModelConfig& config, const Session& session, std::string host_policy);

  /** Gathers and binds all inputs of the batch. Requests with malformed content fail. @throws Error for all of them. */
  void Bind(Batch& batch, OrtIoBinding* binding);
  /** Lets the tensors of the last run go. */
  void Release() { values_.clear(); }

  const InputReader& Reader() const { return reader_; }
  /** The shape that input `index` of the session has in this run. */
  const std::vector<int64_t>& Shape(size_t index) const { return slots_[index].gathered.shape; }

 private:
  /** An input of the model; those of the session come first, in its order. */
  struct Slot {
    const TensorInfo* info;
    bool ragged = false;
    Buffer buffer = {};
    GatheredInput gathered = {};
  };

  Slot& FindSlot(const char* name, size_t guess);
  /** @param type of what was gathered: ONNX Runtime refuses it where the model has another one. */
  void BindNumbers(Slot& slot, ONNXTensorElementDataType type, OrtIoBinding* binding);
  void BindStrings(Slot& slot, OrtIoBinding* binding);
  void BindBatchInput(const Batch& batch, const BatchInputConfig& config, OrtIoBinding* binding);

  const std::vector<BatchInputConfig> batch_inputs_;
  InputReader reader_;
  std::vector<Slot> slots_;
  OrtAllocator* allocator_ = nullptr;
  OrtMemoryInfoHandle cpu_;
  /** Only for a session on a GPU. */
  OrtMemoryInfoHandle gpu_;
  std::vector<std::string_view> elements_;
  std::vector<OrtValueHandle> values_;
};

}  // namespace triton_ts
