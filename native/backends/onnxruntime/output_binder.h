#pragma once

#include <vector>

#include "batch.h"
#include "input_binder.h"
#include "output_plan.h"
#include "output_writer.h"
#include "session.h"

namespace triton_ts {

/** Takes the outputs of a run of a session to the requests of a batch, for one model instance. */
class OutputBinder {
 public:
  OutputBinder(const ModelConfig& config, const Session& session);

  /** Finds out which outputs the run has to compute: what some request wants, and every state. */
  void Select(const Batch& batch);

  /**
   * Lets ONNX Runtime write into the buffers that the caller gets. Only for a single request, and where the shapes of
   * all wanted outputs are known before.
   * @returns false when that cannot be; then nothing is bound.
   */
  bool BindDirect(Batch& batch, const InputBinder& inputs, OrtIoBinding* binding);

  /** Lets ONNX Runtime allocate the outputs, for `Write`. */
  void Bind(const Batch& batch, OrtIoBinding* binding);
  /** Gives each request its parts, and updates states. A request whose part cannot be made fails. @throws Error */
  void Write(Batch& batch, const InputReader& reader, OrtIoBinding* binding);

  /** Lets the tensors of the last run go. */
  void Release() { values_.clear(); }

 private:
  /** Makes `values_` what the run gave for each selected output. */
  void TakeValues(OrtIoBinding* binding);
  /** The shape that an output will have, if the model file is right. @returns false when it cannot tell. */
  bool KnownShape(const OutputPlan& plan, const InputBinder& inputs, std::vector<int64_t>& shape) const;
  /** Where an output should be computed: on the GPU when it is wanted there. */
  MemoryPlace Place(const Batch& batch, const OutputPlan& plan) const;

  std::vector<OutputPlan> plans_;
  const Device device_;
  OrtAllocator* allocator_ = nullptr;
  OrtMemoryInfoHandle cpu_;
  OrtMemoryInfoHandle gpu_;
  /** For the present batch: which plans, who wants each, and where it is bound. */
  std::vector<size_t> selected_;
  std::vector<std::vector<bool>> wanted_;
  std::vector<MemoryPlace> places_;
  std::vector<OrtValueHandle> values_;
  std::vector<int64_t> shape_;
  OutputTensor tensor_;
  Buffer characters_;
};

}  // namespace triton_ts
