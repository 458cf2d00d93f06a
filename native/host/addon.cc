// The module that Node loads.
#include <dlfcn.h>
#include <napi.h>

#include <vector>

#include "bindings.h"
#include "execution.h"
#include "handles.h"
#include "host.h"
#include "instance.h"
#include "log.h"

namespace triton_ts {
namespace {

constexpr size_t kMaxArguments = 5;

struct Arguments {
  Arguments(napi_env env, napi_callback_info info) {
    size_t count = kMaxArguments;
    napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
  }
  napi_value values[kMaxArguments];
};

uint32_t uint32_of(napi_env env, napi_value value) {
  uint32_t result = 0;
  napi_get_value_uint32(env, value, &result);
  return result;
}

bool bool_of(napi_env env, napi_value value) {
  bool result = false;
  napi_get_value_bool(env, value, &result);
  return result;
}

/// The hosts of one environment, closed when it ends without a word from JavaScript: a worker thread that is
/// terminated.
class HostsOfEnvironment {
 public:
  explicit HostsOfEnvironment(napi_env env) { napi_add_env_cleanup_hook(env, end, this); }
  void add(std::shared_ptr<Host> host) { hosts_.push_back(std::move(host)); }

 private:
  static void end(void* data) {
    const std::unique_ptr<HostsOfEnvironment> self(static_cast<HostsOfEnvironment*>(data));
    for (const auto& host : self->hosts_) host->close(Host::Ending::kThread, 0);
  }

  std::vector<std::shared_ptr<Host>> hosts_;
};

/// A function that JavaScript calls; what it throws becomes a JavaScript error.
template <napi_callback Function>
napi_value at_border(napi_env env, napi_callback_info info) {
  try {
    return Function(env, info);
  } catch (const std::exception& error) {
    napi_throw_error(env, nullptr, error.what());
    return nullptr;
  }
}

napi_value create_host(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  auto host = Host::create(env, arguments.values[0]);
  void* hosts;
  napi_get_instance_data(env, &hosts);
  static_cast<HostsOfEnvironment*>(hosts)->add(host);
  return make_handle(env, std::move(host));
}

napi_value drain(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  from_handle<Host>(env, arguments.values[0])->drain(env, bool_of(env, arguments.values[1]));
  return nullptr;
}

napi_value keep_alive(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  from_handle<Host>(env, arguments.values[0])->keep_alive(env, bool_of(env, arguments.values[1]));
  return nullptr;
}

napi_value close_host(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  int32_t exit_code = 0;
  const bool process_ends = napi_get_value_int32(env, arguments.values[1], &exit_code) == napi_ok;
  const auto host = from_handle<Host>(env, arguments.values[0]);
  host->close(process_ends ? Host::Ending::kProcess : Host::Ending::kThread, exit_code);
  return nullptr;
}

napi_value set_submission_buffer(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  from_handle<Host>(env, arguments.values[0])->set_submission(env, arguments.values[1]);
  return nullptr;
}

napi_value execute(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  const auto& instance = from_handle<TRITONBACKEND_ModelInstance>(env, arguments.values[0]);
  const auto& model = instance->model;
  const uint32_t count = uint32_of(env, arguments.values[2]);
  SubmissionReader reader(env, *model->host, arguments.values[3]);
  const auto execution = std::make_shared<Execution>(uint32_of(env, arguments.values[1]), count);
  for (TRITONBACKEND_Request* request : execution->requests()) reader.read(*request, model, true);
  if (bool_of(env, arguments.values[4])) {
    {
      const Host::InlineScope scope(*model->host);
      execution->run(*instance);
    }
    model->host->drain(env);
  } else {
    Execution::start(execution, instance);
  }
  return nullptr;
}

napi_value cancel(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  from_handle<Host>(env, arguments.values[0])->cancel(uint32_of(env, arguments.values[1]));
  return nullptr;
}

napi_value include_request(napi_env env, napi_callback_info info) {
  const Arguments arguments(env, info);
  const auto& model = from_handle<TRITONBACKEND_Model>(env, arguments.values[0]);
  const auto execution = std::make_shared<Execution>(0, 1);
  SubmissionReader(env, *model->host, arguments.values[2]).read(*execution->requests().front(), model, false);
  bool included = false;
  if (const auto error = model->include(execution, bool_of(env, arguments.values[1]), &included)) {
    napi_throw_error(env, nullptr, error->message.c_str());
    return nullptr;
  }
  napi_value result;
  napi_get_boolean(env, included, &result);
  return result;
}

napi_value enable_verbose(napi_env, napi_callback_info) {
  enable_verbose_log();
  return nullptr;
}

napi_value count_live_objects(napi_env env, napi_callback_info) {
  static const char* const names[] = {"backend",         "model", "instance", "request", "channel", "response",
                                      "responseFactory", "state", "buffer",   "message", "inferenceRequest",
                                      "inferenceResponse", "metric", "trace"};
  static_assert(sizeof(names) / sizeof(*names) == static_cast<size_t>(ObjectKind::kCount));
  napi_value result;
  napi_create_object(env, &result);
  for (size_t i = 0; i < static_cast<size_t>(ObjectKind::kCount); i++) {
    napi_value count;
    napi_create_int64(env, live_objects[i].load(), &count);
    napi_set_named_property(env, result, names[i], count);
  }
  return result;
}

napi_value abi_version(napi_env env) {
  uint32_t major;
  uint32_t minor;
  TRITONBACKEND_ApiVersion(&major, &minor);
  napi_value result;
  napi_value number;
  napi_create_object(env, &result);
  napi_create_uint32(env, major, &number);
  napi_set_named_property(env, result, "major", number);
  napi_create_uint32(env, minor, &number);
  napi_set_named_property(env, result, "minor", number);
  return result;
}

/// Node opened the addon for itself alone. Libraries without a NEEDED entry for their server, or with another name in
/// it, find our functions only among the global symbols.
void make_symbols_global() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&make_symbols_global), &info) == 0) return;
  dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

Napi::Object start(Napi::Env env, Napi::Object exports) {
  make_symbols_global();
  napi_set_instance_data(env, new HostsOfEnvironment(env), nullptr, nullptr);
  const auto add = [&](const char* name, napi_callback function) {
    napi_value value;
    napi_create_function(env, name, NAPI_AUTO_LENGTH, function, nullptr, &value);
    napi_set_named_property(env, exports, name, value);
  };
  add("createHost", at_border<create_host>);
  add("drain", at_border<drain>);
  add("keepAlive", at_border<keep_alive>);
  add("closeHost", at_border<close_host>);
  add("setSubmissionBuffer", at_border<set_submission_buffer>);
  add("execute", at_border<execute>);
  add("cancel", at_border<cancel>);
  add("includeRequest", at_border<include_request>);
  add("enableVerboseLog", at_border<enable_verbose>);
  add("liveObjects", at_border<count_live_objects>);
  add_life_cycle(exports);
  add_answers(exports);
  add_metrics(exports);
  add_memory(exports);
  add_cuda_memory(exports);
  add_nvml(exports);
  exports.Set("abi", Napi::Value(env, abi_version(env)));
  return exports;
}

}  // namespace
}  // namespace triton_ts

static Napi::Object start_triton_host(Napi::Env env, Napi::Object exports) { return triton_ts::start(env, exports); }

NODE_API_MODULE(triton_host, start_triton_host)
