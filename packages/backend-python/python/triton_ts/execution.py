"""Executes batches of requests."""

import inspect
import json
from time import perf_counter_ns

from triton_ts.errors import TritonModelException, describe
from triton_ts.inference_request import InferenceRequest
from triton_ts.inference_response import InferenceResponse
from triton_ts.outputs import Blobs
from triton_ts.runtime import runtime

_RESCHEDULE = 2


class Execution:
    """Hands batches to the model and sends what it returns."""

    def __init__(self, model, instance, file, loop):
        self._execute = getattr(model, "execute", None)
        self._instance = instance
        self._file = file
        # Makes the event loop when the first `execute` turns out to be asynchronous.
        self._loop = loop

    def run(self, header, blobs):
        """Executes the batch of an `execute` frame."""
        number = header["b"]
        begun = perf_counter_ns()
        make = runtime.inputs.tensors
        arrived = InferenceRequest.arrived
        slots = header.pop("slots")
        requests = [arrived(given, make(given["in"], blobs), slot) for given, slot in zip(header["r"], slots)]
        runtime.batch.set((number, requests[0]._slot.number if len(requests) == 1 else -1))
        unpacked = executed = perf_counter_ns()
        content = Blobs()
        try:
            if self._execute is None:
                raise TritonModelException("Python model %s does not implement `execute` method." % self._file)
            # The model gets a list of its own: what it does to it must not change who is answered.
            responses = self._execute(list(requests))
            if type(responses) is not list and inspect.iscoroutine(responses):
                responses = self._run_coroutine(responses)
            executed = perf_counter_ns()
            text = self._pack(requests, responses, content)
        except BaseException as error:
            runtime.outputs.discard(content)
            content = Blobs()
            text = ',"error":' + json.dumps([1, self._failed(requests, error)])
        responses = None
        # Their memory goes back with the answer, unless the model has kept them.
        requests.clear()
        packed = perf_counter_ns()
        runtime.connection.send(
            '{"k":"executed","b":%d%s,"ns":[%d,%d,%d]}'
            % (number, text, unpacked - begun, executed - unpacked, packed - executed),
            content.parts,
            content.size,
        )

    def _run_coroutine(self, coroutine):
        if runtime.decoupled:
            return self._loop().start(coroutine, _background_failed)
        return self._loop().run(coroutine)

    def _pack(self, requests, responses, content):
        """JSON members that answer the batch; what else must be known before it is sent at once."""
        if responses is not None:
            _check(requests, responses)
        entries = []
        rescheduled = []
        for index, request in enumerate(requests):
            response = None if responses is None else responses[index]
            slot = request._slot
            if response is not None:
                runtime.slots.count(slot, response, 1)
                entries.append("{%s}" % runtime.outputs.response(response, content, slot.requested))
                continue
            if request._release_flags == _RESCHEDULE:
                slot.closed = True
                rescheduled.append(slot.number)
            entries.append("null")
        for number in rescheduled:
            runtime.connection.send_object({"k": "reschedule", "s": number})
        return "" if runtime.decoupled else ',"r":[%s]' % ",".join(entries)

    def _failed(self, requests, error):
        for request in requests:
            request._slot.closed = True
        return "Failed to process the request(s) for model '%s', message: %s" % (self._instance, describe(error))


def _check(requests, responses):
    """Throws with Triton's texts when `execute` has not returned what it must."""
    if runtime.decoupled:
        raise TritonModelException(
            "Python model '%s' is using the decoupled mode and the execute function must return None."
            % runtime.instance
        )
    if not isinstance(responses, list):
        raise TritonModelException("Expected a list in the execute return, found type '%s'." % type(responses))
    if len(responses) != len(requests):
        raise TritonModelException(
            "Number of InferenceResponse objects do not match the number of InferenceRequest objects. "
            "InferenceRequest(s) size is:%d, and InferenceResponse(s) size is:%d\n" % (len(requests), len(responses))
        )
    for request, response in zip(requests, responses):
        if type(response) is InferenceResponse:
            if request._release_flags != _RESCHEDULE:
                continue
            raise TritonModelException(
                "Expected a None object in the execute function return list for reschduled request, found type '%s'."
                % type(response)
            )
        if response is not None and not isinstance(response, InferenceResponse):
            raise TritonModelException(
                "Expected an 'InferenceResponse' object in the execute function return list, found type '%s'."
                % type(response)
            )


def _background_failed(error):
    import traceback

    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    runtime.connection.send_object({"k": "log", "level": "ERROR", "message": text, "file": __file__, "line": 0})
