#include "output_writer.h"

#include <cstring>

#include "error.h"
#include "shape.h"

namespace triton_ts {
namespace {

/** Writes elements [start, end) in the wire form. CPU memory only. */
void WriteStrings(const OutputTensor& output, size_t start, size_t end, char* to) {
  for (size_t i = start; i < end; ++i) {
    const size_t from = output.string_offsets[i];
    const auto length = static_cast<uint32_t>(output.string_offsets[i + 1] - from);
    std::memcpy(to, &length, sizeof length);
    to += sizeof length;
    if (length > 0) std::memcpy(to, output.data + from, length);
    to += length;
  }
}

/** Gives request `index` the elements [start, end) under `shape`. */
void WritePart(Batch& batch, size_t index, const OutputTensor& output, Destination destination,
               const std::vector<int64_t>& shape, size_t start, size_t end) {
  const bool strings = output.datatype == TRITONSERVER_TYPE_BYTES;
  const size_t element_size = TRITONSERVER_DataTypeByteSize(output.datatype);
  const size_t size = strings ? output.string_offsets[end] - output.string_offsets[start] +
                                    (end - start) * sizeof(uint32_t)
                              : (end - start) * element_size;
  MemoryPlace place = output.place;
  TRITONBACKEND_State* state = nullptr;
  void* to = NewDestination(batch, index, destination, output.name, output.datatype, shape, size, place, &state);
  if (!strings) {
    CopyMemory(to, place, output.data + start * element_size, output.place, size);
  } else if (place.OnGpu()) {
    std::vector<char> packed(size);
    WriteStrings(output, start, end, packed.data());
    CopyMemory(to, place, packed.data(), {}, size);
  } else {
    WriteStrings(output, start, end, static_cast<char*>(to));
  }
  if (state != nullptr) Check(TRITONBACKEND_StateUpdate(state));
}

/** `dims` with the sizes of a request's source input in place of variable ones. */
std::vector<int64_t> ShapeBySource(const OutputTensor& output, const std::vector<int64_t>& dims,
                                   const std::string& source_input, const std::vector<int64_t>& source) {
  std::vector<int64_t> shape = dims;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != -1) continue;
    if (d >= source.size()) {
      throw Error(TRITONSERVER_ERROR_INVALID_ARG,
                  std::string("output '") + output.name + "' has " + std::to_string(dims.size()) +
                      " dimensions to be scattered by, but its source input '" + source_input + "' has " +
                      std::to_string(source.size()));
    }
    shape[d] = source[d];
  }
  return shape;
}

[[noreturn]] void FailSplit(const Batch& batch, size_t index, const OutputTensor& output, const char* kind,
                            const std::string& expected, int64_t got) {
  throw Error(TRITONSERVER_ERROR_UNSUPPORTED, RequestPrefix(batch.Request(index)) + "failed to split the output " +
                                                  kind + " '" + output.name + "' in responses: expected " + expected +
                                                  " in model output, got " + std::to_string(got));
}

}  // namespace

void* NewDestination(const Batch& batch, size_t index, Destination destination, const char* name,
                     TRITONSERVER_DataType datatype, const std::vector<int64_t>& shape, size_t byte_size,
                     MemoryPlace& place, TRITONBACKEND_State** state) {
  void* buffer = nullptr;
  const auto rank = static_cast<uint32_t>(shape.size());
  if (destination == Destination::kState) {
    Check(TRITONBACKEND_StateNew(state, batch.Request(index), name, datatype, shape.data(), rank));
    Check(TRITONBACKEND_StateBuffer(*state, &buffer, byte_size, &place.type, &place.id));
    return buffer;
  }
  TRITONBACKEND_Output* output = nullptr;
  Check(TRITONBACKEND_ResponseOutput(batch.Response(index), &output, name, datatype, shape.data(), rank));
  Check(TRITONBACKEND_OutputBuffer(output, &buffer, byte_size, &place.type, &place.id));
  return buffer;
}

void WriteRows(Batch& batch, const OutputTensor& output, Destination destination, const std::vector<bool>& wanted) {
  const char* kind = destination == Destination::kState ? "state tensor" : "tensor";
  std::vector<int64_t> shape = output.shape;
  const int64_t rows = batch.Batching() ? (shape.empty() ? 0 : shape[0]) : 1;
  const size_t row_size =
      batch.Batching() && !shape.empty() ? ElementCount(shape.data() + 1, shape.size() - 1) : ElementCount(shape);
  int64_t row = 0;
  for (size_t i = 0; i < batch.Count(); ++i) {
    const int64_t first = row;
    row += batch.Rows(i);
    if (!wanted[i] || batch.Response(i) == nullptr) continue;
    auto* error = Guard([&] {
      if (row > rows) FailSplit(batch, i, output, kind, "batch size of at least " + std::to_string(row), rows);
      if (batch.Batching()) shape[0] = batch.Rows(i);
      WritePart(batch, i, output, destination, shape, first * row_size, row * row_size);
    });
    if (error != nullptr) batch.Fail(i, error);
  }
}

void WriteByShapes(Batch& batch, const OutputTensor& output, const std::vector<int64_t>& dims,
                   const std::string& source_input, const std::vector<std::vector<int64_t>>& sources,
                   const std::vector<bool>& wanted) {
  const int64_t total = ElementCount(output.shape);
  int64_t end = 0;
  for (size_t i = 0; i < batch.Count(); ++i) {
    // A part of unknown size leaves nothing to be known of those behind it: this fails all of them.
    const auto shape = ShapeBySource(output, dims, source_input, sources[i]);
    const int64_t start = end;
    AddElements(ElementCount(shape), end);
    if (!wanted[i] || batch.Response(i) == nullptr) continue;
    auto* error = Guard([&] {
      if (end > total) {
        FailSplit(batch, i, output, "tensor", "at least " + std::to_string(end) + " elements", total);
      }
      WritePart(batch, i, output, Destination::kOutput, shape, start, end);
    });
    if (error != nullptr) batch.Fail(i, error);
  }
}

}  // namespace triton_ts
