"""Puts the parts of the process together."""

import os

from triton_ts.attendant import Attendant
from triton_ts.calls import Calls
from triton_ts.inputs import Inputs
from triton_ts.nested import NestedRequests
from triton_ts.outputs import Outputs
from triton_ts.request_region import RequestRegion
from triton_ts.response_region import ResponseRegion
from triton_ts.slots import Slots


def assemble(runtime, connection, hello, requests, responses):
    """Fills `runtime` and returns what takes each kind of frame at once, in whatever thread has read it."""
    shared = hello.get("shm", False)
    runtime.region = ResponseRegion(responses, connection.poll) if shared else None
    runtime.inputs = Inputs(RequestRegion(requests, connection) if shared else None)
    runtime.outputs = Outputs(runtime.region)
    runtime.slots = slots = Slots(connection)
    runtime.calls = calls = Calls(connection)
    runtime.attendant = Attendant(connection)
    runtime.nested = nested = NestedRequests(connection, runtime.inputs, runtime.outputs, runtime.attendant)
    runtime.model_directory = hello.get("model_directory") or os.path.dirname(hello["file"])
    runtime.instance = hello["instance"]
    runtime.verbose = bool(hello.get("verbose"))
    return {
        "cancel": lambda header, _: slots.cancel(header["s"]),
        "credit": lambda header, _: slots.grant(header["s"], header["n"]),
        "nested": nested.receive,
        "result": lambda header, _: calls.receive(header),
    }
