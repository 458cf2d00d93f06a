"""Frames on a stream socket: two lengths, a JSON header, and the bytes of tensors behind it."""

import struct
from json.decoder import scanner, JSONDecoder

PREFIX = struct.Struct("<II")
_BUFFER_BYTES = 256 * 1024
_NO_BYTES = bytearray()


class FrameReader:
    """Takes frames from a socket. One thread at a time may use it."""

    __slots__ = ("_buffer", "_end", "_scan", "_socket", "_start", "_view")

    def __init__(self, socket):
        self._socket = socket
        self._scan = scanner.make_scanner(JSONDecoder())
        self._buffer = bytearray(_BUFFER_BYTES)
        self._view = memoryview(self._buffer)
        self._start = 0
        self._end = 0

    def read(self, flags=0):
        """The next frame as `(header, blobs)`.

        EOFError at the end; with MSG_DONTWAIT as `flags` BlockingIOError when no frame has begun.
        """
        while True:
            have = self._end - self._start
            if have >= 8:
                size, header_bytes = PREFIX.unpack_from(self._buffer, self._start)
                if have >= size + 4:
                    return self._take(size, header_bytes)
                if size + 4 > _BUFFER_BYTES:
                    return self._read_large(size, header_bytes)
            elif have == 0:
                self._start = self._end = 0
            if self._end == _BUFFER_BYTES or self._start > 0 and have < 8:
                self._move_to_front(have)
            self._receive(flags if have == 0 else 0)

    def _receive(self, flags):
        received = self._socket.recv_into(self._view[self._end :], 0, flags)
        if received == 0:
            raise EOFError("the server closed the connection")
        self._end += received

    def _move_to_front(self, have):
        self._buffer[:have] = self._buffer[self._start : self._end]
        self._start = 0
        self._end = have

    def _take(self, size, header_bytes):
        start = self._start
        end = start + 4 + size
        header_end = start + 8 + header_bytes
        header = self._scan(str(self._view[start + 8 : header_end], "utf-8"), 0)[0]
        blobs = start + _aligned(8 + header_bytes)
        # Bytes of their own: arrays of the model view them for as long as they like.
        content = bytearray(self._view[blobs:end]) if blobs < end else _NO_BYTES
        self._start = end
        return header, content

    def _read_large(self, size, header_bytes):
        frame = bytearray(size + 4)
        filled = self._end - self._start
        frame[:filled] = self._view[self._start : self._end]
        self._start = self._end = 0
        view = memoryview(frame)
        while filled < len(frame):
            received = self._socket.recv_into(view[filled:])
            if received == 0:
                raise EOFError("the server closed the connection within a frame")
            filled += received
        header = self._scan(str(view[8 : 8 + header_bytes], "utf-8"), 0)[0]
        return header, view[_aligned(8 + header_bytes) :]


def frame_parts(header, blobs, blob_bytes):
    """The pieces of a frame whose header is JSON text and whose blobs (with their padding) fill `blob_bytes`."""
    text = header.encode("utf-8")
    length = len(text)
    if blob_bytes == 0:
        return [PREFIX.pack(4 + length, length), text]
    padding = -(8 + length) & 7
    return [PREFIX.pack(4 + length + padding + blob_bytes, length), text, bytes(padding), *blobs]


def write_all(socket, parts):
    """Writes pieces of bytes, in one call of the system where the socket takes them at once."""
    if len(parts) <= 2 or sum(map(_size, parts)) <= _BUFFER_BYTES:
        socket.sendall(b"".join(parts))
        return
    for part in parts:
        socket.sendall(part)


def _size(part):
    return part.nbytes if hasattr(part, "nbytes") else len(part)


def _aligned(size):
    return (size + 7) & ~7
