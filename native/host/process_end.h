// The end of the process, the one moment that concerns the hosts of all environments.
#pragma once

#include <memory>
#include <string>

namespace triton_ts {

class Host;

/// The host is closed before the process ends, if nobody has closed it by then.
void close_before_exit(const std::shared_ptr<Host>& host);

/// From now on hosts are closed before the static objects are destroyed that exist now. They are destroyed in the
/// reverse order of their making, so this is called when a library has been opened and when it has been initialized.
/// @param stage once for each; the others do nothing.
void close_before_static_objects(const std::string& stage);

/// A library's thread goes on, and may use static objects: the process will end without destroying any.
void keep_static_objects();

/// Ends the process at once.
[[noreturn]] void end_process(int exit_code);

}  // namespace triton_ts
