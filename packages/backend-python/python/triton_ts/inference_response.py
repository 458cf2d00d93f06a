"""A response: output tensors, or an error."""

import json

from triton_ts.errors import TritonError, TritonModelException
from triton_ts.parameters import checked
from triton_ts.tensor import Tensor


class InferenceResponse:
    """What a model answers a request with. With an error the outputs are not sent."""

    __slots__ = ("_error", "_parameters", "_tensors")

    def __init__(self, output_tensors=(), error=None, parameters=None):
        tensors = list(output_tensors)
        for tensor in tensors:
            if tensor is None:
                raise TritonModelException("Output tensor for inference response should not be empty.")
            if not isinstance(tensor, Tensor):
                raise TypeError("output_tensors must be Tensor objects, found type %s" % type(tensor))
        if error is not None and not isinstance(error, TritonError):
            raise TypeError("error must be a TritonError, found type %s" % type(error))
        self._tensors = tensors
        self._error = error
        self._parameters = None if parameters is None else checked(parameters)

    def output_tensors(self):
        return self._tensors

    def has_error(self):
        return self._error is not None

    def error(self):
        """The TritonError, or None."""
        return self._error

    def parameters(self):
        """The parameters as JSON text."""
        return json.dumps(self._parameters or {})
