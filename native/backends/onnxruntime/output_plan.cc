#include "output_plan.h"

#include <map>

#include "data_type.h"

namespace triton_ts {
namespace {

std::optional<KnownDim> FindDim(const TensorInfo& output, size_t dim, const std::vector<TensorInfo>& inputs) {
  if (output.dims[dim] >= 0) return KnownDim{output.dims[dim], 0, 0};
  const auto& symbol = output.symbols[dim];
  if (symbol.empty()) return std::nullopt;
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t d = 0; d < inputs[i].symbols.size(); ++d) {
      if (inputs[i].symbols[d] == symbol) return KnownDim{-1, i, d};
    }
  }
  return std::nullopt;
}

std::optional<std::vector<KnownDim>> FindShape(const TensorInfo& output, const std::vector<TensorInfo>& inputs) {
  std::vector<KnownDim> shape;
  for (size_t dim = 0; dim < output.dims.size(); ++dim) {
    const auto known = FindDim(output, dim, inputs);
    if (!known) return std::nullopt;
    shape.push_back(*known);
  }
  return shape;
}

}  // namespace

std::vector<OutputPlan> PlanOutputs(const ModelConfig& config, const Signature& signature) {
  std::map<std::string, OutputPlan> plans;
  const auto plan_of = [&](const std::string& name) -> OutputPlan& {
    auto& plan = plans[name];
    const auto& info = *FindTensor(signature.outputs, name);
    plan.name = name;
    plan.type = info.type;
    plan.datatype = ToTritonType(info.type);
    plan.known_shape = FindShape(info, signature.inputs);
    return plan;
  };
  for (const auto& state : config.states) {
    auto& plan = plan_of(state.output_name);
    plan.is_state = true;
    plan.scalar_dims.assign(state.dims.size(), 1);
  }
  for (const auto& output : config.outputs) {
    auto& plan = plan_of(output.name);
    plan.for_callers = true;
    plan.scalar_dims = output.dims;
    plan.dims = output.dims;
    if (config.max_batch_size > 0) plan.dims.insert(plan.dims.begin(), -1);
    const auto source = config.batch_outputs.find(output.name);
    if (source != config.batch_outputs.end()) plan.source_input = source->second;
  }
  std::vector<OutputPlan> ordered;
  for (auto& [name, plan] : plans) ordered.push_back(std::move(plan));
  return ordered;
}

}  // namespace triton_ts
