import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Adds up each sequence; tells the sum, the correlation id, and the values of START and END."""

    def initialize(self, args):
        self.sums = {}

    def execute(self, requests):
        return [pb_utils.InferenceResponse([self.add(request)]) for request in requests]

    def add(self, request):
        value, start, ready, end, sequence = [
            int(pb_utils.get_input_tensor_by_name(request, name).as_numpy()[0][0])
            for name in ["IN", "START", "READY", "END", "CORRID"]
        ]
        assert ready == 1 and sequence == request.correlation_id()
        self.sums[sequence] = value if start else self.sums[sequence] + value
        told = [self.sums[sequence], sequence, start, end]
        if end:
            del self.sums[sequence]
        return pb_utils.Tensor("OUT", np.array([told], np.int64))
