#include "host.h"

#include <malloc.h>

#include <cstdlib>
#include <cstring>

#include "channel.h"
#include "napi_check.h"
#include "nested_inferences.h"
#include "process_end.h"

namespace triton_ts {
namespace {

/// How long a library may take to end its work when the process ends.
constexpr auto kPatience = std::chrono::seconds(5);

/// Models are many megabytes that come and go on threads that come and go. By default glibc keeps up to 64 MB of what was
/// freed in each of its arenas, so that memory grows over many loads. Large pieces are given back at once instead; the
/// environment's word goes first.
void return_freed_memory() {
  for (const char* name : {"MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES"}) {
    if (std::getenv(name) != nullptr) return;
  }
  constexpr int kLarge = 4 << 20;
  mallopt(M_MMAP_THRESHOLD, kLarge);
  mallopt(M_TRIM_THRESHOLD, kLarge);
}

void call_deliver(napi_env env, napi_value, void* context, void*) {
  // Without an environment the thread-safe function is only being emptied.
  if (env != nullptr) static_cast<Host*>(context)->drain(env);
}

}  // namespace

struct Host::Query {
  bool answered = false;
  QueryAnswer answer;
  std::condition_variable changed;
};

Host::Host(napi_env env, napi_value deliver)
    : js_thread_(std::this_thread::get_id()), env_(env), nested_(std::make_unique<NestedInferences>(*this)) {
  deliver_ = hold(deliver);
}

Host::~Host() = default;

std::shared_ptr<Host> Host::create(napi_env env, napi_value deliver) {
  std::shared_ptr<Host> host(new Host(env, deliver));
  napi_value name;
  napi_create_string_utf8(env, "triton-ts host", NAPI_AUTO_LENGTH, &name);
  napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, host.get(), call_deliver,
                                  &host->wake_);
  napi_unref_threadsafe_function(env, host->wake_);
  close_before_exit(host);
  static std::once_flag once;
  std::call_once(once, return_freed_memory);
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

void Host::drain(napi_env env, bool again) {
  if (is_closing()) return;
  if (deliveries_.size() == delivering_) deliveries_.push_back(std::make_unique<Delivery>(env));
  auto& [events, writer] = *deliveries_[delivering_];
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    woken_ = again;
    events.swap(events_);
  }
  if (events.empty()) return;
  napi_handle_scope scope;
  napi_open_handle_scope(env, &scope);
  delivering_++;
  try {
    for (const auto& event : events) event->write(writer);
    deliver(env, writer);
  } catch (const std::exception&) {
    // A worker thread that is being terminated makes no objects any more; nobody would read them.
  }
  delivering_--;
  napi_close_handle_scope(env, scope);
  writer.clear();
  events.clear();
}

void Host::deliver(napi_env env, const EventWriter& writer) {
  const auto& numbers = writer.numbers();
  const auto& values = writer.values();
  napi_value arguments[3];
  arguments[0] = to_array(env, numbers);
  napi_create_double(env, static_cast<double>(numbers.size()), &arguments[1]);
  napi_create_array_with_length(env, values.size(), &arguments[2]);
  for (size_t i = 0; i < values.size(); i++) {
    check(napi_set_element(env, arguments[2], static_cast<uint32_t>(i), values[i]));
  }
  napi_value deliver;
  napi_value undefined;
  napi_get_reference_value(env, deliver_, &deliver);
  napi_get_undefined(env, &undefined);
  napi_call_function(env, undefined, deliver, 3, arguments, nullptr);
}

napi_value Host::to_array(napi_env env, const std::vector<double>& numbers) {
  const size_t bytes = numbers.size() * sizeof(double);
  // A delivery within a delivery must not write over what the outer one still reads.
  const bool is_shared = delivering_ == 1 && numbers.size() <= kInboxLength;
  void* memory;
  napi_value array;
  if (is_shared && inbox_ != nullptr) {
    std::memcpy(inbox_memory_, numbers.data(), bytes);
    check(napi_get_reference_value(env, inbox_, &array));
    return array;
  }
  const size_t length = is_shared ? kInboxLength : numbers.size();
  napi_value array_buffer;
  check(napi_create_arraybuffer(env, length * sizeof(double), &memory, &array_buffer));
  std::memcpy(memory, numbers.data(), bytes);
  check(napi_create_typedarray(env, napi_float64_array, length, array_buffer, 0, &array));
  if (is_shared) {
    inbox_ = hold(array);
    inbox_memory_ = memory;
  }
  return array;
}

napi_ref Host::hold(napi_value value) {
  napi_ref held;
  check(napi_create_reference(env_, value, 1, &held));
  held_.insert(held);
  return held;
}

void Host::let_go(napi_ref held) {
  if (held_.erase(held) > 0) napi_delete_reference(env_, held);
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
  if (closed_.exchange(true)) return;
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
  if (ending != Ending::kProcessWithoutEnvironment) {
    for (const napi_ref held : held_) napi_delete_reference(env_, held);
    held_.clear();
  }
  if (through) return;
  keep_static_objects();
  if (ending != Ending::kThread) end_process(exit_code);
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
  std::unique_ptr<Event> event;
  try {
    event = make(id);
  } catch (...) {
    const std::lock_guard<std::mutex> lock(mutex_);
    queries_.erase(id);
    throw;
  }
  post(std::move(event));
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
  let_go(submission_ref_);
  void* data = nullptr;
  check(napi_get_typedarray_info(env, numbers, nullptr, &submission_length_, &data, nullptr, nullptr));
  submission_ref_ = hold(numbers);
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
