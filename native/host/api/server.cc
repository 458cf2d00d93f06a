// TRITONSERVER_Server*.
#include "boundary.h"
#include "inference_request.h"
#include "message.h"
#include "nested_inferences.h"
#include "origin.h"
#include "server_query.h"
#include "trace.h"

using namespace triton_ts;

namespace {

/// A query without parameters, in the caller's memory.
struct Question {
  const char* kind;
  const char* model_name = "";
  int64_t model_version = -1;
  uint32_t flags = 0;

  ServerQuery query() const { return {kind, model_name == nullptr ? "" : model_name, model_version, flags, {}}; }
};

/// Asks, and reads the answer with `read(json)`.
template <typename Read>
TRITONSERVER_Error* query(TRITONSERVER_Server* server, const Question& question, Read&& read) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    auto answer = ask(*server, question.query());
    if (answer.error) return answer.error.release();
    read(answer.json);
    return nullptr;
  });
}

TRITONSERVER_Error* query_truth(TRITONSERVER_Server* server, const Question& question, bool* out) {
  return query(server, question, [&](const std::string& json) { set(out, json == "true"); });
}

TRITONSERVER_Error* query_flags(TRITONSERVER_Server* server, const Question& question, uint32_t* flags, void** extra) {
  set(extra, nullptr);
  return query(server, question,
               [&](const std::string& json) { set(flags, static_cast<uint32_t>(std::stoul(json))); });
}

TRITONSERVER_Error* query_message(TRITONSERVER_Server* server, const Question& question, TRITONSERVER_Message** out) {
  return query(server, question, [&](std::string& json) {
    auto message = std::make_unique<TRITONSERVER_Message>();
    message->json = std::move(json);
    *out = message.release();
  });
}

TRITONSERVER_Error* command(TRITONSERVER_Server* server, const Question& question) {
  return query(server, question, [](const std::string&) {});
}

}  // namespace

extern "C" {

TRITONSERVER_Error* TRITONSERVER_ServerIsLive(TRITONSERVER_Server* server, bool* out) {
  return query_truth(server, {"isLive"}, out);
}

TRITONSERVER_Error* TRITONSERVER_ServerIsReady(TRITONSERVER_Server* server, bool* out) {
  return query_truth(server, {"isReady"}, out);
}

TRITONSERVER_Error* TRITONSERVER_ServerModelIsReady(TRITONSERVER_Server* server, const char* model, int64_t version,
                                                    bool* out) {
  return query_truth(server, {"modelIsReady", model, version}, out);
}

TRITONSERVER_Error* TRITONSERVER_ServerModelBatchProperties(TRITONSERVER_Server* server, const char* model,
                                                            int64_t version, uint32_t* flags, void** extra) {
  return query_flags(server, {"batchProperties", model, version}, flags, extra);
}

TRITONSERVER_Error* TRITONSERVER_ServerModelTransactionProperties(TRITONSERVER_Server* server, const char* model,
                                                                  int64_t version, uint32_t* flags, void** extra) {
  return query_flags(server, {"transactionProperties", model, version}, flags, extra);
}

TRITONSERVER_Error* TRITONSERVER_ServerMetadata(TRITONSERVER_Server* server, TRITONSERVER_Message** out) {
  return query_message(server, {"serverMetadata"}, out);
}

TRITONSERVER_Error* TRITONSERVER_ServerModelMetadata(TRITONSERVER_Server* server, const char* model, int64_t version,
                                                     TRITONSERVER_Message** out) {
  return query_message(server, {"modelMetadata", model, version}, out);
}

TRITONSERVER_Error* TRITONSERVER_ServerModelStatistics(TRITONSERVER_Server* server, const char* model, int64_t version,
                                                       TRITONSERVER_Message** out) {
  return query_message(server, {"modelStatistics", model, version}, out);
}

TRITONSERVER_Error* TRITONSERVER_ServerModelConfig(TRITONSERVER_Server* server, const char* model, int64_t version,
                                                   uint32_t format, TRITONSERVER_Message** out) {
  if (format != 1) {
    return at_boundary([&] {
      return invalid_argument("model configuration version " + std::to_string(format) +
                              " not supported, supported versions are: 1");
    });
  }
  return query_message(server, {"modelConfig", model, version}, out);
}

TRITONSERVER_Error* TRITONSERVER_ServerModelIndex(TRITONSERVER_Server* server, uint32_t flags,
                                                  TRITONSERVER_Message** out) {
  return query_message(server, {"modelIndex", "", -1, flags}, out);
}

TRITONSERVER_Error* TRITONSERVER_ServerLoadModel(TRITONSERVER_Server* server, const char* model) {
  return command(server, {"load", model});
}

TRITONSERVER_Error* TRITONSERVER_ServerLoadModelWithParameters(TRITONSERVER_Server* server, const char* model,
                                                               const TRITONSERVER_Parameter** parameters,
                                                               uint64_t count) {
  return at_boundary([&]() -> TRITONSERVER_Error* {
    if (parameters == nullptr && count != 0) {
      return invalid_argument("load parameters are not provided while parameter count is non-zero");
    }
    ServerQuery load = Question{"load", model}.query();
    for (uint64_t i = 0; i < count; i++) load.parameters.push_back(*parameters[i]);
    return ask(*server, load).error.release();
  });
}

TRITONSERVER_Error* TRITONSERVER_ServerUnloadModel(TRITONSERVER_Server* server, const char* model) {
  return command(server, {"unload", model});
}

TRITONSERVER_Error* TRITONSERVER_ServerUnloadModelAndDependents(TRITONSERVER_Server* server, const char* model) {
  return command(server, {"unload", model, -1, 1});
}

TRITONSERVER_Error* TRITONSERVER_ServerInferAsync(TRITONSERVER_Server* server, TRITONSERVER_InferenceRequest* request,
                                                  TRITONSERVER_InferenceTrace* trace) {
  const void* caller = __builtin_return_address(0);
  std::unique_ptr<TRITONSERVER_InferenceTrace> owned(trace);
  TRITONSERVER_Error* error = at_boundary([&] {
    return server->host->nested().start(*request, owned, current_origin(caller)).release();
  });
  // On success the trace went with the request.
  release_trace(std::move(owned));
  return error;
}

}  // extern "C"
