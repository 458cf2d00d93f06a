// Opening and closing of backends, models and instances. The work runs on the object's own thread.
#include <napi.h>

#include "bindings.h"
#include "entry_points.h"
#include "handles.h"
#include "host.h"
#include "instance.h"
#include "operation.h"

namespace triton_ts {
namespace {

std::string text_of(const Napi::Object& spec, const char* key) { return spec.Get(key).As<Napi::String>().Utf8Value(); }

int64_t integer_of(const Napi::Object& spec, const char* key) { return spec.Get(key).As<Napi::Number>().Int64Value(); }

uint32_t id_of(const Napi::Object& spec) { return spec.Get("id").As<Napi::Number>().Uint32Value(); }

std::vector<std::string> texts_of(const Napi::Value& value) {
  const auto array = value.As<Napi::Array>();
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < array.Length(); i++) texts.push_back(array.Get(i).As<Napi::String>().Utf8Value());
  return texts;
}

Host& host_of(const TRITONBACKEND_Backend& backend) { return *backend.host; }
Host& host_of(const TRITONBACKEND_Model& model) { return *model.host; }
Host& host_of(const TRITONBACKEND_ModelInstance& instance) { return *instance.model->host; }

/// The end of an open that failed: the handle waits for the garbage collector, the thread need not.
template <typename T>
class FailedOpenEvent : public OperationEvent {
 public:
  FailedOpenEvent(uint32_t operation, ErrorPtr error, std::shared_ptr<T> object)
      : OperationEvent(operation, std::move(error)), object_(std::move(object)) {}

  void write(EventWriter& writer) override {
    OperationEvent::write(writer);
    object_->thread.reset();
  }

