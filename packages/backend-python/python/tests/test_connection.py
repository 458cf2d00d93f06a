"""Who reads the socket, and what is written when."""

import os
import socket
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from triton_ts.connection import Connection, Waiter  # noqa: E402
from triton_ts.frames import frame_parts  # noqa: E402


def frame(text):
    return b"".join(frame_parts(text, (), 0))


class Connections(unittest.TestCase):
    def setUp(self):
        ours, theirs = socket.socketpair()
        ours.settimeout(10)
        self.addCleanup(ours.close)
        self.server = ours
        self.waiters = {}
        self.connection = Connection(
            theirs.detach(), lambda header, _: self.connection.finish(self.waiters[header["k"]])
        )

    def test_who_is_woken_to_read_but_has_what_it_waited_for_wakes_another(self):
        connection = self.connection
        first, second = self.waiters["first"], self.waiters["second"] = Waiter(), Waiter()
        # A reader has left and woken `first`, which does not run before what it waits for has come.
        first.wake = threading.Lock()
        connection._led = True
        sleeper = threading.Thread(target=connection.wait, args=(second,), daemon=True)
        sleeper.start()
        while not second.asleep:
            pass
        connection._asleep.insert(0, first)
        first.wake.acquire()
        first.asleep = True
        connection._leave()
        connection.finish(first)
        connection.wait(first)
        self.server.sendall(frame('{"k":"second"}'))
        sleeper.join(10)
        self.assertFalse(sleeper.is_alive())

    def test_what_comes_up_while_a_frame_is_written_is_written_behind_it(self):
        connection = self.connection
        write = connection._write

        def slowly(parts):
            connection._write = write
            connection.defer({"k": "release"})
            write(parts)

        connection._write = slowly
        connection.send('{"k":"log"}')
        expected = frame('{"k":"log"}') + frame('{"k":"release"}')
        self.assertEqual(self.server.recv(len(expected), socket.MSG_WAITALL), expected)


if __name__ == "__main__":
    unittest.main()
