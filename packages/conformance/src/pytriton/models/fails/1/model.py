import os

import numpy as np
import triton_python_backend_utils as pb_utils

CODES = ["UNKNOWN", "INTERNAL", "NOT_FOUND", "INVALID_ARG", "UNAVAILABLE", "UNSUPPORTED", "ALREADY_EXISTS", "CANCELLED"]


class TritonPythonModel:
    """Fails with Triton's error code CODE; -1 raises, -2 answers too little, -3 ends the process; 8 and more: no error."""

    def execute(self, requests):
        return [response for request in requests for response in answer(request)]


def answer(request):
    code = int(pb_utils.get_input_tensor_by_name(request, "CODE").as_numpy()[0])
    if code == -1:
        raise ValueError("raised on purpose")
    if code == -2:
        return []
    if code == -3:
        os._exit(3)
    if code >= len(CODES):
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array([code], np.int32))])]
    error = pb_utils.TritonError(f"error with code {CODES[code]}", getattr(pb_utils.TritonError, CODES[code]))
    return [pb_utils.InferenceResponse(error=error)]
