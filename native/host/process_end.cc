#include "process_end.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <vector>

#include "host.h"

namespace triton_ts {
namespace {

std::mutex mutex;
std::vector<std::weak_ptr<Host>>& open_hosts() {
  // Never destroyed: the handler below needs it after everything else.
  static auto* hosts = new std::vector<std::weak_ptr<Host>>;
  return *hosts;
}
std::atomic<bool> has_running_library{false};

void on_process_exit(int exit_code, void*) {
  std::vector<std::weak_ptr<Host>> hosts;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    hosts.swap(open_hosts());
  }
  for (const auto& weak : hosts) {
    if (const auto host = weak.lock()) host->close(Host::Ending::kProcessWithoutEnvironment, exit_code);
  }
  if (has_running_library) end_process(exit_code);
}

}  // namespace

void close_before_exit(const std::shared_ptr<Host>& host) {
  const std::lock_guard<std::mutex> lock(mutex);
  auto& hosts = open_hosts();
  hosts.erase(std::remove_if(hosts.begin(), hosts.end(), [](const auto& weak) { return weak.expired(); }), hosts.end());
  hosts.push_back(host);
}

void close_before_static_objects(const std::string& stage) {
  static auto* stages = new std::set<std::string>;
  const std::lock_guard<std::mutex> lock(mutex);
  // Unlike atexit, it tells the exit code.
  if (stages->insert(stage).second) on_exit(on_process_exit, nullptr);
}

void keep_static_objects() { has_running_library = true; }

void end_process(int exit_code) {
  std::fputs("triton-ts: a backend library is still running; the process ends without it\n", stderr);
  std::fflush(nullptr);
  _exit(exit_code);
}

}  // namespace triton_ts
