#include "signature.h"

#include "data_type.h"
#include "error.h"
#include "ort_handles.h"

namespace triton_ts {
namespace {

using Count = OrtApi::SessionGetInputCountFunction;
using Name = OrtApi::SessionGetInputNameFunction;
using Type = OrtApi::SessionGetInputTypeInfoFunction;

std::string ReadName(const OrtSession* session, Name get_name, size_t index) {
  OrtAllocator* allocator = nullptr;
  CheckOrt(Ort().GetAllocatorWithDefaultOptions(&allocator));
  char* text = nullptr;
  CheckOrt(get_name(session, index, allocator, &text));
  std::string name = text;
  CheckOrt(Ort().AllocatorFree(allocator, text));
  return name;
}

TensorInfo ReadInfo(std::string name, const OrtTypeInfo* type_info) {
  const auto& ort = Ort();
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  CheckOrt(ort.GetOnnxTypeFromTypeInfo(type_info, &kind));
  if (kind != ONNX_TYPE_TENSOR) {
    throw Error(TRITONSERVER_ERROR_UNSUPPORTED, std::string("Unsupported ONNX Type '") + OnnxKindName(kind) +
                                                    "' for I/O '" + name + "', expected 'ONNX_TYPE_TENSOR'.");
  }
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  CheckOrt(ort.CastTypeInfoToTensorInfo(type_info, &tensor));
  TensorInfo info;
  info.name = std::move(name);
  CheckOrt(ort.GetTensorElementType(tensor, &info.type));
  size_t rank = 0;
  CheckOrt(ort.GetDimensionsCount(tensor, &rank));
  info.dims.resize(rank);
  CheckOrt(ort.GetDimensions(tensor, info.dims.data(), rank));
  std::vector<const char*> symbols(rank, nullptr);
  CheckOrt(ort.GetSymbolicDimensions(tensor, symbols.data(), rank));
  for (const char* symbol : symbols) info.symbols.emplace_back(symbol == nullptr ? "" : symbol);
  return info;
}

std::vector<TensorInfo> ReadAll(const OrtSession* session, Count get_count, Name get_name, Type get_type) {
  size_t count = 0;
  CheckOrt(get_count(session, &count));
  std::vector<TensorInfo> infos;
  for (size_t i = 0; i < count; ++i) {
    const auto type_info = MakeOrt<OrtTypeInfoHandle>(get_type, session, i);
    infos.push_back(ReadInfo(ReadName(session, get_name, i), type_info.get()));
  }
  return infos;
}

}  // namespace

Signature ReadSignature(const OrtSession* session) {
  const auto& ort = Ort();
  return {
      ReadAll(session, ort.SessionGetInputCount, ort.SessionGetInputName, ort.SessionGetInputTypeInfo),
      ReadAll(session, ort.SessionGetOutputCount, ort.SessionGetOutputName, ort.SessionGetOutputTypeInfo),
      ReadAll(session, ort.SessionGetOverridableInitializerCount, ort.SessionGetOverridableInitializerName,
              ort.SessionGetOverridableInitializerTypeInfo),
  };
}

const TensorInfo* FindTensor(const std::vector<TensorInfo>& infos, const std::string& name) {
  for (const auto& info : infos) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace triton_ts
