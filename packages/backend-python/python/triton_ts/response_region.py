"""The shared memory that this process writes and the server reads."""

import mmap
import os
import threading
from bisect import insort

_ALIGNMENT = 64
_GROWTH_BYTES = 1024 * 1024


class ResponseRegion:
    """Blocks of the file behind descriptor 5: first fit in a sorted list of free spans, which grows with the file."""

    def __init__(self, descriptor, take_in):
        os.set_inheritable(descriptor, False)
        self._descriptor = descriptor
        # Handles the frames that have come, for blocks may be among them.
        self._take_in = take_in
        self._lock = threading.Lock()
        self._size = 0
        self._view = None
        self._free = []
        self._taken = {}

    def write(self, content):
        """Copies bytes into a block and returns its offset; None when the system has no space for it."""
        size = content.nbytes
        offset = self._take(size)
        if offset is None:
            self._take_in()
            offset = self._take(size)
        if offset is None:
            if not self._grow(size):
                return None
            offset = self._take(size)
        if offset is not None:
            self._view[offset : offset + size] = content
        return offset

    def free(self, offsets):
        """The server has read these blocks."""
        with self._lock:
            for offset in offsets:
                self._give(offset, self._taken.pop(offset))

    def _take(self, size):
        length = (size + _ALIGNMENT - 1) & -_ALIGNMENT
        with self._lock:
            for index, (offset, space) in enumerate(self._free):
                if space >= length:
                    if space == length:
                        del self._free[index]
                    else:
                        self._free[index] = (offset + length, space - length)
                    self._taken[offset] = length
                    return offset
        return None

    def _give(self, offset, length):
        insort(self._free, (offset, length))
        index = self._free.index((offset, length))
        for first in (index, index - 1):
            if 0 <= first < len(self._free) - 1:
                start, space = self._free[first]
                following, more = self._free[first + 1]
                if start + space == following:
                    self._free[first : first + 2] = [(start, space + more)]

    def _grow(self, size):
        with self._lock:
            missing = size + _ALIGNMENT
            # Twice as much as there was, or where there is not as much what is needed.
            return self._extend(max(missing, self._size, _GROWTH_BYTES)) or self._extend(missing)

    def _extend(self, length):
        start = self._size
        length = (length + mmap.PAGESIZE - 1) & -mmap.PAGESIZE
        try:
            # Space that is really there: writing into a hole of a full file system would end the process.
            _allocate(self._descriptor, start, length)
            self._view = memoryview(mmap.mmap(self._descriptor, start + length))
        except OSError:
            return False
        self._size = start + length
        self._give(start, length)
        return True


def _allocate(descriptor, start, length):
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, start, length)
    else:
        os.ftruncate(descriptor, start + length)
