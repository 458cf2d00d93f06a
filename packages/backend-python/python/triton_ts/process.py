"""The process of one model instance: what the server asks of it, in order."""

import os
import signal
import sys
import traceback
from collections import deque

from triton_ts.connection import Connection, Waiter
from triton_ts.runtime import runtime

_SOCKET, _REQUESTS, _RESPONSES = 3, 4, 5
_PR_SET_PDEATHSIG = 1


def main():
    """Serves until the server says `finalize` or is gone."""
    # The server ends this process; a Ctrl-C that reaches both is its business.
    signal.signal(signal.SIGINT, lambda *_: None)
    sys.stdout.reconfigure(line_buffering=True)
    process = Process()
    os.register_at_fork(after_in_child=process.forked)
    try:
        process.serve()
    except BaseException:
        # Threads of the model would keep a process that answers nobody.
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


class Process:
    """Takes the server's frames and hands each to what it is for."""

    def __init__(self):
        self._inbox = deque()
        self._waiter = Waiter()
        self._hooks = None
        self._connection = runtime.connection = Connection(_SOCKET, self._handle)
        self._immediate = {}

    def forked(self):
        """In a child that the model has forked: the connection stays with its parent."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self._connection.close_after_fork()

    def serve(self):
        hello, _ = self._next()
        self._hooks = self._start(hello)
        while True:
            header, blobs = self._next()
            kind = header["k"]
            if kind == "execute":
                self._hooks.execution.run(header, blobs)
                # The arrays of an idle model must not keep memory of the server.
                del blobs
                continue
            answer = self._hooks.answer(kind, header)
            self._connection.send_object({"k": "done_call", "id": header["id"], **answer})
            if kind == "finalize":
                return

    def _next(self):
        while not self._inbox:
            self._waiter.done = False
            # Between the check and the line above another thread may have brought a frame.
            if self._inbox:
                break
            self._connection.wait(self._waiter)
        return self._inbox.popleft()

    def _handle(self, header, blobs):
        """Takes a frame, in the thread that has read it."""
        free = header.get("free")
        if free is not None:
            runtime.region.free(free)
        kind = header["k"]
        immediate = self._immediate.get(kind)
        if immediate is not None:
            immediate(header, blobs)
        elif kind != "free":
            if kind == "execute":
                # At once: a cancellation may be read before the main thread takes the batch.
                header["slots"] = [runtime.slots.open(given) for given in header["r"]]
            self._inbox.append((header, blobs))
            self._connection.finish(self._waiter)

    def _start(self, hello):
        _end_with_parent()
        try:
            import numpy  # noqa: F401
        except ImportError as error:
            from triton_ts.no_numpy import NoNumpy

            return NoNumpy(error)
        from triton_ts.hooks import Hooks
        from triton_ts.parts import assemble

        self._immediate = assemble(runtime, self._connection, hello, _REQUESTS, _RESPONSES)
        hooks = Hooks(hello)
        self._immediate["ready"] = hooks.readiness.asked
        if "PYTHONPYCACHEPREFIX" not in os.environ:
            # A model repository that is polled must not change by being used.
            sys.dont_write_bytecode = True
        return hooks


def _end_with_parent():
    """Has Linux end this process with the server, even where the model never looks up."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
