#include "batch_input.h"

#include <algorithm>

#include "error.h"
#include "shape.h"

namespace triton_ts {
namespace {

using Shapes = std::vector<std::vector<int64_t>>;

/** Where the elements of each request end when all stand in a row. */
std::vector<int64_t> Ends(const Shapes& shapes, std::vector<int64_t> ends) {
  int64_t end = 0;
  for (const auto& shape : shapes) {
    AddElements(ElementCount(shape), end);
    ends.push_back(end);
  }
  return ends;
}

/** The shape of each item, which is a request's without its batch dimension, one after the other. */
std::vector<int64_t> ItemShapes(const Shapes& shapes) {
  std::vector<int64_t> values;
  for (const auto& shape : shapes) {
    for (int64_t row = 0; row < shape.at(0); ++row) values.insert(values.end(), shape.begin() + 1, shape.end());
  }
  return values;
}

/** Writes the values as INT32 or FP32. */
void Fill(const std::vector<int64_t>& values, bool floats, void* to) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (floats) {
      static_cast<float*>(to)[i] = static_cast<float>(values[i]);
    } else {
      static_cast<int32_t*>(to)[i] = static_cast<int32_t>(values[i]);
    }
  }
}

}  // namespace

Shapes SourceShapes(const Batch& batch, const InputReader& reader, const std::string& input) {
  Shapes shapes;
  for (size_t i = 0; i < batch.Count(); ++i) {
    const auto properties = reader.ByName(batch.Request(i), input.c_str());
    shapes.emplace_back(properties.shape, properties.shape + properties.rank);
  }
  return shapes;
}

void MakeBatchInput(const Batch& batch, const InputReader& reader, const BatchInputConfig& config, Buffer& buffer,
                    GatheredInput& out) {
  const auto shapes = SourceShapes(batch, reader, config.source_input);
  std::vector<int64_t> values;
  if (config.kind == "BATCH_ELEMENT_COUNT") {
    for (const auto& shape : shapes) values.push_back(ElementCount(shape));
  } else if (config.kind == "BATCH_ACCUMULATED_ELEMENT_COUNT") {
    values = Ends(shapes, {});
  } else if (config.kind == "BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO") {
    values = Ends(shapes, {0});
  } else if (config.kind == "BATCH_MAX_ELEMENT_COUNT_AS_SHAPE") {
    // Only the shape says something.
    int64_t largest = 0;
    for (const auto& shape : shapes) largest = std::max(largest, ElementCount(shape));
    values.resize(largest);
  } else if (config.kind == "BATCH_ITEM_SHAPE" || config.kind == "BATCH_ITEM_SHAPE_FLATTEN") {
    values = ItemShapes(shapes);
  } else {
    throw Error(TRITONSERVER_ERROR_INTERNAL, "unsupported BatchInputKind received");
  }
  out.shape.assign(1, static_cast<int64_t>(values.size()));
  if (config.kind == "BATCH_ITEM_SHAPE") {
    const auto rank = static_cast<int64_t>(shapes.at(0).size()) - 1;
    out.shape = {rank == 0 ? batch.TotalRows() : static_cast<int64_t>(values.size()) / rank, rank};
  }
  out.byte_size = values.size() * sizeof(int32_t);
  void* data = buffer.Reserve(out.byte_size);
  Fill(values, config.data_type == "TYPE_FP32", data);
  out.data = data;
  out.place = {};
}

}  // namespace triton_ts
