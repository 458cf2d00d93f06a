// Completes its model's config: INPUT0 to OUTPUT0, FP32 [4], max_batch_size 4. Prefers three CPU instances, which may
// load in parallel. The model's parameter `mode` makes the completion fail: "invalid-json", "wrong-version".
#include "answer.h"
#include "support.h"
#include "test_backend.h"

namespace triton_ts {
namespace {

void replace(std::string* text, const std::string& from, const std::string& to) {
  const size_t at = text->find(from);
  if (at != std::string::npos) text->replace(at, from.size(), to);
}

std::string tensor_config(const std::string& name) {
  return "[{\"name\":" + quoted(name) + ",\"data_type\":\"TYPE_FP32\",\"dims\":[4]}]";
}

class AutoComplete : public TestBackend {
 public:
  TRITONSERVER_Error* model_initialize(TRITONBACKEND_Model* model) override {
    bool wanted = false;
    RETURN_IF_ERROR(TRITONBACKEND_ModelAutoCompleteConfig(model, &wanted));
    if (!wanted) return nullptr;
    const std::string mode = model_parameter(model, "mode");
    std::string config = mode == "invalid-json" ? "{\"name\":" : model_config_text(model);
    // Only what the config leaves open is completed: the text has every field, open ones with their default.
    replace(&config, "\"max_batch_size\":0", "\"max_batch_size\":4");
    replace(&config, "\"input\":[]", "\"input\":" + tensor_config("INPUT0"));
    replace(&config, "\"output\":[]", "\"output\":" + tensor_config("OUTPUT0"));
    TRITONSERVER_Message* message = nullptr;
    RETURN_IF_ERROR(TRITONSERVER_MessageNewFromSerializedJson(&message, config.data(), config.size()));
    TRITONSERVER_Error* error = TRITONBACKEND_ModelSetConfig(model, mode == "wrong-version" ? 2 : 1, message);
    log_if_error(TRITONSERVER_MessageDelete(message));
    return error;
  }

  TRITONSERVER_Error* execute(
      TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, uint32_t count) override {
    answer_each(instance, requests, count, copy_inputs, true);
    return nullptr;
  }
};

}  // namespace

TestBackend& test_backend() {
  static AutoComplete backend;
  return backend;
}

}  // namespace triton_ts

TRITONSERVER_Error* TRITONBACKEND_GetBackendAttribute(
    TRITONBACKEND_Backend*, TRITONBACKEND_BackendAttribute* attributes) {
  RETURN_IF_ERROR(TRITONBACKEND_BackendAttributeAddPreferredInstanceGroup(
      attributes, TRITONSERVER_INSTANCEGROUPKIND_CPU, 3, nullptr, 0));
  return TRITONBACKEND_BackendAttributeSetParallelModelInstanceLoading(attributes, true);
}
