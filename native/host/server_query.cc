#include "server_query.h"

#include "js_values.h"

namespace triton_ts {
namespace {

class QueryEvent : public Event {
 public:
  QueryEvent(uint32_t query_id, uint32_t model_id, ServerQuery query)
      : query_id_(query_id), model_id_(model_id), query_(std::move(query)) {}

  void write(EventWriter& writer) override {
    const Napi::Env env(writer.env());
    auto query = Napi::Object::New(env);
    query.Set("kind", query_.kind);
    query.Set("modelName", query_.model_name);
    query.Set("modelVersion", static_cast<double>(query_.model_version));
    query.Set("flags", query_.flags);
    query.Set("parameters", to_js(env, query_.parameters));
    writer.kind(EventKind::kQuery);
    writer.number(query_id_);
    writer.number(model_id_);
    writer.value(query);
  }

 private:
  const uint32_t query_id_;
  const uint32_t model_id_;
  const ServerQuery query_;
};

}  // namespace

Host::QueryAnswer ask(const TRITONSERVER_Server& server, const ServerQuery& query) {
  return server.host->query(
      [&](uint32_t id) { return std::make_unique<QueryEvent>(id, server.model_id, query); });
}

}  // namespace triton_ts