 private:
  const std::shared_ptr<T> object_;
};

/// @param result of a success.
template <typename T>
void start_open(const std::shared_ptr<T>& object, uint32_t operation, OperationEvent::Result result) {
  host_of(*object).objects().add(object);
  object->thread->post([object, operation, result = std::move(result)] {
    Host& host = host_of(*object);
    ErrorPtr error = initialize(*object);
    if (error) {
      host.objects().remove(object.get());
      host.post(std::make_unique<FailedOpenEvent<T>>(operation, std::move(error), object));
    } else {
      host.post(std::make_unique<OperationEvent>(operation, nullptr, result, object));
    }
  });
}

template <typename T>
Napi::Value start_close(const Napi::CallbackInfo& info) {
  // The handle, which waits for the garbage collector, keeps nothing alive.
  const auto object = std::move(from_handle<T>(info.Env(), info[0]));
  const auto operation = info[1].As<Napi::Number>().Uint32Value();
  object->thread->post([object, operation] {
    finalize(*object);
    Host& host = host_of(*object);
    host.objects().remove(object.get());
    host.post(std::make_unique<OperationEvent>(operation, nullptr, OperationEvent::Result(), object));
  });
  return info.Env().Undefined();
}

napi_value describe(napi_env raw, const TRITONBACKEND_Backend& backend) {
  const Napi::Env env(raw);
  auto result = Napi::Object::New(env);
  result.Set("policy", backend.policy == TRITONBACKEND_EXECUTION_BLOCKING ? "BLOCKING" : "DEVICE_BLOCKING");
  result.Set("parallelInstanceLoading", backend.attribute.parallel_instance_loading);
  auto groups = Napi::Array::New(env);
  for (const auto& group : backend.attribute.preferred_groups) {
    auto entry = Napi::Object::New(env);
    entry.Set("kind", static_cast<double>(group.kind));
    entry.Set("count", static_cast<double>(group.count));
    auto devices = Napi::Array::New(env);
    for (const auto id : group.device_ids) devices.Set(devices.Length(), static_cast<double>(id));
    entry.Set("devices", devices);
    groups.Set(groups.Length(), entry);
  }
  result.Set("preferredGroups", groups);
  return result;
}

napi_value describe(napi_env raw, TRITONBACKEND_Model& model) {
  const Napi::Env env(raw);
  auto result = Napi::Object::New(env);
  const std::lock_guard<std::mutex> lock(model.mutex);
  result.Set("config", model.config_was_set ? Napi::String::New(env, model.config_json) : env.Undefined());
  result.Set("hasBatcher", model.batching != nullptr);
  return result;
}

/// The instances of one GPU share a thread where the backend asked for that; on the CPU Triton heeds no policy.
std::shared_ptr<TaskThread> thread_of(TRITONBACKEND_Model& model, const TRITONBACKEND_ModelInstance& instance) {
  const bool is_shared = model.backend->policy == TRITONBACKEND_EXECUTION_DEVICE_BLOCKING &&
                         instance.kind == TRITONSERVER_INSTANCEGROUPKIND_GPU;
  if (!is_shared) return std::make_shared<TaskThread>(instance.name);
  const int device = instance.device_id;
  auto shared = model.device_threads[device].lock();
  if (!shared) {
    shared = std::make_shared<TaskThread>(model.name);
    model.device_threads[device] = shared;
  }
  return shared;
}

Napi::Value open_backend(const Napi::CallbackInfo& info) {
  const auto spec = info[2].As<Napi::Object>();
  const auto backend = std::make_shared<TRITONBACKEND_Backend>();
  backend->host = from_handle<Host>(info.Env(), info[0]);
  backend->origin = {backend->host, id_of(spec)};
  backend->name = text_of(spec, "name");
  backend->library_path = text_of(spec, "library");
  backend->directory = text_of(spec, "directory");
  backend->config.json = text_of(spec, "config");
  backend->thread = std::make_shared<TaskThread>("triton " + backend->name);
  TRITONBACKEND_Backend* opened = backend.get();
  start_open(backend, info[1].As<Napi::Number>().Uint32Value(),
             [opened](napi_env env) { return describe(env, *opened); });
  return Napi::Value(info.Env(), make_handle(info.Env(), backend));
}

Napi::Value open_model(const Napi::CallbackInfo& info) {
  const auto spec = info[2].As<Napi::Object>();
  const auto model = std::make_shared<TRITONBACKEND_Model>();
  model->backend = from_handle<TRITONBACKEND_Backend>(info.Env(), info[0]);
  model->host = model->backend->host;
  model->server = {model->host, id_of(spec)};
  model->name = text_of(spec, "name");
  model->version = static_cast<uint64_t>(integer_of(spec, "version"));
  model->directory = text_of(spec, "directory");
  model->config_json = text_of(spec, "config");
  model->auto_complete = spec.Get("autoComplete").ToBoolean();
  const auto strategy = spec.Get("batchStrategy");
  if (strategy.IsString()) model->batch_strategy_path = strategy.As<Napi::String>().Utf8Value();
  model->thread = std::make_shared<TaskThread>("model " + model->name);
  TRITONBACKEND_Model* opened = model.get();
  start_open(model, info[1].As<Napi::Number>().Uint32Value(),
             [opened](napi_env env) { return describe(env, *opened); });
  return Napi::Value(info.Env(), make_handle(info.Env(), model));
}

Napi::Value open_instance(const Napi::CallbackInfo& info) {
  const auto spec = info[2].As<Napi::Object>();
  const auto instance = std::make_shared<TRITONBACKEND_ModelInstance>();
  instance->model = from_handle<TRITONBACKEND_Model>(info.Env(), info[0]);
  instance->id = id_of(spec);
  instance->name = text_of(spec, "name");
  instance->kind = static_cast<TRITONSERVER_InstanceGroupKind>(integer_of(spec, "kind"));
  instance->device_id = static_cast<int32_t>(integer_of(spec, "device"));
  instance->passive = spec.Get("passive").ToBoolean();
  instance->host_policy_name = text_of(spec, "hostPolicyName");
  instance->host_policy.json = text_of(spec, "hostPolicy");
  instance->profiles = texts_of(spec.Get("profiles"));
  const auto devices = spec.Get("secondaryDevices").As<Napi::Array>();
  for (uint32_t i = 0; i < devices.Length(); i++) {
    const auto device = devices.Get(i).As<Napi::Object>();
    instance->secondary_devices.push_back({text_of(device, "kind"), integer_of(device, "id")});
  }
  instance->thread = thread_of(*instance->model, *instance);
  instance->model->instances.push_back(instance);
  start_open(instance, info[1].As<Napi::Number>().Uint32Value(), {});
  return Napi::Value(info.Env(), make_handle(info.Env(), instance));
}

Napi::Value set_model_config(const Napi::CallbackInfo& info) {
  const auto model = from_handle<TRITONBACKEND_Model>(info.Env(), info[0]);
  const std::lock_guard<std::mutex> lock(model->mutex);
  model->config_json = info[1].As<Napi::String>().Utf8Value();
  model->names.assign(texts_of(info[2]));
  return info.Env().Undefined();
}

/// On the model's thread, which is idle: an instance that runs must not delay the answer.
Napi::Value ask_readiness(const Napi::CallbackInfo& info) {
  const auto instance = from_handle<TRITONBACKEND_ModelInstance>(info.Env(), info[0]);
  const auto operation = info[1].As<Napi::Number>().Uint32Value();
  instance->model->thread->post([instance, operation] {
    instance->model->host->post(
        std::make_unique<OperationEvent>(operation, is_ready(*instance), OperationEvent::Result(), instance));
  });
  return info.Env().Undefined();
}

void add_memory_use(Napi::Array& list, std::mutex& mutex, const std::vector<MemoryUse>& uses) {
  const std::lock_guard<std::mutex> lock(mutex);
  for (const MemoryUse& use : uses) {
    auto entry = Napi::Object::New(list.Env());
    entry.Set("type", static_cast<double>(use.type));
    entry.Set("id", static_cast<double>(use.id));
    entry.Set("byteSize", static_cast<double>(use.byte_size));
    list.Set(list.Length(), entry);
  }
}

Napi::Value memory_usage(const Napi::CallbackInfo& info) {
  const auto model = from_handle<TRITONBACKEND_Model>(info.Env(), info[0]);
  auto list = Napi::Array::New(info.Env());
  add_memory_use(list, model->mutex, model->memory_use);
  for (const auto& each : model->instances) {
    if (const auto instance = each.lock()) add_memory_use(list, instance->mutex, instance->memory_use);
  }
  return list;
}

}  // namespace

void add_life_cycle(Napi::Object exports) {
  const auto env = exports.Env();
  const auto add = [&](const char* name, Napi::Value (*function)(const Napi::CallbackInfo&)) {
    exports.Set(name, Napi::Function::New(env, function, name));
  };
  add("openBackend", open_backend);
  add("openModel", open_model);
  add("openInstance", open_instance);
  add("closeBackend", start_close<TRITONBACKEND_Backend>);
  add("closeModel", start_close<TRITONBACKEND_Model>);
  add("closeInstance", start_close<TRITONBACKEND_ModelInstance>);
  add("isReady", ask_readiness);
  add("setModelConfig", set_model_config);
  add("memoryUsage", memory_usage);
}

}  // namespace triton_ts
