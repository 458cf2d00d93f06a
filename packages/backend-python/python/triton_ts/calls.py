"""Questions to the server that are answered once."""

import itertools

from triton_ts.connection import Waiter
from triton_ts.errors import TritonModelException


class Calls:
    """Calls in flight, by number."""

    def __init__(self, connection):
        self._connection = connection
        self._numbers = itertools.count(1)
        self._waiting = {}

    def call(self, method, args, failure):
        """The server's answer; a TritonModelException that begins with `failure` when it refuses."""
        number = next(self._numbers)
        waiter = Waiter()
        entry = self._waiting[number] = [waiter, None]
        self._connection.send_object({"k": "call", "id": number, "method": method, "args": args})
        self._connection.wait(waiter)
        answer = entry[1]
        if "error" in answer:
            raise TritonModelException(failure + answer["error"][1])
        return answer.get("value")

    def receive(self, header):
        """An answer that has come."""
        entry = self._waiting.pop(header["id"])
        entry[1] = header
        self._connection.finish(entry[0])
