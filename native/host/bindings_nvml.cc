// What JavaScript asks of the GPUs' management library, on a thread of Node's pool: a question may take milliseconds.
#include "bindings.h"
#include "nvml.h"

namespace triton_ts {
namespace {

class Asking : public Napi::AsyncWorker {
 public:
  explicit Asking(Napi::Env env) : Napi::AsyncWorker(env), promise_(Napi::Promise::Deferred::New(env)) {}
  /// The worker deletes itself when it is done.
  static Napi::Value start(Asking* worker) {
    const Napi::Value promise = worker->promise_.Promise();
    worker->Queue();
    return promise;
  }

 protected:
  void OnError(const Napi::Error& error) override { promise_.Reject(error.Value()); }
  const Napi::Promise::Deferred promise_;
};

class FindGpus : public Asking {
 public:
  using Asking::Asking;

 private:
  void Execute() override {
    if (const ErrorPtr error = nvml::find(&gpus_)) SetError(error->message);
  }
  void OnOK() override {
    auto result = Napi::Array::New(Env(), gpus_.size());
    for (uint32_t i = 0; i < gpus_.size(); i++) {
      auto gpu = Napi::Object::New(Env());
      gpu.Set("uuid", gpus_[i].uuid);
      gpu.Set("name", gpus_[i].name);
      result.Set(i, gpu);
    }
    promise_.Resolve(result);
  }
  std::vector<nvml::Gpu> gpus_;
};

class ReadGpus : public Asking {
 public:
  using Asking::Asking;

 private:
  void Execute() override { readings_ = nvml::read(); }
  void OnOK() override {
    auto result = Napi::Array::New(Env(), readings_.size());
    for (uint32_t i = 0; i < readings_.size(); i++) result.Set(i, describe(readings_[i]));
    promise_.Resolve(result);
  }
  Napi::Object describe(const nvml::Reading& reading) {
    auto result = Napi::Object::New(Env());
    const auto add = [&](const char* name, double value, double unit) {
      if (value >= 0) result.Set(name, value / unit);
    };
    add("utilization", reading.utilization, 100);
    add("memoryTotal", reading.memory_total, 1);
    add("memoryUsed", reading.memory_used, 1);
    add("powerUsage", reading.power_usage, 1000);
    add("powerLimit", reading.power_limit, 1000);
    add("energy", reading.energy, 1000);
    return result;
  }
  std::vector<nvml::Reading> readings_;
};

template <typename Worker>
Napi::Value ask(const Napi::CallbackInfo& info) {
  return Asking::start(new Worker(info.Env()));
}

}  // namespace

void add_nvml(Napi::Object exports) {
  const Napi::Env env = exports.Env();
  exports.Set("findGpus", Napi::Function::New<ask<FindGpus>>(env, "findGpus"));
  exports.Set("readGpus", Napi::Function::New<ask<ReadGpus>>(env, "readGpus"));
}

}  // namespace triton_ts
