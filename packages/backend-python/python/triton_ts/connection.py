"""The socket to the server: writes under one lock; reads by whichever thread waits, one at a time."""

import json
import os
import socket
import threading
from collections import deque

from triton_ts.frames import FrameReader, frame_parts, write_all

_NO_WAIT = socket.MSG_DONTWAIT
# Text of a model may hold what UTF-8 has not, and a number that JSON has not is an error of whoever wrote it.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def end_without_server():
    """The server is gone: nobody is left to tell, and threads of the model must not keep the process."""
    os._exit(1)


class Waiter:
    """Something that a thread waits for. `done` is set by `Connection.finish`."""

    __slots__ = ("asleep", "done", "wake")

    def __init__(self):
        self.done = False
        self.asleep = False
        self.wake = None


class Connection:
    """Frames to and from the server.

    No thread reads in the background: a hop costs more than a small model. A thread that waits becomes the reader
    when nobody is, and else sleeps until what it waits for came, or until the reader leaves and it takes over.
    """

    def __init__(self, descriptor, handle):
        self._socket = socket.socket(fileno=descriptor)
        self._socket.setblocking(True)
        self._socket.set_inheritable(False)
        self._reader = FrameReader(self._socket)
        self._handle = handle
        self._writing = threading.Lock()
        self._state = threading.Lock()
        self._led = False
        self._asleep = []
        self._deferred = deque()
        # Blocks of the request region that nobody views any more; they go home with the next frame.
        self.returned = deque()

    def close_after_fork(self):
        """In a child of this process: the socket is the parent's alone, and nobody hears what the child says."""
        os.close(self._socket.detach())
        # Another thread of the parent may have held it.
        self._writing = threading.Lock()
        self._write = lambda _: None

    # Writing

    def send(self, header, blobs=(), blob_bytes=0):
        """Writes a frame. `header` is the text of a JSON object that has members."""
        with self._writing:
            self._write(frame_parts(self._with_returned(header), blobs, blob_bytes))
        if self._deferred:
            self._write_deferred()

    def send_last(self, header, blobs, following):
        """Writes a frame and a second one without tensors behind it."""
        parts = frame_parts(_encode(following), (), 0)
        with self._writing:
            self._write(frame_parts(self._with_returned(header), blobs.parts, blobs.size) + parts)
        if self._deferred:
            self._write_deferred()

    def send_object(self, header):
        """Writes a frame without tensors."""
        self.send(_encode(header))

    def defer(self, header):
        """Writes a frame without tensors, from where nothing may wait for a lock: a finalizer runs in any line.

        Whoever writes at this moment writes it next.
        """
        self._deferred.append(header)
        self._write_deferred()

    def give_back(self):
        """Writes which blocks nobody views any more, when there are any."""
        if self.returned:
            self.send('{"k":"free"}')

    def _write(self, parts):
        try:
            write_all(self._socket, parts)
        except (BrokenPipeError, ConnectionResetError):
            end_without_server()

    def _with_returned(self, header):
        if not self.returned:
            return header
        # Finalizers append meanwhile: only what is there now.
        returned = [self.returned.popleft() for _ in range(len(self.returned))]
        return '%s,"free":%s}' % (header[:-1], returned)

    def _write_deferred(self):
        # A frame that comes while the lock is held is found when it is released.
        while self._deferred and self._writing.acquire(blocking=False):
            try:
                while self._deferred:
                    self._write(frame_parts(_encode(self._deferred.popleft()), (), 0))
            finally:
                self._writing.release()

    # Reading

    def wait(self, waiter):
        """Returns when `waiter` is done. Reads frames meanwhile, or sleeps while another thread does."""
        while True:
            with self._state:
                if waiter.done:
                    # It may have been woken to read.
                    self._wake_reader()
                    return
                leads = not self._led
                if leads:
                    self._led = True
                else:
                    if waiter.wake is None:
                        waiter.wake = threading.Lock()
                        waiter.wake.acquire()
                    waiter.asleep = True
                    self._asleep.append(waiter)
            if not leads:
                waiter.wake.acquire()
                continue
            try:
                while not waiter.done:
                    if self.returned:
                        self.give_back()
                    self._handle(*self._reader.read())
            except EOFError:
                end_without_server()
            finally:
                self._leave()
            return

    def poll(self):
        """Handles the frames that have come, without waiting. Nothing to do while another thread reads."""
        with self._state:
            if self._led:
                return
            self._led = True
        try:
            while True:
                self._handle(*self._reader.read(_NO_WAIT))
        except BlockingIOError:
            pass
        except EOFError:
            end_without_server()
        finally:
            self._leave()

    def finish(self, waiter):
        """What `waiter` waits for has come."""
        with self._state:
            waiter.done = True
            if waiter.asleep:
                waiter.asleep = False
                self._asleep.remove(waiter)
                waiter.wake.release()

    def _leave(self):
        with self._state:
            self._led = False
            self._wake_reader()

    def _wake_reader(self):
        """Has somebody read who waits, when nobody does."""
        if self._asleep and not self._led:
            successor = self._asleep.pop(0)
            successor.asleep = False
            successor.wake.release()
