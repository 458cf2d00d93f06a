#include "inspect_model.h"

#include "report.h"
#include "support.h"

namespace triton_ts {
namespace {

/// Allocates, writes and frees 64 bytes.
void inspect_allocation(
    Report* report, TRITONBACKEND_MemoryManager* manager, TRITONSERVER_MemoryType type, int64_t type_id) {
  const std::string key = std::string("allocate ") + TRITONSERVER_MemoryTypeString(type);
  void* buffer = nullptr;
  if (!report->ok(key, TRITONBACKEND_MemoryManagerAllocate(manager, &buffer, type, type_id, 64))) return;
  if (type != TRITONSERVER_MEMORY_GPU) static_cast<char*>(buffer)[63] = 1;
  if (!report->ok(key, TRITONBACKEND_MemoryManagerFree(manager, buffer, type, type_id))) return;
  report->text(key, "ok");
}

void inspect_message(Report* report, const std::string& key, TRITONSERVER_Error* error, TRITONSERVER_Message* message) {
  if (report->ok(key, error)) report->raw(key, message_text(message));
}

void report_memory_usage(Report* report, TRITONBACKEND_ModelInstance* instance) {
  TRITONSERVER_BufferAttributes* usage = nullptr;
  log_if_error(TRITONSERVER_BufferAttributesNew(&usage));
  log_if_error(TRITONSERVER_BufferAttributesSetMemoryType(usage, TRITONSERVER_MEMORY_CPU));
  log_if_error(TRITONSERVER_BufferAttributesSetMemoryTypeId(usage, 0));
  log_if_error(TRITONSERVER_BufferAttributesSetByteSize(usage, 4096));
  const std::string key = "report_memory_usage";
  if (report->ok(key, TRITONBACKEND_ModelInstanceReportMemoryUsage(instance, &usage, 1))) report->text(key, "ok");
  log_if_error(TRITONSERVER_BufferAttributesDelete(usage));
}

}  // namespace

std::string inspect_backend(TRITONBACKEND_Backend* backend) {
  Report report;
  const char* name = nullptr;
  if (report.ok("name", TRITONBACKEND_BackendName(backend, &name))) report.text("name", name);
  TRITONSERVER_Message* config = nullptr;
  TRITONSERVER_Error* error = TRITONBACKEND_BackendConfig(backend, &config);
  inspect_message(&report, "config", error, config);
  TRITONBACKEND_ArtifactType type = TRITONBACKEND_ARTIFACT_FILESYSTEM;
  const char* location = nullptr;
  if (report.ok("artifacts", TRITONBACKEND_BackendArtifacts(backend, &type, &location))) {
    report.text("artifacts", location);
    report.number("artifact_type", static_cast<int>(type));
  }
  TRITONBACKEND_ExecutionPolicy policy = TRITONBACKEND_EXECUTION_BLOCKING;
  if (report.ok("policy", TRITONBACKEND_BackendExecutionPolicy(backend, &policy))) {
    report.number("policy", static_cast<int>(policy));
  }
  void* state = nullptr;
  if (report.ok("state", TRITONBACKEND_BackendState(backend, &state))) report.flag("state", state != nullptr);
  TRITONBACKEND_MemoryManager* manager = nullptr;
  if (report.ok("memory_manager", TRITONBACKEND_BackendMemoryManager(backend, &manager))) {
    inspect_allocation(&report, manager, TRITONSERVER_MEMORY_CPU, 0);
    inspect_allocation(&report, manager, TRITONSERVER_MEMORY_CPU_PINNED, 0);
    inspect_allocation(&report, manager, TRITONSERVER_MEMORY_GPU, 0);
  }
  return report.json();
}

std::string inspect_model(TRITONBACKEND_Model* model) {
  Report report;
  const char* name = nullptr;
  if (report.ok("name", TRITONBACKEND_ModelName(model, &name))) report.text("name", name);
  uint64_t version = 0;
  if (report.ok("version", TRITONBACKEND_ModelVersion(model, &version))) report.number("version", version);
  TRITONBACKEND_ArtifactType type = TRITONBACKEND_ARTIFACT_FILESYSTEM;
  const char* location = nullptr;
  if (report.ok("repository", TRITONBACKEND_ModelRepository(model, &type, &location))) {
    report.text("repository", location);
  }
  TRITONSERVER_Message* config = nullptr;
  TRITONSERVER_Error* error = TRITONBACKEND_ModelConfig(model, 1, &config);
  inspect_message(&report, "config", error, config);
  log_if_error(TRITONSERVER_MessageDelete(config));
  config = nullptr;
  if (report.ok("config_version_2", TRITONBACKEND_ModelConfig(model, 2, &config))) {
    report.text("config_version_2", "ok");
    log_if_error(TRITONSERVER_MessageDelete(config));
  }
  bool auto_complete = false;
  if (report.ok("auto_complete", TRITONBACKEND_ModelAutoCompleteConfig(model, &auto_complete))) {
    report.flag("auto_complete", auto_complete);
  }
  void* state = nullptr;
  if (report.ok("state", TRITONBACKEND_ModelState(model, &state))) report.flag("state", state != nullptr);
  return report.json();
}

std::string inspect_instance(TRITONBACKEND_ModelInstance* instance) {
  Report report;
  const char* name = nullptr;
  if (report.ok("name", TRITONBACKEND_ModelInstanceName(instance, &name))) report.text("name", name);
  TRITONSERVER_InstanceGroupKind kind = TRITONSERVER_INSTANCEGROUPKIND_AUTO;
  if (report.ok("kind", TRITONBACKEND_ModelInstanceKind(instance, &kind))) {
    report.text("kind", TRITONSERVER_InstanceGroupKindString(kind));
  }
  int32_t device = -1;
  if (report.ok("device", TRITONBACKEND_ModelInstanceDeviceId(instance, &device))) report.number("device", device);
  TRITONSERVER_Message* policy = nullptr;
  TRITONSERVER_Error* error = TRITONBACKEND_ModelInstanceHostPolicy(instance, &policy);
  inspect_message(&report, "host_policy", error, policy);
  bool passive = false;
  if (report.ok("passive", TRITONBACKEND_ModelInstanceIsPassive(instance, &passive))) report.flag("passive", passive);
  uint32_t count = 0;
  if (report.ok("profiles", TRITONBACKEND_ModelInstanceProfileCount(instance, &count))) {
    report.number("profiles", count);
  }
  // One beyond the last, for the error.
  for (uint32_t index = 0; index <= count; index++) {
    const std::string key = "profile " + std::to_string(index);
    const char* profile = nullptr;
    if (report.ok(key, TRITONBACKEND_ModelInstanceProfileName(instance, index, &profile))) report.text(key, profile);
  }
  count = 0;
  if (report.ok("secondary_devices", TRITONBACKEND_ModelInstanceSecondaryDeviceCount(instance, &count))) {
    report.number("secondary_devices", count);
  }
  for (uint32_t index = 0; index <= count; index++) {
    const std::string key = "secondary_device " + std::to_string(index);
    const char* secondary_kind = nullptr;
    int64_t id = -1;
    if (report.ok(
            key, TRITONBACKEND_ModelInstanceSecondaryDeviceProperties(instance, index, &secondary_kind, &id))) {
      report.text(key, (std::string(secondary_kind) + " " + std::to_string(id)).c_str());
    }
  }
  report_memory_usage(&report, instance);
  return report.json();
}

}  // namespace triton_ts
