// Messages of libraries, on their way to the logger of the Server that they work for.
#pragma once

#include <string>

#include "origin.h"
#include "triton/tritonserver.h"

namespace triton_ts {

/// Whether messages of a level are wanted. Verbose ones come with every request, and each has to go to JavaScript: they
/// are not, until somebody in the process asks for them.
bool is_log_enabled(TRITONSERVER_LogLevel level);
void enable_verbose_log();

/// Goes to standard error where there is no host any more.
/// @param file its path may be whole, the name is what is told.
void log(const Origin& origin, TRITONSERVER_LogLevel level, const std::string& file, int line, std::string text);

}  // namespace triton_ts
