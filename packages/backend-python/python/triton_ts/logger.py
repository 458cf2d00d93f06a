"""Messages for the log of the server."""

import enum
import sys

from triton_ts.runtime import runtime


class LogLevel(enum.IntEnum):
    INFO = 0
    WARNING = 1
    ERROR = 2
    VERBOSE = 3


class Logger:
    """Writes to the server's log, with the file and line of the caller."""

    LogLevel = LogLevel
    INFO = LogLevel.INFO
    WARNING = LogLevel.WARNING
    ERROR = LogLevel.ERROR
    VERBOSE = LogLevel.VERBOSE

    @staticmethod
    def log(message, level=LogLevel.INFO):
        _log(message, LogLevel(level))

    @staticmethod
    def log_info(message):
        _log(message, LogLevel.INFO)

    @staticmethod
    def log_warn(message):
        _log(message, LogLevel.WARNING)

    @staticmethod
    def log_error(message):
        _log(message, LogLevel.ERROR)

    @staticmethod
    def log_verbose(message):
        _log(message, LogLevel.VERBOSE)


def _log(message, level):
    if level is LogLevel.VERBOSE and not runtime.verbose:
        return
    caller = sys._getframe(2)
    runtime.connection.send_object(
        {
            "k": "log",
            "level": level.name,
            "message": str(message),
            "file": caller.f_code.co_filename,
            "line": caller.f_lineno,
        }
    )
