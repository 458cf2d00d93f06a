"""Requests in flight: what the server says about them while the model works."""

import threading
import weakref

from triton_ts.connection import Waiter
from triton_ts.errors import TritonModelException
from triton_ts.loop_waiter import LoopWaiter

_DEFAULT_WINDOW = 16
FINAL = 1


class Slot:
    """One request in flight, shared by the request and its response sender. It ends with the last of them."""

    __slots__ = ("__weakref__", "_slots", "cancelled", "closed", "credit", "number", "requested", "sent", "waiters")

    def __init__(self, slots, number, requested, credit):
        self._slots = slots
        self.number = number
        # Names of the outputs that the request asks for; none: all of them.
        self.requested = requested
        # Responses that may be sent before the server grants more.
        self.credit = credit
        self.cancelled = False
        self.closed = False
        self.sent = 0
        self.waiters = ()

    def __del__(self):
        self._slots.dropped(self)


class Slots:
    """All requests in flight, by the server's number."""

    def __init__(self, connection):
        self._connection = connection
        self._lock = threading.Lock()
        self._open = {}
        self.decoupled = False

    def open(self, given):
        """The slot of a request as it stands in an `execute` frame."""
        slot = Slot(self, given["s"], given.get("out"), given.get("w", _DEFAULT_WINDOW))
        if "cancelled" in given:
            slot.cancelled = True
        self._open[slot.number] = weakref.ref(slot)
        return slot

    def dropped(self, slot):
        """Nobody holds the slot any more. A request without its final response is given up."""
        reference = self._open.get(slot.number)
        if reference is not None and reference() is None:
            del self._open[slot.number]
        if not slot.closed:
            self._connection.defer({"k": "release", "s": slot.number})

    def cancel(self, number):
        """The server wants no more responses: nothing waits for credit any longer."""
        slot = self._find(number)
        if slot is not None:
            with self._lock:
                slot.cancelled = True
            self._wake(slot)

    def grant(self, number, more):
        """The server takes more responses."""
        slot = self._find(number)
        if slot is not None:
            with self._lock:
                slot.credit += more
            self._wake(slot)

    def count(self, slot, response, flags):
        """Takes a response into account before it is sent; an exception when the model must not send it."""
        with self._lock:
            if not self.decoupled:
                if response is not None and slot.sent > 0:
                    raise TritonModelException(
                        "Unable to send response. Non-decoupled model cannot send more than one response."
                    )
                if response is None and flags == FINAL and slot.sent == 0:
                    raise TritonModelException(
                        "Unable to send response. Non-decoupled model cannot send complete final before sending a "
                        "response."
                    )
            if slot.closed:
                raise TritonModelException("Unable to send response. Response sender has been closed.")
            if flags == FINAL:
                slot.closed = True
            slot.sent += 1

    def take_credit(self, slot, waits):
        """Waits until the server takes a response of the slot, unless `waits` is false."""
        while True:
            waiter = self._credit_or(Waiter if waits else None, slot)
            if waiter is None:
                return
            self._connection.wait(waiter)

    async def await_credit(self, slot):
        """The same in an event loop, which goes on with other work meanwhile."""
        while True:
            waiter = self._credit_or(LoopWaiter, slot)
            if waiter is None:
                return
            await waiter.future

    async def await_cancellation(self, slot):
        """Returns when the request is cancelled."""
        while True:
            with self._lock:
                if slot.cancelled:
                    return
                waiter = LoopWaiter()
                slot.waiters = (*slot.waiters, waiter)
            await waiter.future

    def _credit_or(self, make_waiter, slot):
        """Takes credit and returns None; without any a waiter for more."""
        with self._lock:
            if slot.credit > 0 or slot.cancelled or make_waiter is None:
                slot.credit -= 1
                return None
            waiter = make_waiter()
            slot.waiters = (*slot.waiters, waiter)
            return waiter

    def _find(self, number):
        reference = self._open.get(number)
        return None if reference is None else reference()

    def _wake(self, slot):
        with self._lock:
            waiters, slot.waiters = slot.waiters, ()
        for waiter in waiters:
            if type(waiter) is LoopWaiter:
                waiter.finish()
            else:
                self._connection.finish(waiter)
