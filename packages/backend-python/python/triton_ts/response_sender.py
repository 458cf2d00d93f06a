"""Sends responses apart from what `execute` returns."""

import sys

from triton_ts.errors import TritonModelException
from triton_ts.inference_response import InferenceResponse
from triton_ts.outputs import Blobs
from triton_ts.runtime import runtime
from triton_ts.slots import FINAL


class InferenceResponseSender:
    """Sends the responses of one request: any number in a decoupled model, one in any other. Any thread may use it."""

    __slots__ = ("_slot",)

    def __init__(self, slot):
        self._slot = slot

    def send(self, response=None, flags=0):
        """Sends a response, the last one with TRITONSERVER_RESPONSE_COMPLETE_FINAL, which may also be sent alone.

        Waits while the client is far behind, except in the thread of an event loop.
        """
        header, blobs = self._prepare(response, flags)
        if response is not None and runtime.decoupled:
            runtime.slots.take_credit(self._slot, _may_wait())
        self._write(header, blobs, flags)

    async def async_send(self, response=None, flags=0):
        """Sends in an event loop: awaits while the client is far behind. Not in NVIDIA's library."""
        header, blobs = self._prepare(response, flags)
        if response is not None and runtime.decoupled:
            with runtime.attendant:
                await runtime.slots.await_credit(self._slot)
        self._write(header, blobs, flags)

    def is_cancelled(self):
        """Whether the client has gone or cancelled the request."""
        return self._slot is not None and is_cancelled(self._slot)

    async def async_cancelled(self):
        """Returns when the client has gone or cancelled the request. Not in NVIDIA's library."""
        with runtime.attendant:
            await runtime.slots.await_cancellation(self._slot)

    def _prepare(self, response, flags):
        """Header and bytes of a response, from now on counted as sent; an exception when it must not be sent."""
        _check_arguments(response, flags)
        slot = self._slot
        if slot is None:
            raise TritonModelException(
                "Unable to send response. Response sender has no reference to the decoupled state of the model."
            )
        blobs = Blobs()
        header = '{"k":"send","s":%d,"final":%s' % (slot.number, "true" if flags == FINAL else "false")
        try:
            if response is not None:
                header += "," + runtime.outputs.response(response, blobs, slot.requested)
            runtime.slots.count(slot, response, flags)
        except BaseException:
            runtime.outputs.discard(blobs)
            raise
        return header + "}", blobs

    def _write(self, header, blobs, flags):
        if flags == FINAL:
            runtime.connection.send_last(header, blobs, {"k": "release", "s": self._slot.number})
        else:
            runtime.connection.send(header, blobs.parts, blobs.size)


def _check_arguments(response, flags):
    if flags not in (0, FINAL):
        raise TritonModelException("Unable to send response. Unsupported flag provided.")
    if flags == 0 and response is None:
        raise TritonModelException(
            "Inference Response object must be provided when the response flags is set to zero."
        )
    if response is not None and not isinstance(response, InferenceResponse):
        raise TypeError("response must be an InferenceResponse, found type %s" % type(response))


def is_cancelled(slot):
    """Whether the request of a slot is cancelled, as far as the server has told."""
    if not slot.cancelled:
        runtime.connection.poll()
    return slot.cancelled


def _may_wait():
    events = sys.modules.get("asyncio.events")
    return events is None or events._get_running_loop() is None
