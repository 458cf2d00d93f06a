#include "model.h"

#include "entry_points.h"
#include "execution.h"

namespace triton_ts {

void NameTable::assign(std::vector<std::string> names) {
  names_ = std::move(names);
  indices_.clear();
  for (size_t i = 0; i < names_.size(); i++) indices_.emplace(names_[i], static_cast<int>(i));
}

int NameTable::find(const std::string& name) const {
  const auto found = indices_.find(name);
  return found == indices_.end() ? -1 : found->second;
}

}  // namespace triton_ts

using triton_ts::ErrorPtr;

ErrorPtr TRITONBACKEND_Model::end_batch() {
  if (!has_batch) return nullptr;
  has_batch = false;
  batch_requests.clear();
  return triton_ts::finalize_batch(*this);
}

ErrorPtr TRITONBACKEND_Model::include(std::shared_ptr<triton_ts::Execution> execution, bool restart, bool* result) {
  if (restart || !has_batch) {
    if (auto error = end_batch()) return error;
    batch_userp = nullptr;
    if (auto error = triton_ts::initialize_batch(*this)) return error;
    has_batch = true;
  }
  *result = false;
  TRITONBACKEND_Request* request = execution->requests().front();
  batch_requests.push_back(std::move(execution));
  return triton_ts::include_in_batch(*this, request, result);
}
