"""Tensors of byte strings: a 32-bit little-endian length before each element."""

import struct

import numpy as np

_LENGTH = struct.Struct("<I")


def serialize(array):
    """The wire form of an array of objects (bytes as they are, the rest as `str`) or of fixed-length bytes."""
    pieces = []
    for element in array.ravel().tolist():
        if type(element) is not bytes:
            element = str(element).encode("utf-8")
        pieces.append(_LENGTH.pack(len(element)))
        pieces.append(element)
    return b"".join(pieces)


def deserialize(content):
    """The elements of a wire form, as a flat array of `bytes` objects; ValueError when it is cut off."""
    view = memoryview(content)
    size = len(view)
    elements = []
    offset = 0
    while offset < size:
        if offset + 4 > size:
            raise ValueError("Invalid bytes tensor data: incomplete length field")
        start = offset + 4
        offset = start + _LENGTH.unpack_from(view, offset)[0]
        if offset > size:
            raise ValueError("Invalid bytes tensor data: string extends beyond buffer")
        elements.append(bytes(view[start:offset]))
    array = np.empty(len(elements), dtype=np.object_)
    array[:] = elements
    return array
