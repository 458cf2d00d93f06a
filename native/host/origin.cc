#include "origin.h"

#include <dlfcn.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "host.h"

namespace triton_ts {
namespace {

thread_local const Origin* origin_of_thread = nullptr;

std::mutex mutex;
/// By the path of the library, in the order of registration.
std::vector<std::pair<std::string, Origin>> registered;

bool same(const Origin& left, const Origin& right) {
  return left.host == right.host && left.backend_id == right.backend_id;
}

std::string library_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

}  // namespace

OriginScope::OriginScope(const Origin& origin) : previous_(std::exchange(origin_of_thread, &origin)) {}

OriginScope::~OriginScope() { origin_of_thread = previous_; }

Origin current_origin(const void* caller) {
  if (origin_of_thread != nullptr) return *origin_of_thread;
  const std::string path = library_of(caller);
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found =
      std::find_if(registered.rbegin(), registered.rend(), [&](const auto& entry) { return entry.first == path; });
  if (found != registered.rend()) return found->second;
  // The code of a library that a backend is linked to.
  return registered.empty() ? Origin() : Origin{registered.back().second.host, 0};
}

void register_origin(const std::string& library_path, const Origin& origin) {
  const std::lock_guard<std::mutex> lock(mutex);
  registered.emplace_back(library_path, origin);
}

void unregister_origin(const std::string& library_path, const Origin& origin) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = std::find_if(registered.begin(), registered.end(), [&](const auto& entry) {
    return entry.first == library_path && same(entry.second, origin);
  });
  if (found != registered.end()) registered.erase(found);
}

}  // namespace triton_ts
