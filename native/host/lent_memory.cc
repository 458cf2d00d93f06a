#include "lent_memory.h"

#include <atomic>
#include <map>
#include <mutex>

namespace triton_ts {
namespace {

std::mutex mutex;
/// By address.
std::map<const char*, LentMemory> loans;
/// Most tensors are small, and no loans: then nobody has to look.
std::atomic<size_t> loan_count{0};

}  // namespace

void lend(Buffer buffer) {
  const auto* data = static_cast<const char*>(buffer.data());
  auto memory = std::make_shared<const Buffer>(std::move(buffer));
  const std::lock_guard<std::mutex> lock(mutex);
  loans.emplace(data, std::move(memory));
  loan_count = loans.size();
}

void end_loan(const void* data) {
  const std::lock_guard<std::mutex> lock(mutex);
  loans.erase(static_cast<const char*>(data));
  loan_count = loans.size();
}

LentMemory find_loan(const void* data) {
  if (loan_count == 0) return nullptr;
  const auto* address = static_cast<const char*>(data);
  const std::lock_guard<std::mutex> lock(mutex);
  auto next = loans.upper_bound(address);
  if (next == loans.begin()) return nullptr;
  const auto& [start, memory] = *--next;
  return address < start + memory->size() ? memory : nullptr;
}

}  // namespace triton_ts
