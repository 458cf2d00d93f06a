"""The responses of a nested request to a decoupled model."""

_GRANT = 8


class ResponseIterator:
    """Iterates over responses as they come. The last one may be without outputs: the end of the stream."""

    __slots__ = ("_call", "_nested", "_taken")

    def __init__(self, nested, call):
        self._nested = nested
        self._call = call
        self._taken = 0

    def __iter__(self):
        return self

    def __next__(self):
        response = self._nested.next(self._call)
        if response is None:
            raise StopIteration("Iteration is done for the responses.")
        self._taken += 1
        if self._taken == _GRANT:
            self._taken = 0
            self._nested.grant(self._call, _GRANT)
        return response

    def cancel(self):
        """Cancels the request. The responses that come before its end can still be read."""
        self._nested.cancel(self._call)

    def __del__(self):
        self._nested.abandon(self._call)
