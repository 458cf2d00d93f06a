// Everything the addon holds for one Node environment (the main thread or one worker thread).
#pragma once

#include <node_api.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "error.h"
#include "event.h"
#include "open_objects.h"
#include "task_thread.h"

namespace triton_ts {

class Channel;
class NestedInferences;

/// The link between library threads and one JavaScript thread: a queue of events with one wake-up for many, and what
/// has to be ended before the environment goes. Threads hold it by shared_ptr, so it outlives the environment where a
/// library's thread does; posting is safe at any time and does nothing once `is_closing`.
class Host : public std::enable_shared_from_this<Host> {
 public:
  /// `deliver(length, values, numbers)` is called on the JavaScript thread with the records that have gathered.
  static std::shared_ptr<Host> create(napi_env env, napi_value deliver);
  ~Host();

  /// Any thread. Wakes the JavaScript thread, unless it has been woken already or drains soon.
  void post(std::unique_ptr<Event> event);

  /// JavaScript thread: delivers what has gathered.
  /// @param again whether it is called again soon in any case, so that until then nobody has to wake this thread.
  void drain(napi_env env, bool again = false);

  /// JavaScript thread: keeps a value until `let_go`, or until the host closes. Null does nothing there.
  napi_ref hold(napi_value value);
  void let_go(napi_ref held);

  /// JavaScript thread: whether pending work keeps the event loop alive.
  void keep_alive(napi_env env, bool alive);

  bool is_js_thread() const { return std::this_thread::get_id() == js_thread_; }
  bool is_closing() const { return closing_.load(std::memory_order_acquire); }

  enum class Ending { kThread, kProcess, kProcessWithoutEnvironment };

  /// JavaScript thread, or the end of the process: cancels what runs, finalizes what is left (instances, then models,
  /// then backends) and joins their threads. Bounded: what is still inside a library after some seconds ends the
  /// process with `exit_code` where the process ends anyway, else stays behind with its thread. Idempotent.
  void close(Ending ending, int exit_code);

  /// JavaScript thread: while it runs a library's code itself, events need no wake-up, a `drain` follows.
  class InlineScope {
   public:
    explicit InlineScope(Host& host) : host_(host) { host_.inline_depth_++; }
    ~InlineScope() { host_.inline_depth_--; }
    InlineScope(const InlineScope&) = delete;

   private:
    Host& host_;
  };

  // --- What JavaScript has open -----------------------------------------------------------------------------------

  OpenObjects& objects() { return objects_; }
  void set_submission(napi_env env, napi_value numbers);
  const double* submission() const { return submission_; }
  size_t submission_length() const { return submission_length_; }

  /// JavaScript thread: finds the way back to a request by its number, to cancel it. The numbers are small: a new one
  /// is made only when all that were made are in use.
  void remember(const std::shared_ptr<Channel>& channel);
  void cancel(uint32_t request_id);

  // --- Nested calls into the engine -------------------------------------------------------------------------------

  /// Blocks a library's thread until JavaScript answers. `make` gets the query's id. Fails on the JavaScript thread,
  /// which would wait for itself, and once the host closes.
  struct QueryAnswer {
    ErrorPtr error;
    std::string json;
  };
  QueryAnswer query(const std::function<std::unique_ptr<Event>(uint32_t id)>& make);
  void answer_query(uint32_t id, QueryAnswer answer);

  /// Runs callbacks of nested requests, which are library code and must not run on the JavaScript thread.
  TaskThread& callbacks();

  NestedInferences& nested() { return *nested_; }

 private:
  Host(napi_env env, napi_value deliver);
  struct Query;
  void deliver(napi_env env, const EventWriter& writer);
  napi_value to_array(napi_env env, const std::vector<double>& numbers);

  std::thread::id js_thread_;
  napi_env env_;
  /// References outlive their environment, unless they are deleted.
  std::unordered_set<napi_ref> held_;
  napi_ref deliver_ = nullptr;
  napi_threadsafe_function wake_ = nullptr;
  std::atomic<bool> closing_{false};
  std::atomic<bool> closed_{false};
  bool alive_ = false;
  int inline_depth_ = 0;
  /// Numbers of most deliveries, in one array that is used again.
  static constexpr size_t kInboxLength = 1024;
  napi_ref inbox_ = nullptr;
  void* inbox_memory_ = nullptr;
  /// What is needed again for each delivery; one for each that goes on, since a delivery may cause another.
  struct Delivery {
    explicit Delivery(napi_env env) : writer(env) {}
    std::vector<std::unique_ptr<Event>> events;
    EventWriter writer;
  };
  std::vector<std::unique_ptr<Delivery>> deliveries_;
  size_t delivering_ = 0;
  napi_ref submission_ref_ = nullptr;
  const double* submission_ = nullptr;
  size_t submission_length_ = 0;
  std::vector<std::weak_ptr<Channel>> channels_;
  OpenObjects objects_;
  const std::unique_ptr<NestedInferences> nested_;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Event>> events_;
  bool woken_ = false;
  uint32_t next_query_ = 1;
  std::unordered_map<uint32_t, Query*> queries_;
  std::unique_ptr<TaskThread> callbacks_;
};

}  // namespace triton_ts
