#pragma once

#include <functional>
#include <memory>

#include "batch.h"
#include "input_binder.h"
#include "model.h"
#include "output_binder.h"

namespace triton_ts {

/** One execution slot of a model: gathers a batch, runs it and answers. One execution at a time. */
class Instance {
 public:
  /** @throws Error where the model file does not fit the configuration, among others. */
  Instance(Model& model, TRITONBACKEND_ModelInstance* instance);

  /** Takes the requests over, whatever becomes of them. @throws std::bad_alloc before that only. */
  void Execute(TRITONBACKEND_Request** requests, uint32_t count);

 private:
  void Compute(ExecutionTimes& times);
  /** @throws Error CANCELLED when all requests were cancelled meanwhile. */
  void Run();

  TRITONBACKEND_ModelInstance* const instance_;
  RunWatcher& watcher_;
  const std::shared_ptr<const Session> session_;
  Batch batch_;
  InputBinder inputs_;
  OutputBinder outputs_;
  OrtRunOptionsHandle run_options_;
  OrtIoBindingHandle binding_;
  const std::function<void()> terminate_;
  /** Whether the shapes that the model file promises have held so far. */
  bool trusts_shapes_ = true;
};

}  // namespace triton_ts
