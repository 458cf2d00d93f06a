// Which part of the addon a call out of a library belongs to.
#pragma once

#include <memory>
#include <string>

namespace triton_ts {

class Host;

/// Set on a thread while it runs a library's entry point. Log messages and metric families come without any handle, so
/// this tells whose they are; threads of a library's own are told by the address of the calling code.
struct Origin {
  std::shared_ptr<Host> host;
  /// The backend's number in its host, which JavaScript chose.
  uint32_t backend_id = 0;
};

class OriginScope {
 public:
  explicit OriginScope(const Origin& origin);
  ~OriginScope();
  OriginScope(const OriginScope&) = delete;

 private:
  const Origin* previous_;
};

/// The origin of this thread, else the one registered last for the library that holds `caller`, else any; its host is
/// null where no backend is left.
Origin current_origin(const void* caller);

/// For the lifetime of a backend.
void register_origin(const std::string& library_path, const Origin& origin);
void unregister_origin(const std::string& library_path, const Origin& origin);

}  // namespace triton_ts
