// Memory of GPUs that other processes share with this one.
#include <cstring>
#include <functional>

#include "bindings.h"
#include "cuda.h"

namespace triton_ts {
namespace {

/// What another process shares, opened.
struct CudaMemory {
  int64_t device = 0;
  void* start = nullptr;
  size_t byte_size = 0;
};

/// Work of the driver on a thread of Node's pool, with a promise of its result.
class CudaWork : public Napi::AsyncWorker {
 public:
  using Work = std::function<ErrorPtr()>;
  using Result = std::function<Napi::Value(Napi::Env)>;

  /// @param used must not be collected before the work is done.
  static Napi::Value start(Napi::Env env, Work work, Result result, std::initializer_list<Napi::Value> used = {}) {
    auto* self = new CudaWork(env, std::move(work), std::move(result));
    auto kept = Napi::Array::New(env, used.size());
    uint32_t index = 0;
    for (const Napi::Value& value : used) kept.Set(index++, value);
    self->used_ = Napi::Persistent(kept.As<Napi::Object>());
    self->Queue();
    return self->promise_.Promise();
  }

 private:
  CudaWork(Napi::Env env, Work work, Result result)
      : Napi::AsyncWorker(env), work_(std::move(work)), result_(std::move(result)),
        promise_(Napi::Promise::Deferred::New(env)) {}

  void Execute() override {
    if (const ErrorPtr error = work_()) SetError(error->message);
  }
  void OnOK() override { promise_.Resolve(result_(Env())); }
  void OnError(const Napi::Error& error) override { promise_.Reject(error.Value()); }

  const Work work_;
  const Result result_;
  const Napi::Promise::Deferred promise_;
  Napi::ObjectReference used_;
};

Napi::Value nothing(Napi::Env env) { return env.Undefined(); }

/// `cudaProblem()`: why no GPU can be reached, empty where one can. Opens the driver.
Napi::Value cuda_problem(const Napi::CallbackInfo& info) {
  return CudaWork::start(
      info.Env(),
      [] {
        cuda::problem();
        return ErrorPtr();
      },
      [](Napi::Env env) { return Napi::String::New(env, cuda::problem()); });
}

/// `openCudaMemory(device, handle)`
Napi::Value open_cuda_memory(const Napi::CallbackInfo& info) {
  const auto memory = std::make_shared<CudaMemory>();
  memory->device = info[0].As<Napi::Number>().Int64Value();
  const auto bytes = info[1].As<Napi::Uint8Array>();
  cuda::IpcHandle handle;
  if (bytes.ByteLength() != sizeof(handle)) throw Napi::Error::New(info.Env(), "a CUDA IPC handle has 64 bytes");
  std::memcpy(&handle, bytes.Data(), sizeof(handle));
  return CudaWork::start(
      info.Env(), [=] { return cuda::open_shared(memory->device, handle, &memory->start, &memory->byte_size); },
      [=](Napi::Env env) {
        const auto free = [](Napi::Env, CudaMemory* opened) { delete opened; };
        auto result = Napi::Object::New(env);
        result.Set("memory", Napi::External<CudaMemory>::New(env, new CudaMemory(*memory), free));
        result.Set("byteSize", Napi::Number::New(env, static_cast<double>(memory->byte_size)));
        return result;
      });
}

/// The arguments of a copy: `(memory, offset, bytes)`.
struct Copy {
  explicit Copy(const Napi::CallbackInfo& info) {
    const CudaMemory& memory = *info[0].As<Napi::External<CudaMemory>>().Data();
    const auto offset = static_cast<uint64_t>(info[1].As<Napi::Number>().Int64Value());
    auto array = info[2].As<Napi::Uint8Array>();
    size = array.ByteLength();
    if (offset > memory.byte_size || size > memory.byte_size - offset) {
      throw Napi::Error::New(info.Env(), "the copy reaches beyond the memory of the GPU");
    }
    device = memory.device;
    on_device = static_cast<char*>(memory.start) + offset;
    on_host = array.Data();
  }
  int64_t device;
  void* on_device;
  void* on_host;
  size_t size;
};

/// `readCudaMemory(memory, offset, into)`
Napi::Value read_cuda_memory(const Napi::CallbackInfo& info) {
  const Copy copy(info);
  return CudaWork::start(
      info.Env(), [=] { return cuda::copy_to_cpu(copy.on_host, copy.on_device, copy.size, copy.device); }, nothing,
      {info[0], info[2]});
}

/// `writeCudaMemory(memory, offset, bytes)`
Napi::Value write_cuda_memory(const Napi::CallbackInfo& info) {
  const Copy copy(info);
  return CudaWork::start(
      info.Env(), [=] { return cuda::copy_from_cpu(copy.on_device, copy.on_host, copy.size, copy.device); }, nothing,
      {info[0], info[2]});
}

/// `closeCudaMemory(memory)`: once, when no copy runs. It is empty from now on.
Napi::Value close_cuda_memory(const Napi::CallbackInfo& info) {
  CudaMemory& memory = *info[0].As<Napi::External<CudaMemory>>().Data();
  const CudaMemory closed = memory;
  memory.byte_size = 0;
  return CudaWork::start(
      info.Env(), [=] { return cuda::close_shared(closed.device, closed.start); }, nothing);
}

}  // namespace

void add_cuda_memory(Napi::Object exports) {
  const Napi::Env env = exports.Env();
  exports.Set("cudaProblem", Napi::Function::New<cuda_problem>(env, "cudaProblem"));
  exports.Set("openCudaMemory", Napi::Function::New<open_cuda_memory>(env, "openCudaMemory"));
  exports.Set("readCudaMemory", Napi::Function::New<read_cuda_memory>(env, "readCudaMemory"));
  exports.Set("writeCudaMemory", Napi::Function::New<write_cuda_memory>(env, "writeCudaMemory"));
  exports.Set("closeCudaMemory", Napi::Function::New<close_cuda_memory>(env, "closeCudaMemory"));
}

}  // namespace triton_ts
