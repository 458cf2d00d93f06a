"""The trace of a request."""


class InferenceTrace:
    """Hand it to a nested request to trace that as a part of the same work."""

    __slots__ = ("_context", "slot_number")

    def __init__(self, context=None, slot_number=-1):
        self._context = context
        self.slot_number = slot_number

    def get_context(self):
        """The OpenTelemetry context as JSON text, or None when the request is not traced so."""
        return self._context
