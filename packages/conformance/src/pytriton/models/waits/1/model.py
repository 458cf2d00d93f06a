import threading
import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Says `started`, then answers when its caller has given up. `finalize` waits for that."""

    def initialize(self, args):
        self.threads = []

    def execute(self, requests):
        for request in requests:
            sender = request.get_response_sender()
            thread = threading.Thread(target=wait, args=(request, sender))
            self.threads.append(thread)
            thread.start()

    def finalize(self):
        for thread in self.threads:
            thread.join()


def wait(request, sender):
    sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array(["started"], np.object_))]))
    while not request.is_cancelled():
        time.sleep(0.002)
    pb_utils.Logger.log_info("the caller has given up")
    error = pb_utils.TritonError("given up", pb_utils.TritonError.CANCELLED)
    sender.send(pb_utils.InferenceResponse(error=error), flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
