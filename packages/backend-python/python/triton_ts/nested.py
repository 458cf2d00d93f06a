"""Requests of the model to other models."""

import itertools
import json
import threading

from triton_ts.connection import Waiter
from triton_ts.errors import TritonError, TritonModelException
from triton_ts.inference_response import InferenceResponse
from triton_ts.loop_waiter import LoopWaiter
from triton_ts.nested_header import nested_header
from triton_ts.outputs import Blobs
from triton_ts.response_iterator import ResponseIterator
from triton_ts.runtime import runtime


class NestedCall:
    """A nested request in flight: the responses that have come and who waits for the next one."""

    __slots__ = ("ended", "number", "responses", "settled", "waiter")

    def __init__(self, number):
        self.number = number
        self.responses = []
        self.ended = False
        self.waiter = None
        # Who awaits the first response, or the end.
        self.settled = None


class NestedRequests:
    """Sends nested requests and takes their responses."""

    def __init__(self, connection, inputs, outputs, attendant):
        self._connection = connection
        self._inputs = inputs
        self._outputs = outputs
        self._attendant = attendant
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._calls = {}

    def execute(self, request, decoupled):
        """Waits for the response, or with `decoupled` for the first one and returns an iterator."""
        call = self._send(request, decoupled)
        if decoupled:
            return ResponseIterator(self, call)
        return self.next(call) or InferenceResponse()

    async def execute_async(self, request, decoupled):
        """The same in an event loop, which goes on with other work meanwhile."""
        waiter = LoopWaiter()
        with self._attendant:
            call = self._send(request, decoupled, waiter)
            try:
                await waiter.future
            except BaseException:
                self.cancel(call)
                raise
        return ResponseIterator(self, call) if decoupled else self.next(call) or InferenceResponse()

    def _send(self, request, decoupled, settled=None):
        if not runtime.initialized or runtime.finalizing:
            raise TritonModelException("BLS is only supported during the 'execute' function.")
        call = NestedCall(next(self._numbers))
        call.settled = settled
        self._calls[call.number] = call
        blobs = Blobs()
        header = nested_header(request, call.number, decoupled)
        try:
            text = json.dumps(header)[:-1] + ',"in":' + self._outputs.tensors(request.inputs(), blobs) + "}"
        except BaseException:
            del self._calls[call.number]
            self._outputs.discard(blobs)
            raise
        self._connection.send(text, blobs.parts, blobs.size)
        return call

    def receive(self, header, blobs):
        """A response that has come, or the end."""
        call = self._calls.get(header["id"])
        if call is None:
            # Nobody waits for it any more; what lies in shared memory goes back.
            self._inputs.tensors(header.get("outputs", ()), blobs)
            return
        response = self._response(header, blobs)
        final = header.get("final", False)
        with self._lock:
            call.responses.append(response)
            call.ended = final
            waiter, call.waiter = call.waiter, None
            settled, call.settled = call.settled, None
        if final:
            del self._calls[call.number]
        if waiter is not None:
            self._connection.finish(waiter)
        if settled is not None:
            settled.finish()

    def next(self, call):
        """Waits for the next response; None after the last one."""
        while True:
            with self._lock:
                if call.responses:
                    return call.responses.pop(0)
                if call.ended:
                    return None
                waiter = call.waiter = Waiter()
            self._connection.wait(waiter)

    def grant(self, call, more):
        """Lets the server send more responses."""
        if not call.ended:
            self._connection.send_object({"k": "nested_credit", "id": call.number, "n": more})

    def cancel(self, call):
        """Asks the server to end the request; its last response says so."""
        if not call.ended:
            self._connection.send_object({"k": "nested_cancel", "id": call.number})

    def abandon(self, call):
        """The model has dropped the iterator."""
        if not call.ended and self._calls.pop(call.number, None) is not None:
            self._connection.defer({"k": "nested_cancel", "id": call.number})

    def _response(self, header, blobs):
        error = header.get("error")
        if error is not None:
            return InferenceResponse(error=TritonError(error[1], error[0]))
        response = InferenceResponse(self._inputs.tensors(header.get("outputs", ()), blobs))
        response._parameters = header.get("params")
        return response
