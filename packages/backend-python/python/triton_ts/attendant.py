"""Reads for event loops, whose threads must not wait for the socket."""

import threading

from triton_ts.connection import Waiter


class Attendant:
    """A thread that stands in as a reader while awaitables wait for the server. It starts with the first of them."""

    def __init__(self, connection):
        self._connection = connection
        self._changed = threading.Condition()
        self._awaited = 0
        self._waiter = None
        self._thread = None

    def __enter__(self):
        """One more awaits the server."""
        with self._changed:
            self._awaited += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._stand_in, name="triton-attendant", daemon=True)
                self._thread.start()
            elif self._awaited == 1:
                self._changed.notify()

    def __exit__(self, *_):
        """One less awaits the server."""
        with self._changed:
            self._awaited -= 1
            if self._awaited == 0 and self._waiter is not None:
                waiter, self._waiter = self._waiter, None
                self._connection.finish(waiter)

    def _stand_in(self):
        while True:
            with self._changed:
                while self._awaited == 0:
                    self._changed.wait()
                waiter = self._waiter = Waiter()
            self._connection.wait(waiter)
