"""Errors of models: those that a response carries, those that our functions raise, and the text of any exception."""

import enum
import importlib
import os

# Code that stands between this library and the model.
_PLUMBING = (
    os.path.dirname(os.path.abspath(__file__)) + os.sep,
    "<frozen importlib",
    os.path.dirname(importlib.__file__) + os.sep,
    os.path.dirname(os.__file__) + os.sep + "concurrent" + os.sep,
)


class TritonModelException(Exception):
    """Raised by the functions of this library."""


class ErrorCode(enum.IntEnum):
    """TRITONSERVER_Error_Code."""

    UNKNOWN = 0
    INTERNAL = 1
    NOT_FOUND = 2
    INVALID_ARG = 3
    UNAVAILABLE = 4
    UNSUPPORTED = 5
    ALREADY_EXISTS = 6
    CANCELLED = 7


class TritonError:
    """The error of a response: a message and one of the codes below, INTERNAL by default."""

    __slots__ = ("_code", "_message")

    UNKNOWN = ErrorCode.UNKNOWN
    INTERNAL = ErrorCode.INTERNAL
    NOT_FOUND = ErrorCode.NOT_FOUND
    INVALID_ARG = ErrorCode.INVALID_ARG
    UNAVAILABLE = ErrorCode.UNAVAILABLE
    UNSUPPORTED = ErrorCode.UNSUPPORTED
    ALREADY_EXISTS = ErrorCode.ALREADY_EXISTS
    CANCELLED = ErrorCode.CANCELLED

    def __init__(self, message, code=ErrorCode.INTERNAL):
        if not isinstance(message, str):
            raise TypeError("the message of a TritonError must be a str, got %s" % type(message))
        self._message = message
        self._code = ErrorCode(code)

    def message(self):
        return self._message

    def code(self):
        return self._code


def describe(error):
    """The text of an exception as Triton's Python backend gives it: type, message, and its lines, innermost first."""
    try:
        message = str(error) or "<EMPTY MESSAGE>"
    except Exception:
        message = "<UNPRINTABLE MESSAGE>"
    places = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith(_PLUMBING):
            places.append("  %s(%d): %s\n" % (code.co_filename, trace.tb_lineno, code.co_name))
        trace = trace.tb_next
    if not places:
        # Found by this library itself and not in a call of the model.
        return message if isinstance(error, TritonModelException) else type(error).__name__ + ": " + message
    return "%s: %s\n\nAt:\n%s" % (type(error).__name__, message, "".join(reversed(places)))
