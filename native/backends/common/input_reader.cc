#include "input_reader.h"

#include "error.h"
#include "shape.h"
#include "string_elements.h"

namespace triton_ts {

InputProperties InputReader::ByIndex(TRITONBACKEND_Request* request, uint32_t index) const {
  TRITONBACKEND_Input* input = nullptr;
  Check(TRITONBACKEND_RequestInputByIndex(request, index, &input));
  return Properties(input);
}

InputProperties InputReader::ByName(TRITONBACKEND_Request* request, const char* name) const {
  TRITONBACKEND_Input* input = nullptr;
  Check(TRITONBACKEND_RequestInput(request, name, &input));
  return Properties(input);
}

InputProperties InputReader::Properties(TRITONBACKEND_Input* input) const {
  InputProperties found;
  found.input = input;
  Check(TRITONBACKEND_InputPropertiesForHostPolicy(input, host_policy_.c_str(), &found.name, &found.datatype,
                                                   &found.shape, &found.rank, &found.byte_size, &found.buffer_count));
  return found;
}

void InputReader::AddPieces(const InputProperties& input) {
  for (uint32_t i = 0; i < input.buffer_count; ++i) {
    Piece piece{nullptr, 0, {}};
    uint64_t size = 0;
    Check(TRITONBACKEND_InputBufferForHostPolicy(input.input, host_policy_.c_str(), i, &piece.data, &size,
                                                 &piece.place.type, &piece.place.id));
    piece.size = size;
    if (size > 0) pieces_.push_back(piece);
  }
}

void InputReader::BatchShape(const Batch& batch, const InputProperties& first, bool ragged,
                             std::vector<int64_t>& shape) const {
  if (!ragged) {
    shape.assign(first.shape, first.shape + first.rank);
    if (batch.Batching() && !shape.empty()) shape[0] = batch.TotalRows();
    return;
  }
  int64_t elements = ElementCount(first.shape, first.rank);
  for (size_t i = 1; i < batch.Count(); ++i) {
    const auto input = ByName(batch.Request(i), first.name);
    AddElements(ElementCount(input.shape, input.rank), elements);
  }
  shape.assign(1, elements);
}

InputReader::Piece InputReader::Join(size_t alignment, Buffer& scratch) const {
  if (pieces_.size() == 1) {
    const Piece& only = pieces_[0];
    const bool usable = only.place.OnGpu() ? only.place.id == gpu_
                                           : reinterpret_cast<uintptr_t>(only.data) % alignment == 0;
    if (usable) return only;
  }
  size_t total = 0;
  for (const auto& piece : pieces_) total += piece.size;
  auto* to = static_cast<char*>(scratch.Reserve(total));
  const Piece joined{to, total, {}};
  for (const auto& piece : pieces_) {
    CopyMemory(to, {}, piece.data, piece.place, piece.size);
    to += piece.size;
  }
  return joined;
}

void InputReader::Gather(const Batch& batch, const InputProperties& first, bool ragged, Buffer& scratch,
                         GatheredInput& out) {
  BatchShape(batch, first, ragged, out.shape);
  pieces_.clear();
  AddPieces(first);
  for (size_t i = 1; i < batch.Count(); ++i) AddPieces(ByName(batch.Request(i), first.name));
  const size_t element_size = TRITONSERVER_DataTypeByteSize(first.datatype);
  const Piece whole = Join(element_size == 0 ? 1 : element_size, scratch);
  const size_t expected = ByteSize(out.shape, element_size);
  if (whole.size != expected) {
    throw Error(TRITONSERVER_ERROR_INVALID_ARG,
                std::string("input '") + first.name + "' has " + std::to_string(whole.size) +
                    " bytes in the batch, its shape needs " + std::to_string(expected));
  }
  out.data = whole.data;
  out.byte_size = whole.size;
  out.place = whole.place;
}

void InputReader::GatherStrings(Batch& batch, const InputProperties& first, bool ragged, Buffer& scratch,
                                std::vector<int64_t>& shape, std::vector<std::string_view>& elements) {
  BatchShape(batch, first, ragged, shape);
  elements.clear();
  size_t total = 0;
  for (size_t i = 0; i < batch.Count(); ++i) total += ByName(batch.Request(i), first.name).byte_size;
  auto* space = static_cast<char*>(scratch.Reserve(total));
  for (size_t i = 0; i < batch.Count(); ++i) {
    const auto input = ByName(batch.Request(i), first.name);
    const auto count = static_cast<size_t>(ElementCount(input.shape, input.rank));
    pieces_.clear();
    AddPieces(input);
    const char* data = space;
    size_t size = 0;
    if (pieces_.size() == 1 && !pieces_[0].place.OnGpu()) {
      data = static_cast<const char*>(pieces_[0].data);
      size = pieces_[0].size;
    } else {
      for (const auto& piece : pieces_) {
        if (size + piece.size > input.byte_size) {
          throw Error(TRITONSERVER_ERROR_INVALID_ARG, std::string("buffer size for input '") + first.name +
                                                          "' exceeds batch byte size " +
                                                          std::to_string(input.byte_size));
        }
        CopyMemory(space + size, {}, piece.data, piece.place, piece.size);
        size += piece.size;
      }
      space += size;
    }
    const size_t before = elements.size();
    auto* error = Guard([&] { ReadStringElements(first.name, data, size, count, elements); });
    if (error == nullptr) continue;
    batch.Fail(i, error);
    // Before room is made for as many elements as nobody may ever have sent.
    if (!batch.AnyAlive()) return;
    elements.resize(before + count);
  }
  if (elements.size() != static_cast<size_t>(ElementCount(shape))) {
    throw Error(TRITONSERVER_ERROR_INVALID_ARG,
                std::string("input '") + first.name + "' has " + std::to_string(elements.size()) +
                    " elements in the batch, its shape needs " + std::to_string(ElementCount(shape)));
  }
}

}  // namespace triton_ts
