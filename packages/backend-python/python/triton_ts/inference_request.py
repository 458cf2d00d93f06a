"""A request: of a client to this model, or of this model to another."""

import json

from triton_ts.errors import TritonModelException
from triton_ts.inference_trace import InferenceTrace
from triton_ts.parameters import checked, received
from triton_ts.response_sender import InferenceResponseSender, is_cancelled
from triton_ts.runtime import runtime
from triton_ts.tensor import Tensor

RELEASE_ALL = 1


class InferenceRequest:
    """A request to a model.

    `correlation_id` is an int or a str, `timeout` in microseconds, `model_version` -1 for the latest, `parameters` a
    dict of bool, int and str.
    """

    # What the members of `_given` mean is said in wire.md.
    __slots__ = ("_given", "_inputs", "_memory", "_release_flags", "_slot", "_trace")

    def __init__(
        self,
        request_id="",
        correlation_id=0,
        inputs=(),
        requested_output_names=(),
        model_name="",
        model_version=-1,
        flags=0,
        timeout=0,
        preferred_memory=None,
        trace=None,
        parameters=None,
    ):
        for text in (request_id, model_name):
            if not isinstance(text, str):
                raise TypeError("request_id and model_name must be str, found type %s" % type(text))
        if type(correlation_id) not in (int, str):
            raise TritonModelException("Correlation ID must be integer or string")
        of_request = "for request with id '%s' and model name '%s' should not be empty." % (request_id, model_name)
        self._inputs = list(inputs)
        for tensor in self._inputs:
            if tensor is None:
                raise TritonModelException("Input tensor " + of_request)
            if not isinstance(tensor, Tensor):
                raise TypeError("inputs must be Tensor objects, found type %s" % type(tensor))
        names = list(requested_output_names)
        if "" in names:
            raise TritonModelException("Requested output name " + of_request)
        self._given = {
            "id": request_id,
            "c": correlation_id,
            "out": names,
            "model": model_name,
            "version": model_version,
            "f": flags,
            "t": timeout,
            "params": {} if parameters is None else checked(parameters),
        }
        self._memory = preferred_memory
        self._trace = trace
        self._slot = None
        self._release_flags = RELEASE_ALL

    @classmethod
    def arrived(cls, given, inputs, slot):
        """A request of an `execute` frame."""
        request = cls.__new__(cls)
        request._given = given
        request._inputs = inputs
        request._slot = slot
        request._memory = None
        request._trace = None
        request._release_flags = RELEASE_ALL
        return request

    def inputs(self):
        return self._inputs

    def request_id(self):
        return self._given.get("id", "")

    def correlation_id(self):
        """An int or a str; 0 without one."""
        return self._given.get("c", 0)

    def flags(self):
        """TRITONSERVER_REQUEST_FLAG_SEQUENCE_START and _END."""
        return self._given.get("f", 0)

    def set_flags(self, flags):
        self._given["f"] = flags

    def timeout(self):
        """Microseconds; 0 without one."""
        return self._given.get("t", 0)

    def priority(self):
        return self._given.get("p", 0)

    def parameters(self):
        """The parameters as JSON text."""
        return json.dumps(received(self._given.get("params", {})), separators=(",", ":"))

    def model_name(self):
        """The model that the request is for; empty in a request of a client, which is for this model."""
        return self._given.get("model", "")

    def requested_output_names(self):
        return set(self._given.get("out", ()))

    def preferred_memory(self):
        return self._memory

    def trace(self):
        """The trace, to hand to nested requests."""
        if self._trace is None and self._slot is not None:
            self._trace = InferenceTrace(self._given.get("trace"), self._slot.number)
        return self._trace or InferenceTrace()

    def get_response_sender(self):
        return InferenceResponseSender(self._slot)

    def is_cancelled(self):
        """Whether the client has gone or cancelled the request."""
        return self._slot is not None and is_cancelled(self._slot)

    def set_release_flags(self, flags):
        """TRITONSERVER_REQUEST_RELEASE_RESCHEDULE hands the request back to the scheduler when `execute` returns."""
        self._release_flags = flags

    def exec(self, decoupled=False):
        """Sends the request to its model and waits: for the response, or with `decoupled` for an iterator of them."""
        return runtime.nested.execute(self, decoupled)

    def async_exec(self, decoupled=False):
        """An awaitable of what `exec` returns, for the event loop that runs."""
        return runtime.nested.execute_async(self, decoupled)
