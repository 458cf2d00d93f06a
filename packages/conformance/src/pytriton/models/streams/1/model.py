import threading

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """A response for each value, from a thread of its own; an error for a negative one."""

    def initialize(self, args):
        self.threads = []

    def execute(self, requests):
        for request in requests:
            values = pb_utils.get_input_tensor_by_name(request, "VALUES").as_numpy()
            thread = threading.Thread(target=stream, args=(request.get_response_sender(), values.tolist()))
            self.threads.append(thread)
            thread.start()

    def finalize(self):
        for thread in self.threads:
            thread.join()


def stream(sender, values):
    for value in values:
        if value < 0:
            sender.send(pb_utils.InferenceResponse(error=pb_utils.TritonError(f"{value} is negative")))
        else:
            sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("VALUE", np.array([value], np.int32))]))
    sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
