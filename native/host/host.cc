#include "host.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "channel.h"
#include "nested_inferences.h"

namespace triton_ts {
namespace {

/// How long a library may take to end its work when the process ends.
constexpr auto kPatience = std::chrono::seconds(5);

/// All hosts of the process, for the one moment that concerns them all: its end.
std::mutex all_mutex;
std::vector<std::weak_ptr<Host>> all_hosts;

void close_all_at_exit() {
  std::vector<std::weak_ptr<Host>> hosts;
  {
    const std::lock_guard<std::mutex> lock(all_mutex);
    hosts.swap(all_hosts);
  }
  for (const auto& weak : hosts) {
    if (const auto host = weak.lock()) host->close(Host::Ending::kProcessWithoutEnvironment, 0);
  }
}

void enlist(const std::shared_ptr<Host>& host) {
  const std::lock_guard<std::mutex> lock(all_mutex);
  all_hosts.erase(std::remove_if(all_hosts.begin(), all_hosts.end(), [](const auto& weak) { return weak.expired(); }),
                  all_hosts.end());
  all_hosts.push_back(host);
}

void call_deliver(napi_env env, napi_value, void* context, void*) {
  // Without an environment the thread-safe function is only being emptied.
  if (env != nullptr) static_cast<Host*>(context)->drain(env);
}

}  // namespace

void Host::close_all_before_exit() { std::atexit(close_all_at_exit); }

struct Host::Query {
  bool answered = false;
  QueryAnswer answer;
  std::condition_variable changed;
};

Host::Host(napi_env env, napi_value deliver)
    : js_thread_(std::this_thread::get_id()), env_(env), nested_(std::make_unique<NestedInferences>(*this)) {
  napi_create_reference(env, deliver, 1, &deliver_);
}

Host::~Host() = default;

std::shared_ptr<Host> Host::create(napi_env env, napi_value deliver) {
  std::shared_ptr<Host> host(new Host(env, deliver));
  napi_value name;
  napi_create_string_utf8(env, "triton-ts host", NAPI_AUTO_LENGTH, &name);
  napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, host.get(), call_deliver,
                                  &host->wake_);
  napi_unref_threadsafe_function(env, host->wake_);
  enlist(host);
  return host;
}

void Host::post(std::unique_ptr<Event> event) {
  bool wake = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closing_) return;
    events_.push_back(std::move(event));
    wake = !woken_;
    woken_ = true;
    if (is_js_thread() && inline_depth_ > 0) return;
    // Under the mutex, so that `close` cannot release the function in between.
    if (wake) napi_call_threadsafe_function(wake_, nullptr, napi_tsfn_nonblocking);
  }
}

void Host::drain(napi_env env) {
  if (is_closing()) return;
  std::vector<std::unique_ptr<Event>> events;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    woken_ = false;
    events.swap(events_);
  }
  if (events.empty()) return;
  napi_handle_scope scope;
  napi_open_handle_scope(env, &scope);
  EventWriter writer(env);
  try {
    for (const auto& event : events) event->write(writer);
  } catch (const std::exception&) {
    // A worker thread that is being terminated makes no objects any more; nobody would read them.
    napi_close_handle_scope(env, scope);
    return;
  }
  const auto& numbers = writer.numbers();
  const auto& values = writer.values();
  napi_value arguments[3];
  void* memory;
  napi_value array_buffer;
  napi_create_arraybuffer(env, numbers.size() * sizeof(double), &memory, &array_buffer);
  std::memcpy(memory, numbers.data(), numbers.size() * sizeof(double));
  napi_create_typedarray(env, napi_float64_array, numbers.size(), array_buffer, 0, &arguments[0]);
  napi_create_double(env, static_cast<double>(numbers.size()), &arguments[1]);
  napi_create_array_with_length(env, values.size(), &arguments[2]);
  for (size_t i = 0; i < values.size(); i++) {
    napi_set_element(env, arguments[2], static_cast<uint32_t>(i), values[i]);
  }
  napi_value deliver;
  napi_value undefined;
  napi_get_reference_value(env, deliver_, &deliver);
  napi_get_undefined(env, &undefined);
  napi_call_function(env, undefined, deliver, 3, arguments, nullptr);
  napi_close_handle_scope(env, scope);
}

void Host::keep_alive(napi_env env, bool alive) {
  if (alive == alive_ || closed_) return;
  alive_ = alive;
  if (alive) {
    napi_ref_threadsafe_function(env, wake_);
  } else {
    napi_unref_threadsafe_function(env, wake_);
  }
}

void Host::close(Ending ending, int exit_code) {
  if (closed_) return;
  closed_ = true;
  std::vector<std::unique_ptr<Event>> dropped;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_.store(true, std::memory_order_release);
    dropped.swap(events_);
    for (auto& [id, query] : queries_) {
      query->answer.error.reset(make_error(TRITONSERVER_ERROR_UNAVAILABLE, "the server is exiting"));
      query->answered = true;
      query->changed.notify_all();
    }
    if (ending != Ending::kProcessWithoutEnvironment) napi_release_threadsafe_function(wake_, napi_tsfn_abort);
  }
  dropped.clear();
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  nested_->close();
  bool through = objects_.close(deadline);
  std::unique_ptr<TaskThread> callbacks;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    callbacks.swap(callbacks_);
  }
  if (callbacks && !callbacks->stop(deadline)) {
    callbacks->detach();
    through = false;
  }
  if (through || ending == Ending::kThread) return;
  std::fputs("triton-ts: a backend library is still running; the process ends without it\n", stderr);
  std::fflush(nullptr);
  // Static destructors would take away what that thread uses.
  _exit(exit_code);
}

Host::QueryAnswer Host::query(const std::function<std::unique_ptr<Event>(uint32_t)>& make) {
  if (is_js_thread()) {
    return {ErrorPtr(make_error(TRITONSERVER_ERROR_UNSUPPORTED,
                                "the server cannot be asked from the thread that would have to answer")),
            ""};
  }
  Query query;
  uint32_t id;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closing_) return {ErrorPtr(make_error(TRITONSERVER_ERROR_UNAVAILABLE, "the server is exiting")), ""};
    id = next_query_++;
    queries_.emplace(id, &query);
  }
  post(make(id));
  std::unique_lock<std::mutex> lock(mutex_);
  query.changed.wait(lock, [&] { return query.answered; });
  queries_.erase(id);
  return std::move(query.answer);
}

void Host::answer_query(uint32_t id, QueryAnswer answer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = queries_.find(id);
  if (found == queries_.end() || found->second->answered) return;
  found->second->answer = std::move(answer);
  found->second->answered = true;
  found->second->changed.notify_all();
}

TaskThread& Host::callbacks() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!callbacks_) callbacks_ = std::make_unique<TaskThread>("triton callback");
  return *callbacks_;
}

void Host::set_submission(napi_env env, napi_value numbers) {
  if (submission_ref_ != nullptr) napi_delete_reference(env, submission_ref_);
  void* data = nullptr;
  napi_get_typedarray_info(env, numbers, nullptr, &submission_length_, &data, nullptr, nullptr);
  napi_create_reference(env, numbers, 1, &submission_ref_);
  submission_ = static_cast<const double*>(data);
}

void Host::remember(const std::shared_ptr<Channel>& channel) {
  const uint32_t id = channel->request_id();
  if (id >= channels_.size()) channels_.resize(id + 64);
  channels_[id] = channel;
}

void Host::cancel(uint32_t request_id) {
  if (request_id >= channels_.size()) return;
  if (const auto channel = channels_[request_id].lock()) channel->cancel();
}

}  // namespace triton_ts
