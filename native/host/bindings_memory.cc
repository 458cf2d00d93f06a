// Files as memory that this process shares with others.
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "bindings.h"

namespace triton_ts {
namespace {

/// `mapFile(descriptor, size)`: the first bytes of a file as an ArrayBuffer. Bytes behind the end of the file must not be
/// touched. It is unmapped when it is collected, or by `unmapFile`.
Napi::Value map_file(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const int descriptor = info[0].As<Napi::Number>().Int32Value();
  const auto size = static_cast<size_t>(info[1].As<Napi::Number>().Int64Value());
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) throw Napi::Error::New(env, std::string("mmap: ") + std::strerror(errno));
  const auto unmap = [](Napi::Env, void* mapped, size_t* bytes) {
    munmap(mapped, *bytes);
    delete bytes;
  };
  return Napi::ArrayBuffer::New(env, memory, size, unmap, new size_t(size));
}

/// Lets go of a mapping at once: the buffer is empty from now on.
void unmap_file(const Napi::CallbackInfo& info) { info[0].As<Napi::ArrayBuffer>().Detach(); }

}  // namespace

void add_memory(Napi::Object exports) {
  exports.Set("mapFile", Napi::Function::New<map_file>(exports.Env(), "mapFile"));
  exports.Set("unmapFile", Napi::Function::New<unmap_file>(exports.Env(), "unmapFile"));
}

}  // namespace triton_ts
