#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "batch.h"
#include "buffer.h"
#include "memory.h"

namespace triton_ts {

/** One request's tensor, as the host describes it. */
struct InputProperties {
  TRITONBACKEND_Input* input = nullptr;
  const char* name = nullptr;
  TRITONSERVER_DataType datatype = TRITONSERVER_TYPE_INVALID;
  const int64_t* shape = nullptr;
  uint32_t rank = 0;
  uint64_t byte_size = 0;
  uint32_t buffer_count = 0;
};

/** An input of a whole batch in one piece. It points into the requests, or into the buffer that it was gathered in. */
struct GatheredInput {
  std::vector<int64_t> shape;
  const void* data = nullptr;
  size_t byte_size = 0;
  MemoryPlace place;
};

/** Reads the inputs of a batch for one model instance. */
class InputReader {
 public:
  /**
   * @param host_policy of the instance: the host may keep copies of an input for each policy.
   * @param gpu whose memory may be handed on as it is; -1: everything comes into CPU memory.
   */
  InputReader(std::string host_policy, int gpu) : host_policy_(std::move(host_policy)), gpu_(gpu) {}

  InputProperties ByIndex(TRITONBACKEND_Request* request, uint32_t index) const;
  InputProperties ByName(TRITONBACKEND_Request* request, const char* name) const;

  /**
   * The input `first.name` of all requests, `first` being that of the first one. One request's tensor in one aligned
   * piece is not copied. The requests are joined along the batch dimension; ragged: all elements stand in a row.
   * @throws Error INVALID_ARG where the bytes are not those of the shape.
   */
  void Gather(const Batch& batch, const InputProperties& first, bool ragged, Buffer& scratch, GatheredInput& out);

  /**
   * The elements of a BYTES input. A request with malformed content fails, and has empty elements in the batch; when
   * none is left, there is no batch to be run. The elements point into the requests or into `scratch`.
   * @throws Error INVALID_ARG where the requests' shapes do not fit together.
   */
  void GatherStrings(Batch& batch, const InputProperties& first, bool ragged, Buffer& scratch,
                     std::vector<int64_t>& shape, std::vector<std::string_view>& elements);

 private:
  struct Piece {
    const void* data;
    size_t size;
    MemoryPlace place;
  };

  InputProperties Properties(TRITONBACKEND_Input* input) const;
  /** Adds the buffers of one tensor to `pieces_`. */
  void AddPieces(const InputProperties& input);
  void BatchShape(const Batch& batch, const InputProperties& first, bool ragged, std::vector<int64_t>& shape) const;
  /** All of `pieces_` in one. */
  Piece Join(size_t alignment, Buffer& scratch) const;

  const std::string host_policy_;
  const int gpu_;
  std::vector<Piece> pieces_;
};

}  // namespace triton_ts
