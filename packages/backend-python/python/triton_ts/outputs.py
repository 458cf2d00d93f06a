"""Tensors on their way to the server: small ones in the frame, large ones through shared memory."""

import json

from triton_ts.byte_tensors import serialize
from triton_ts.datatypes import BYTES

_INLINE_BYTES = 64 * 1024
_KNOWN_NAMES = 1024


class Blobs:
    """The bytes of a frame's tensors: those behind its header, each at a multiple of 8, and those in shared memory."""

    __slots__ = ("blocks", "parts", "size")

    def __init__(self):
        self.blocks = []
        self.parts = []
        self.size = 0

    def add(self, content, size):
        """Adds bytes and returns where they start."""
        offset = self.size
        self.parts.append(content)
        padding = -size & 7
        if padding:
            self.parts.append(bytes(padding))
        self.size = offset + size + padding
        return offset


class Outputs:
    """Places tensors and writes down where they are."""

    def __init__(self, region):
        # None where there is no shared memory.
        self._region = region
        self._heads = {}

    def tensors(self, tensors, blobs, requested=None):
        """JSON of the tensors whose names are in `requested`, or of all."""
        return "[%s]" % ",".join(
            [self._tensor(tensor, blobs) for tensor in tensors if not requested or tensor._name in requested]
        )

    def discard(self, blobs):
        """Takes back the shared memory of a frame that is not sent."""
        if blobs.blocks:
            self._region.free(blobs.blocks)

    def response(self, response, blobs, requested):
        """JSON members of a response: its outputs and parameters, or its error."""
        error = response._error
        if error is not None:
            return '"error":%s' % json.dumps([int(error._code), error._message])
        text = '"out":' + self.tensors(response._tensors, blobs, requested)
        if response._parameters:
            text += ',"params":' + json.dumps(tagged(response._parameters))
        return text

    def _tensor(self, tensor, blobs):
        elements = tensor.elements()
        content = serialize(elements) if tensor._datatype == BYTES else elements
        size = len(content) if type(content) is bytes else content.nbytes
        place = 0
        if size == 0:
            offset = blobs.size
        elif blobs.size + size <= _INLINE_BYTES:
            offset = blobs.add(content, size)
        else:
            offset = None if self._region is None else self._region.write(memoryview(content).cast("B"))
            if offset is None:
                offset = blobs.add(content, size)
            else:
                place = 1
                blobs.blocks.append(offset)
        head = self._heads.get((tensor._name, tensor._datatype)) or self._head(tensor)
        return "%s%s,%d,%d,%d]" % (head, [*tensor._shape], place, offset, size)

    def _head(self, tensor):
        if len(self._heads) >= _KNOWN_NAMES:
            self._heads.clear()
        head = '[%s,"%s",' % (json.dumps(tensor._name), tensor._datatype)
        self._heads[tensor._name, tensor._datatype] = head
        return head


def tagged(parameters):
    """Parameters with the integers that a JSON number of the other side cannot hold as strings."""
    return {key: _tagged(value) for key, value in parameters.items()}


def _tagged(value):
    if type(value) is int and not -(2**53) < value < 2**53:
        return {"u": str(value)}
    return value
