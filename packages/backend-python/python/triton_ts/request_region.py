"""The shared memory that the server writes and this process views."""

import ctypes
import mmap
import os


class RequestRegion:
    """Blocks of the file behind descriptor 4. Nothing is copied; a block goes back when its last view is gone."""

    __slots__ = ("_connection", "_descriptor", "_mapped")

    def __init__(self, descriptor, connection):
        os.set_inheritable(descriptor, False)
        self._descriptor = descriptor
        self._connection = connection
        # The mapping, its address and its size, in one: threads replace it.
        self._mapped = (None, 0, 0)

    def block(self, offset, size):
        """The block of `size` bytes at `offset`."""
        mapping, address, mapped = self._mapped
        if offset + size > mapped:
            mapping, address, mapped = self._mapped = self._map()
        return Block(self._connection, mapping, address, offset, size)

    def _map(self):
        size = os.fstat(self._descriptor).st_size
        # Blocks keep the mapping that they lie in; an outgrown one ends with its last block.
        mapping = (ctypes.c_char * size).from_buffer(mmap.mmap(self._descriptor, size))
        return mapping, ctypes.addressof(mapping), size


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
