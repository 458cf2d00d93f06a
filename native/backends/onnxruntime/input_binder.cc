#include "input_binder.h"

#include <cstring>

#include "batch_input.h"
#include "data_type.h"
#include "error.h"

namespace triton_ts {

InputBinder::InputBinder(const ModelConfig& config, const Session& session, std::string host_policy)
    : batch_inputs_(config.batch_inputs),
      reader_(std::move(host_policy), session.Where().gpu ? session.Where().id : -1),
      cpu_(MakeOrt<OrtMemoryInfoHandle>(Ort().CreateCpuMemoryInfo, OrtDeviceAllocator, OrtMemTypeDefault)) {
  CheckOrt(Ort().GetAllocatorWithDefaultOptions(&allocator_));
  if (session.Where().gpu) {
    gpu_ = MakeOrt<OrtMemoryInfoHandle>(Ort().CreateMemoryInfo, "Cuda", OrtArenaAllocator, session.Where().id,
                                        OrtMemTypeDefault);
  }
  for (const auto& info : session.Tensors().inputs) slots_.push_back({&info});
  for (const auto& info : session.Tensors().initializers) slots_.push_back({&info});
  for (const auto& input : config.inputs) {
    for (auto& slot : slots_) {
      if (slot.info->name == input.name) slot.ragged = input.ragged;
    }
  }
}

InputBinder::Slot& InputBinder::FindSlot(const char* name, size_t guess) {
  if (guess < slots_.size() && slots_[guess].info->name == name) return slots_[guess];
  for (auto& slot : slots_) {
    if (slot.info->name == name) return slot;
  }
  throw Error(TRITONSERVER_ERROR_INTERNAL,
              std::string("Failed to retrieve the ONNX input tensor info from '") + name + "'.");
}

void InputBinder::Bind(Batch& batch, OrtIoBinding* binding) {
  auto* first_request = batch.Request(0);
  uint32_t count = 0;
  Check(TRITONBACKEND_RequestInputCount(first_request, &count));
  for (uint32_t i = 0; i < count; ++i) {
    const auto first = reader_.ByIndex(first_request, i);
    Slot& slot = FindSlot(first.name, i);
    if (first.datatype == TRITONSERVER_TYPE_BYTES) {
      reader_.GatherStrings(batch, first, slot.ragged, slot.buffer, slot.gathered.shape, elements_);
      if (!batch.AnyAlive()) return;
      BindStrings(slot, binding);
    } else {
      reader_.Gather(batch, first, slot.ragged, slot.buffer, slot.gathered);
      BindNumbers(slot, ToOnnxType(first.datatype), binding);
    }
  }
  for (const auto& config : batch_inputs_) BindBatchInput(batch, config, binding);
}

void InputBinder::BindNumbers(Slot& slot, ONNXTensorElementDataType type, OrtIoBinding* binding) {
  const auto& gathered = slot.gathered;
  // ONNX Runtime wants an address for nothing, too.
  void* data = gathered.byte_size == 0 ? slot.buffer.Reserve(0) : const_cast<void*>(gathered.data);
  const size_t rank = slot.info->dims.empty() ? 0 : gathered.shape.size();
  const auto& place = gathered.place.OnGpu() ? gpu_ : cpu_;
  values_.push_back(MakeOrt<OrtValueHandle>(Ort().CreateTensorWithDataAsOrtValue,
                                            static_cast<const OrtMemoryInfo*>(place.get()), data, gathered.byte_size,
                                            gathered.shape.data(), rank, type));
  CheckOrt(Ort().BindInput(binding, slot.info->name.c_str(), values_.back().get()));
}

void InputBinder::BindStrings(Slot& slot, OrtIoBinding* binding) {
  const size_t rank = slot.info->dims.empty() ? 0 : slot.gathered.shape.size();
  values_.push_back(MakeOrt<OrtValueHandle>(Ort().CreateTensorAsOrtValue, allocator_, slot.gathered.shape.data(), rank,
                                            ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING));
  for (size_t i = 0; i < elements_.size(); ++i) {
    // As in Triton an element ends at its first NUL.
    const auto element = elements_[i].substr(0, elements_[i].find('\0'));
    char* to = nullptr;
    CheckOrt(Ort().GetResizedStringTensorElementBuffer(values_.back().get(), i, element.size(), &to));
    if (!element.empty()) std::memcpy(to, element.data(), element.size());
  }
  CheckOrt(Ort().BindInput(binding, slot.info->name.c_str(), values_.back().get()));
}

void InputBinder::BindBatchInput(const Batch& batch, const BatchInputConfig& config, OrtIoBinding* binding) {
  for (const auto& target : config.target_names) {
    Slot& slot = FindSlot(target.c_str(), 0);
    MakeBatchInput(batch, reader_, config, slot.buffer, slot.gathered);
    BindNumbers(slot, slot.info->type, binding);
  }
}

}  // namespace triton_ts
