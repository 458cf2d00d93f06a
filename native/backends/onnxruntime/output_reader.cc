#include "output_reader.h"

#include "ort_handles.h"
#include "shape.h"

namespace triton_ts {
namespace {

void ReadShape(const OrtValue* value, std::vector<int64_t>& shape) {
  const auto& ort = Ort();
  const auto info = MakeOrt<OrtTensorInfoHandle>(ort.GetTensorTypeAndShape, value);
  size_t rank = 0;
  CheckOrt(ort.GetDimensionsCount(info.get(), &rank));
  shape.resize(rank);
  CheckOrt(ort.GetDimensions(info.get(), shape.data(), rank));
}

void ReadStrings(const OrtValue* value, Buffer& characters, OutputTensor& out) {
  const auto& ort = Ort();
  const auto count = static_cast<size_t>(ElementCount(out.shape));
  size_t size = 0;
  CheckOrt(ort.GetStringTensorDataLength(value, &size));
  void* data = characters.Reserve(size);
  out.string_offsets.resize(count + 1);
  if (count > 0) CheckOrt(ort.GetStringTensorContent(value, data, size, out.string_offsets.data(), count));
  out.string_offsets[count] = size;
  out.data = static_cast<const char*>(data);
}

}  // namespace

void ReadOutput(OrtValue* value, const OutputPlan& plan, MemoryPlace place, Buffer& characters, OutputTensor& out) {
  ReadShape(value, out.shape);
  out.name = plan.name.c_str();
  out.datatype = plan.datatype;
  out.place = place;
  if (plan.datatype == TRITONSERVER_TYPE_BYTES) {
    ReadStrings(value, characters, out);
  } else {
    void* data = nullptr;
    CheckOrt(Ort().GetTensorMutableData(value, &data));
    out.data = static_cast<const char*>(data);
  }
  if (out.shape.empty()) out.shape = plan.scalar_dims;
}

}  // namespace triton_ts
