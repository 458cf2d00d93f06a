// TRITONSERVER_Message.
#include "message.h"

#include "boundary.h"

using triton_ts::at_boundary;
using triton_ts::set;

extern "C" {

TRITONSERVER_Error* TRITONSERVER_MessageNewFromSerializedJson(TRITONSERVER_Message** message, const char* base,
                                                              size_t byte_size) {
  return at_boundary([&] {
    auto json = byte_size == 0 ? std::string() : std::string(base, byte_size);
    *message = new TRITONSERVER_Message{std::move(json), {}};
  });
}

TRITONSERVER_Error* TRITONSERVER_MessageDelete(TRITONSERVER_Message* message) {
  delete message;
  return nullptr;
}

TRITONSERVER_Error* TRITONSERVER_MessageSerializeToJson(TRITONSERVER_Message* message, const char** base,
                                                        size_t* byte_size) {
  set(base, message->json.c_str());
  set(byte_size, message->json.size());
  return nullptr;
}

}  // extern "C"
