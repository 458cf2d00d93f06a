#include "output_binder.h"

#include "batch_input.h"
#include "error.h"
#include "output_reader.h"
#include "shape.h"

namespace triton_ts {
namespace {

bool Wants(TRITONBACKEND_Request* request, const std::string& output) {
  uint32_t count = 0;
  Check(TRITONBACKEND_RequestOutputCount(request, &count));
  for (uint32_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    Check(TRITONBACKEND_RequestOutputName(request, i, &name));
    if (output == name) return true;
  }
  return false;
}

}  // namespace

OutputBinder::OutputBinder(const ModelConfig& config, const Session& session)
    : plans_(PlanOutputs(config, session.Tensors())),
      device_(session.Where()),
      cpu_(MakeOrt<OrtMemoryInfoHandle>(Ort().CreateCpuMemoryInfo, OrtDeviceAllocator, OrtMemTypeDefault)),
      wanted_(plans_.size()),
      places_(plans_.size()) {
  CheckOrt(Ort().GetAllocatorWithDefaultOptions(&allocator_));
  if (device_.gpu) {
    gpu_ = MakeOrt<OrtMemoryInfoHandle>(Ort().CreateMemoryInfo, "Cuda", OrtArenaAllocator, device_.id,
                                        OrtMemTypeDefault);
  }
}

void OutputBinder::Select(const Batch& batch) {
  selected_.clear();
  for (size_t p = 0; p < plans_.size(); ++p) {
    const auto& plan = plans_[p];
    wanted_[p].assign(batch.Count(), false);
    bool any = plan.is_state;
    for (size_t i = 0; plan.for_callers && i < batch.Count(); ++i) {
      wanted_[p][i] = Wants(batch.Request(i), plan.name);
      any = any || wanted_[p][i];
    }
    if (any) selected_.push_back(p);
  }
  // A run has to compute something, also where nobody wants an answer.
  if (selected_.empty() && !plans_.empty()) selected_.push_back(0);
}

bool OutputBinder::KnownShape(const OutputPlan& plan, const InputBinder& inputs, std::vector<int64_t>& shape) const {
  shape.clear();
  if (!plan.known_shape) return false;
  for (const auto& known : *plan.known_shape) {
    if (known.size >= 0) {
      shape.push_back(known.size);
      continue;
    }
    const auto& input = inputs.Shape(known.input);
    if (known.dim >= input.size()) return false;
    shape.push_back(input[known.dim]);
  }
  return true;
}

bool OutputBinder::BindDirect(Batch& batch, const InputBinder& inputs, OrtIoBinding* binding) {
  if (batch.Count() != 1 || device_.gpu) return false;
  for (const size_t p : selected_) {
    const auto& plan = plans_[p];
    const bool whole = plan.source_input.empty() && !plan.is_state && wanted_[p][0];
    if (!whole || plan.datatype == TRITONSERVER_TYPE_BYTES || !KnownShape(plan, inputs, shape_)) return false;
    // Rows beyond those of the request are not for the caller.
    if (batch.Batching() && (shape_.empty() || shape_[0] != batch.Rows(0))) return false;
  }
  for (const size_t p : selected_) {
    const auto& plan = plans_[p];
    KnownShape(plan, inputs, shape_);
    const size_t element_size = TRITONSERVER_DataTypeByteSize(plan.datatype);
    const size_t size = ByteSize(shape_, element_size);
    MemoryPlace place;
    const auto& shown = shape_.empty() ? plan.scalar_dims : shape_;
    void* data = NewDestination(batch, 0, Destination::kOutput, plan.name.c_str(), plan.datatype, shown, size, place);
    if (place.OnGpu() || reinterpret_cast<uintptr_t>(data) % element_size != 0) {
      // `Write` copies to where the caller wants it.
      values_.clear();
      Ort().ClearBoundOutputs(binding);
      batch.RenewResponse(0);
      return false;
    }
    // ONNX Runtime wants an address for nothing, too.
    static char nothing = 0;
    if (size == 0) data = &nothing;
    values_.push_back(MakeOrt<OrtValueHandle>(Ort().CreateTensorWithDataAsOrtValue,
                                              static_cast<const OrtMemoryInfo*>(cpu_.get()), data, size,
                                              shape_.data(), shape_.size(), plan.type));
    CheckOrt(Ort().BindOutput(binding, plan.name.c_str(), values_.back().get()));
  }
  return true;
}

MemoryPlace OutputBinder::Place(const Batch& batch, const OutputPlan& plan) const {
  if (!device_.gpu || plan.datatype == TRITONSERVER_TYPE_BYTES) return {};
  MemoryPlace place{TRITONSERVER_MEMORY_GPU, device_.id};
  auto* error = TRITONBACKEND_RequestOutputBufferProperties(batch.Request(0), plan.name.c_str(), nullptr, &place.type,
                                                            &place.id);
  if (error == nullptr) return place.OnGpu() ? place : MemoryPlace{};
  // The host cannot tell: the CPU is always right.
  TRITONSERVER_ErrorDelete(error);
  return {};
}

void OutputBinder::Bind(const Batch& batch, OrtIoBinding* binding) {
  for (const size_t p : selected_) {
    places_[p] = Place(batch, plans_[p]);
    CheckOrt(Ort().BindOutputToDevice(binding, plans_[p].name.c_str(), (places_[p].OnGpu() ? gpu_ : cpu_).get()));
  }
}

void OutputBinder::TakeValues(OrtIoBinding* binding) {
  values_.clear();
  OrtValue** found = nullptr;
  size_t count = 0;
  CheckOrt(Ort().GetBoundOutputValues(binding, allocator_, &found, &count));
  for (size_t i = 0; i < count; ++i) values_.emplace_back(found[i]);
  if (found != nullptr) CheckOrt(Ort().AllocatorFree(allocator_, found));
  if (count != selected_.size()) {
    throw Error(TRITONSERVER_ERROR_INTERNAL, "Retrieved output count is not equal to expected count.");
  }
}

void OutputBinder::Write(Batch& batch, const InputReader& reader, OrtIoBinding* binding) {
  TakeValues(binding);
  // States come last: a request that fails keeps the state that it has.
  for (const auto destination : {Destination::kOutput, Destination::kState}) {
    for (size_t i = 0; i < selected_.size(); ++i) {
      const size_t p = selected_[i];
      const auto& plan = plans_[p];
      const bool state = destination == Destination::kState;
      if (state ? !plan.is_state : !plan.for_callers) continue;
      ReadOutput(values_[i].get(), plan, places_[p], characters_, tensor_);
      if (state) {
        WriteRows(batch, tensor_, destination, std::vector<bool>(batch.Count(), true));
      } else if (plan.source_input.empty()) {
        WriteRows(batch, tensor_, destination, wanted_[p]);
      } else {
        WriteByShapes(batch, tensor_, plan.dims, plan.source_input, SourceShapes(batch, reader, plan.source_input),
                      wanted_[p]);
      }
    }
  }
}

}  // namespace triton_ts
