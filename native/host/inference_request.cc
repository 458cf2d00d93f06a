#include "inference_request.h"

#include <algorithm>
#include <cstring>

#include "cuda.h"

namespace triton_ts {

ErrorPtr NestedInput::gather(Buffer& bytes) const {
  const Pieces& chosen = pieces.empty() && !policy_pieces.empty() ? policy_pieces.begin()->second : pieces;
  size_t size = 0;
  for (const Piece& piece : chosen) size += piece.attributes.byte_size;
  bytes = Buffer(size);
  auto* next = static_cast<char*>(bytes.data());
  for (const Piece& piece : chosen) {
    const TRITONSERVER_BufferAttributes& from = piece.attributes;
    if (from.memory_type == TRITONSERVER_MEMORY_GPU) {
      if (auto error = cuda::copy_to_cpu(next, piece.data, from.byte_size, from.memory_type_id)) return error;
    } else {
      std::memcpy(next, piece.data, from.byte_size);
    }
    next += from.byte_size;
  }
  return nullptr;
}

}  // namespace triton_ts

triton_ts::NestedInput* TRITONSERVER_InferenceRequest::find_input(const std::string& name) {
  const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const auto& input) { return input.name == name; });
  return found == inputs.end() ? nullptr : &*found;
}
