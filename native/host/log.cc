#include "log.h"

#include <atomic>
#include <cstdio>

#include "host.h"

namespace triton_ts {
namespace {

std::atomic<bool> verbose{false};

class LogEvent : public Event {
 public:
  LogEvent(uint32_t backend_id, TRITONSERVER_LogLevel level, std::string file, int line, std::string text)
      : backend_id_(backend_id), level_(level), file_(std::move(file)), line_(line), text_(std::move(text)) {}

  void write(EventWriter& writer) override {
    writer.kind(EventKind::kLog);
    writer.number(backend_id_);
    writer.number(level_);
    writer.number(line_);
    writer.text(file_);
    writer.text(text_);
  }

 private:
  const uint32_t backend_id_;
  const TRITONSERVER_LogLevel level_;
  const std::string file_;
  const int line_;
  const std::string text_;
};

}  // namespace

bool is_log_enabled(TRITONSERVER_LogLevel level) {
  if (level == TRITONSERVER_LOG_VERBOSE) return verbose.load(std::memory_order_relaxed);
  return level == TRITONSERVER_LOG_INFO || level == TRITONSERVER_LOG_WARN || level == TRITONSERVER_LOG_ERROR;
}

void enable_verbose_log() { verbose.store(true, std::memory_order_relaxed); }

void log(const Origin& origin, TRITONSERVER_LogLevel level, const std::string& file, int line, std::string text) {
  std::string name = file.substr(file.find_last_of('/') + 1);
  if (origin.host && !origin.host->is_closing()) {
    origin.host->post(
        std::make_unique<LogEvent>(origin.backend_id, level, std::move(name), line, std::move(text)));
  } else {
    std::fprintf(stderr, "%c %s:%d] %s\n", "IWEV"[level], name.c_str(), line, text.c_str());
  }
}

}  // namespace triton_ts
