#include "instance.h"

#include <string_view>

#include "check_config.h"
#include "error.h"

namespace triton_ts {
namespace {

Device DeviceOf(TRITONBACKEND_ModelInstance* instance) {
  TRITONSERVER_InstanceGroupKind kind = TRITONSERVER_INSTANCEGROUPKIND_CPU;
  Check(TRITONBACKEND_ModelInstanceKind(instance, &kind));
  if (kind != TRITONSERVER_INSTANCEGROUPKIND_GPU) return {};
  int32_t id = 0;
  Check(TRITONBACKEND_ModelInstanceDeviceId(instance, &id));
  return {true, id};
}

/** The message has one member, whose name is the policy's. */
std::string HostPolicy(TRITONBACKEND_ModelInstance* instance) {
  TRITONSERVER_Message* message = nullptr;
  Check(TRITONBACKEND_ModelInstanceHostPolicy(instance, &message));
  const char* text = nullptr;
  size_t size = 0;
  Check(TRITONSERVER_MessageSerializeToJson(message, &text, &size));
  const Json json = Json::Parse({text, size});
  return json.Members().empty() ? "" : json.Members().front().first;
}

/** @throws Error where the configuration and the model file do not fit. */
std::shared_ptr<const Session> CheckedSession(Model& model, TRITONBACKEND_ModelInstance* instance) {
  auto session = model.SessionOn(DeviceOf(instance));
  CheckConfig(model.Config(), session->Tensors());
  return session;
}

OrtRunOptionsHandle MakeRunOptions(const ModelConfig& config) {
  auto options = MakeOrt<OrtRunOptionsHandle>(Ort().CreateRunOptions);
  constexpr const char* kShrinkage = "memory.enable_memory_arena_shrinkage";
  if (const auto* value = config.Parameter(kShrinkage)) {
    CheckOrt(Ort().AddRunConfigEntry(options.get(), kShrinkage, value->c_str()));
  }
  return options;
}

/**
 * Whether a failure can be that of an output without the shape that the model file promises: ONNX Runtime 1.15 to 1.30
 * name the OrtValue or the output then. Everything else would only fail again.
 */
bool MayBeWrongShape(const Error& error) {
  const std::string_view text = error.what();
  return text.find("OrtValue") != std::string_view::npos || text.find("for output") != std::string_view::npos;
}

}  // namespace

Instance::Instance(Model& model, TRITONBACKEND_ModelInstance* instance)
    : instance_(instance),
      watcher_(model.Backend().Watcher()),
      session_(CheckedSession(model, instance)),
      batch_(model.Config().name, model.Config().max_batch_size),
      inputs_(model.Config(), *session_, HostPolicy(instance)),
      outputs_(model.Config(), *session_),
      run_options_(MakeRunOptions(model.Config())),
      binding_(MakeOrt<OrtIoBindingHandle>(Ort().CreateIoBinding, session_->Get())),
      terminate_([this] {
        if (auto* status = Ort().RunOptionsSetTerminate(run_options_.get())) Ort().ReleaseStatus(status);
      }) {}

void Instance::Execute(TRITONBACKEND_Request** requests, uint32_t count) {
  ExecutionTimes times;
  times.start = NowNs();
  batch_.Begin(requests, count);
  try {
    batch_.CheckSize();
    Compute(times);
  } catch (...) {
    batch_.FailAll(CurrentError());
  }
  Ort().ClearBoundInputs(binding_.get());
  Ort().ClearBoundOutputs(binding_.get());
  inputs_.Release();
  outputs_.Release();
  batch_.Finish(instance_, times);
}

void Instance::Compute(ExecutionTimes& times) {
  inputs_.Bind(batch_, binding_.get());
  if (!batch_.AnyAlive()) return;
  outputs_.Select(batch_);
  bool direct = trusts_shapes_ && outputs_.BindDirect(batch_, inputs_, binding_.get());
  if (!direct) outputs_.Bind(batch_, binding_.get());
  times.compute_start = NowNs();
  try {
    Run();
  } catch (const Error& error) {
    if (!direct || !MayBeWrongShape(error)) throw;
    // Let it have any shape.
    Ort().ClearBoundOutputs(binding_.get());
    batch_.RenewResponse(0);
    outputs_.Bind(batch_, binding_.get());
    Run();
    direct = trusts_shapes_ = false;
  }
  times.compute_end = NowNs();
  if (!direct) outputs_.Write(batch_, inputs_.Reader(), binding_.get());
}

void Instance::Run() {
  RunWatcher::Watch watch(watcher_, batch_, terminate_);
  OrtStatus* status = Ort().RunWithBinding(session_->Get(), run_options_.get(), binding_.get());
  if (watch.Stop()) {
    CheckOrt(Ort().RunOptionsUnsetTerminate(run_options_.get()));
    if (status != nullptr) {
      Ort().ReleaseStatus(status);
      throw Error(TRITONSERVER_ERROR_CANCELLED, "the request was cancelled");
    }
  }
  CheckOrt(status);
}

}  // namespace triton_ts
