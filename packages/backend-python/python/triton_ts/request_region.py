"""The shared memory that the server writes and this process views."""

import ctypes
import mmap
import os


class RequestRegion:
    """Blocks of the file behind descriptor 4. Nothing is copied; a block goes back when its last view is gone."""

    __slots__ = ("_address", "_connection", "_descriptor", "_mapping", "_size")

    def __init__(self, descriptor, connection):
        os.set_inheritable(descriptor, False)
        self._descriptor = descriptor
        self._connection = connection
        self._size = 0
        self._mapping = None
        self._address = 0

    def block(self, offset, size):
        """The block of `size` bytes at `offset`."""
        if offset + size > self._size:
            self._map()
        return Block(self._connection, self._mapping, self._address, offset, size)

    def _map(self):
        self._size = os.fstat(self._descriptor).st_size
        # Blocks keep the mapping that they lie in; an outgrown one ends with its last block.
        self._mapping = (ctypes.c_char * self._size).from_buffer(mmap.mmap(self._descriptor, self._size))
        self._address = ctypes.addressof(self._mapping)


class Block:
    """Memory of one tensor, which numpy views through the array interface."""

    __slots__ = ("__array_interface__", "_connection", "_mapping", "_offset")

    def __init__(self, connection, mapping, address, offset, size):
        self._connection = connection
        self._mapping = mapping
        self._offset = offset
        self.__array_interface__ = {
            "version": 3,
            "typestr": "|u1",
            "shape": (size,),
            "data": (address + offset, False),
        }

    def __del__(self):
        self._connection.returned.append(self._offset)
