"""Tensors that came in frames."""

import numpy as np

from triton_ts.tensor import Tensor


class Inputs:
    """Makes tensors of what a frame's header says, without copies."""

    def __init__(self, region):
        # None where there is no shared memory.
        self._region = region

    def tensors(self, described, blobs):
        """The tensors of `[name, datatype, shape, place, offset, size]` lists."""
        return [
            Tensor.received(name, datatype, shape, blobs, offset)
            if place == 0 and datatype != "BYTES"
            else self._placed(name, datatype, shape, place, offset, size, blobs)
            for name, datatype, shape, place, offset, size in described
        ]

    def _placed(self, name, datatype, shape, place, offset, size, blobs):
        if place == 0:
            source = memoryview(blobs)[offset : offset + size]
        else:
            source = np.asarray(self._region.block(offset, size))
        return Tensor.received(name, datatype, shape, source, 0)
